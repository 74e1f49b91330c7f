package derive

import (
	"github.com/Masterminds/semver/v3"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// setOrbit points GitLab at its Orbit. A chart below 10.4 has no such values, and without an endpoint there is nothing
// to point at; the instance runs without an Orbit until there is.
func setOrbit(b *values.Builder, ref *v2alpha1.OrbitReference, facts GitLabCoreFacts) {
	orbit := facts.Orbit
	if ref == nil || orbit == nil || orbit.GRPCEndpoint == "" || !since104(facts.ChartVersion) {
		return
	}
	const field = "spec.orbitRef"
	b.Set(field, true, "global", "appConfig", "orbit", "enabled")
	b.Set(field, orbit.GRPCEndpoint, "global", "appConfig", "orbit", "grpcEndpoint")
	if orbit.JWTSecretName != "" {
		b.Set(field, orbit.JWTSecretName, "global", "appConfig", "orbit", "jwtSecret", "secret")
	}
	if orbit.JWTSecretKey != "" {
		b.Set(field, orbit.JWTSecretKey, "global", "appConfig", "orbit", "jwtSecret", "key")
	}
}

// since104 reports whether a chart version is of the minor 10.4 or a later one, which knows an Orbit and the resources of
// a Gateway; pre-releases of 10.4 count.
func since104(version string) bool {
	v, err := semver.NewVersion(version)
	if err != nil {
		return false
	}
	return v.Major() > 10 || (v.Major() == 10 && v.Minor() >= 4)
}
