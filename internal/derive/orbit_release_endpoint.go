package derive

import (
	"strconv"
	"strings"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// grpcPort is where the chart's webserver serves gRPC unless the values say otherwise.
const grpcPort = 50054

// maxFullName is where the chart cuts the name its objects begin with.
const maxFullName = 63

// Endpoint returns the tls:// address at which the webserver of an Orbit is reached inside the cluster, and the Secret
// key with the certificate it is trusted by. Both are absent while the webserver serves no TLS: whatever ends TLS in
// front of it is not visible here, and GitLab accepts a tls:// address only. The values are those Orbit made, so that
// free-form ones count: a certificate, a port or a name of their own.
func Endpoint(obj *v2alpha1.Orbit, e values.Effective) (endpoint string, ca *v2alpha1.ReportedSecretKey) {
	enabled, _ := switchAt(e, "tls", "enabled")
	secret := textAt(e, "tls", "existingSecret")
	if !enabled || secret == "" {
		return "", nil
	}
	host := orbitFullName(obj.Name, e) + "-webserver." + obj.Namespace + ".svc"
	port := grpcPort
	if written, ok := numberAt(e, "webserver", "service", "grpcPort"); ok {
		port = written
	}
	return "tls://" + host + ":" + strconv.Itoa(port), &v2alpha1.ReportedSecretKey{Name: secret, Key: v2alpha1.DefaultCAKey}
}

// orbitFullName is what the chart puts before the name of every object: <release>-orbit, or the release alone when it
// ends in the name.
func orbitFullName(release string, e values.Effective) string {
	full := textAt(e, "fullnameOverride")
	if full == "" {
		name := cutName(textAt(e, "nameOverride"))
		if name == "" {
			name = "orbit"
		}
		if full = release; !strings.HasSuffix(release, name) {
			full = release + "-" + name
		}
	}
	return cutName(full)
}

func cutName(name string) string {
	return strings.TrimSuffix(name[:min(len(name), maxFullName)], "-")
}

func textAt(e values.Effective, path ...string) string {
	value, _ := e.Lookup(path)
	text, _ := value.(string)
	return text
}

func numberAt(e values.Effective, path ...string) (int, bool) {
	value, _ := e.Lookup(path)
	number, ok := value.(float64)
	return int(number), ok
}
