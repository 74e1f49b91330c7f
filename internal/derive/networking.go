package derive

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// The annotations by which cert-manager signs a Gateway's certificates.
const (
	annotationIssuer        = "cert-manager.io/issuer"
	annotationClusterIssuer = "cert-manager.io/cluster-issuer"
)

// setNetworking writes the one mode that is chosen. Without a mode the Gateway API is off, as a default that the
// free-form values may replace: networking is theirs then.
func setNetworking(b *values.Builder, obj *v2alpha1.GitLabCore, chartVersion string) {
	n := obj.Spec.Networking
	switch {
	case n != nil && n.EnvoyGatewayController != nil:
		setEnvoyGatewayController(b, obj, n.EnvoyGatewayController)
	case n != nil && n.GatewayClass != nil:
		setGatewayClass(b, n.GatewayClass)
	case n != nil && n.Gateway != nil:
		setGateway(b, obj.Namespace, n.Gateway, chartVersion)
	default:
		b.Set(operatorOwn, false, "global", "gatewayApi", "enabled")
		b.Set(operatorOwn, false, "global", "gatewayApi", "installEnvoy")
	}
}

func setEnvoyGatewayController(b *values.Builder, obj *v2alpha1.GitLabCore, e *v2alpha1.EnvoyGatewayController) {
	const field = "spec.networking.envoyGatewayController"
	enableGatewayAPI(b, field)
	b.Set(field, true, "global", "gatewayApi", "configureEnvoy")
	b.Set(field, GatewayClassName(obj.Namespace, obj.Name), "gatewayApiResources", "class", "name")
	b.Set(field+".controllerName", e.ControllerName, "gatewayApiResources", "class", "controllerName")
	setIssuer(b, field, e.CertManager)
}

func setGatewayClass(b *values.Builder, c *v2alpha1.GatewayClass) {
	const field = "spec.networking.gatewayClass"
	enableGatewayAPI(b, field)
	b.Set(field, false, "gatewayApiResources", "class", "enabled")
	b.Set(field+".name", c.Name, "gatewayApiResources", "class", "name")
	configureEnvoy(b, field, c.ConfigureEnvoy)
	setIssuer(b, field, c.CertManager)
}

func setGateway(b *values.Builder, namespace string, g *v2alpha1.Gateway, chartVersion string) {
	const field = "spec.networking.gateway"
	enableGatewayAPI(b, field)
	if since104(chartVersion) {
		// An older chart has no such value, and one with a strict schema refuses it.
		b.Set(field, false, "gatewayApiResources", "class", "enabled")
	}
	b.Set(field+".name", g.Name, "global", "gatewayApi", "gatewayRef", "name")
	switch {
	case g.Namespace != "":
		b.Set(field+".namespace", g.Namespace, "global", "gatewayApi", "gatewayRef", "namespace")
	case namespace != "":
		b.Set(operatorOwn, namespace, "global", "gatewayApi", "gatewayRef", "namespace")
	}
	configureEnvoy(b, field, g.ConfigureEnvoy)
}

// enableGatewayAPI turns routes on. The chart's own issuer stays off in every mode: it asks for an e-mail address that
// no field carries.
func enableGatewayAPI(b *values.Builder, field string) {
	b.Set(field, true, "global", "gatewayApi", "enabled")
	b.Set(operatorOwn, false, "global", "gatewayApi", "configureCertmanager")
}

// configureEnvoy writes the switch only where it is on. Unset it mirrors installEnvoy, which is off by override, and a
// chart below 10.4 does not know it.
func configureEnvoy(b *values.Builder, field string, on bool) {
	if on {
		b.Set(field+".configureEnvoy", true, "global", "gatewayApi", "configureEnvoy")
	}
}

func setIssuer(b *values.Builder, field string, c *v2alpha1.CertManager) {
	if c == nil {
		return
	}
	annotation := annotationIssuer
	if c.IssuerRef.Kind == v2alpha1.IssuerKindClusterIssuer {
		annotation = annotationClusterIssuer
	}
	b.Set(field+".certManager.issuerRef.name", c.IssuerRef.Name, "gatewayApiResources", "gateway", "annotations", annotation)
}

// maxClassName is the longest class name that also fits a label value.
const maxClassName = 63

// GatewayClassName returns the name of the GatewayClass an instance provisions: namespace, dot, name. A dash would let
// a-b/c and a/b-c collide. A longer name than 63 characters is cut and ends in a dash and 8 characters of its hash.
func GatewayClassName(namespace, name string) string {
	full := namespace + "." + name
	if len(full) <= maxClassName {
		return full
	}
	sum := sha256.Sum256([]byte(full))
	suffix := "-" + hex.EncodeToString(sum[:])[:8]
	return strings.TrimRight(full[:maxClassName-len(suffix)], "-.") + suffix
}
