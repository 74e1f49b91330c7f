package apps

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// gatewayChart is the first chart that provisions a Gateway the way the two modes need, and that knows an Orbit.
const gatewayChart = "10.4.0"

// NetworkingNeedsNewerChart refuses the two modes that provision a Gateway below the first chart that can.
func NetworkingNeedsNewerChart(n *v2alpha1.Networking, target *semver.Version) []rules.Fault {
	if n == nil || !before(target, 10, 4) {
		return nil
	}
	var faults []rules.Fault
	for _, mode := range []struct {
		set  bool
		name string
	}{{n.EnvoyGatewayController != nil, "envoyGatewayController"}, {n.GatewayClass != nil, "gatewayClass"}} {
		if mode.set {
			faults = append(faults, rules.Fault{
				Code: rules.FeatureNeedsVersion, Field: "spec.networking." + mode.name, Value: digest(target.Original()),
				Message: fmt.Sprintf("needs chart %s or later, and the version is %s: choose a later version, or the mode gateway",
					gatewayChart, target.Original()),
			})
		}
	}
	return faults
}

// OrbitNeedsNewerChart warns that a reference to an Orbit does nothing below the first chart that knows one.
func OrbitNeedsNewerChart(ref *v2alpha1.OrbitReference, target *semver.Version) []rules.Fault {
	if ref == nil || !before(target, 10, 4) {
		return nil
	}
	return []rules.Fault{{
		Severity: rules.Warning, Code: rules.FeatureNeedsVersion, Field: "spec.orbitRef", Value: digest(target.Original()),
		Message: fmt.Sprintf("has no effect below chart %s, and the version is %s", gatewayChart, target.Original()),
	}}
}

// before compares the minor alone, so that a pre-release of the first chart counts as that chart.
func before(v *semver.Version, major, minor uint64) bool {
	return v.Major() < major || (v.Major() == major && v.Minor() < minor)
}
