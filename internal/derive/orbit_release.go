package derive

import (
	"text/template"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// OrbitFacts is what the values of an Orbit depend on beside its spec.
type OrbitFacts struct {
	// GitLabURL is the address of the instance, such as https://gitlab.example.com; empty while it is not known.
	GitLabURL string
	// Siphon is the one of spec.siphonRef, nil while it is not known.
	Siphon *v2alpha1.Siphon
	// StreamName is the NATS stream the Siphon says it publishes to; empty while it says none.
	StreamName string
	// PodMonitors and PrometheusRules say that the cluster serves these kinds of monitoring.coreos.com/v1.
	PodMonitors, PrometheusRules bool
}

const (
	fieldGitLabRef = "spec.gitlabRef"
	fieldSiphonRef = "spec.siphonRef"
)

// Orbit returns the layers of an Orbit, lowest first: structured fields with the operator's defaults, the free-form
// values, the overrides. Nothing takes the place of a fact that is not known: the chart refuses to render without it.
// The error is a *FieldError.
func Orbit(obj *v2alpha1.Orbit, facts OrbitFacts) ([]values.Layer, error) {
	freeForm, err := addOnValues(obj.Spec.Chart)
	if err != nil {
		return nil, err
	}
	b := values.NewBuilder(values.Derived)
	if facts.GitLabURL != "" {
		b.Set(fieldGitLabRef, facts.GitLabURL, "gitlab", "baseUrl")
	}
	setDatalake(b, obj.Spec.Datalake)
	setGraph(block{b, []string{"clickhouse", "graph"}}, obj.Spec.Graph)
	setOrbitSecrets(b, obj.Spec)
	setFromSiphon(b, facts)
	setOrbitTLS(b, obj.Spec.TLS)
	setMonitoring(b, facts, values.Merge(freeForm))
	// The chart turns product analytics on, which a self-managed instance is to leave off.
	b.Set(operatorOwn, false, "analytics", "enabled")
	return []values.Layer{b.Layer(), freeForm, orbitOverrides()}, nil
}

func setDatalake(b *values.Builder, d v2alpha1.OrbitDatalake) {
	b.Set("spec.datalake.username", d.Username, "clickhouse", "datalake", "user")
}

func setGraph(k block, g v2alpha1.OrbitGraph) {
	const field = "spec.graph"
	k.set(field+".host", g.Host, "host")
	orDefault(k, field+".port", g.Port, v2alpha1.DefaultGraphPort, "httpPort")
	k.set(field+".database", g.Database, "database")
	k.set(field+".username", g.Username, "user")
	orDefault(k, field+".ssl", g.SSL, false, "ssl")
	if g.ReadUsername != "" {
		k.set(field+".readUsername", g.ReadUsername, "readUser")
		return
	}
	k.set(field+".username", g.Username, "readUser")
}

// setOrbitSecrets names the Secret key of every credential. One key signs and verifies, and whoever writes the graph
// also reads it where no reader is named.
func setOrbitSecrets(b *values.Builder, spec v2alpha1.OrbitSpec) {
	perKey := block{b, []string{"secrets", "perKey"}}
	set := func(credential, field string, ref v2alpha1.SecretKeyRef) {
		perKey.set(field+".name", ref.Name, credential, "secretName")
		perKey.set(field+".key", ref.Key, credential, "key")
	}
	set("gitlabJwtVerifyingKey", "spec.jwtSecretRef", spec.JWTSecretRef)
	set("gitlabJwtSigningKey", "spec.jwtSecretRef", spec.JWTSecretRef)
	set("datalakePassword", "spec.datalake.passwordSecretRef", spec.Datalake.PasswordSecretRef)
	set("graphPassword", "spec.graph.passwordSecretRef", spec.Graph.PasswordSecretRef)
	if read := spec.Graph.ReadPasswordSecretRef; read != nil {
		set("graphReadPassword", "spec.graph.readPasswordSecretRef", *read)
		return
	}
	set("graphReadPassword", "spec.graph.passwordSecretRef", spec.Graph.PasswordSecretRef)
}

// setFromSiphon takes over where the Siphon writes to and publishes. Never its port: that one speaks ClickHouse's native
// protocol, and Orbit speaks HTTP.
func setFromSiphon(b *values.Builder, facts OrbitFacts) {
	if facts.StreamName != "" {
		b.Set(fieldSiphonRef, facts.StreamName, "nats", "streamName")
	}
	if facts.Siphon == nil {
		return
	}
	sink, queue := facts.Siphon.Spec.Sink, facts.Siphon.Spec.Queue
	b.Set(fieldSiphonRef, sink.Host, "clickhouse", "datalake", "host")
	b.Set(fieldSiphonRef, sink.Database, "clickhouse", "datalake", "database")
	b.Set(fieldSiphonRef, queue.URL, "nats", "url")
	b.Set(fieldSiphonRef, queue.TLS != nil, "nats", "tls", "enabled")
	if queue.TLS == nil {
		return
	}
	b.Set(fieldSiphonRef, queue.TLS.SecretName, "nats", "tls", "existingSecret")
	for _, key := range []struct{ name, written, absent string }{
		{"caCert", queue.TLS.CACertKey, v2alpha1.DefaultCACertKey},
		{"clientCert", queue.TLS.ClientCertKey, v2alpha1.DefaultClientCertKey},
		{"clientKey", queue.TLS.ClientKeyKey, v2alpha1.DefaultClientKeyKey},
	} {
		if key.written == "" {
			key.written = key.absent
		}
		b.Set(fieldSiphonRef, key.written, "nats", "tls", "keys", key.name)
	}
}

func setOrbitTLS(b *values.Builder, tls *v2alpha1.OrbitTLS) {
	if tls == nil {
		return
	}
	b.Set("spec.tls", true, "tls", "enabled")
	b.Set("spec.tls.secretName", tls.SecretName, "tls", "existingSecret")
}

// setMonitoring turns the monitors on where the cluster serves them. The chart refuses alerts without metrics, so a
// person who turns the metrics off is not answered with a fault of alerts nobody asked for.
func setMonitoring(b *values.Builder, facts OrbitFacts, freeForm values.Effective) {
	if !facts.PodMonitors {
		return
	}
	b.Set(operatorOwn, true, "metrics", "prometheus", "enabled")
	metrics, said := switchAt(freeForm, "metrics", "prometheus", "enabled")
	if facts.PrometheusRules && (metrics || !said) {
		b.Set(operatorOwn, true, "alerts", "enabled")
	}
}

// orbitOverrides keeps the three workloads on, which the seed calls always on while the free-form values override every
// other value: a switched-off one would leave a deployment that never indexes, or that nobody can ask.
func orbitOverrides() values.Layer {
	b := values.NewBuilder(values.Override)
	for _, workload := range []string{"webserver", "dispatcher", "indexer"} {
		b.Set(operatorOwn, true, workload, "enabled")
	}
	return b.Layer()
}

// switchAt reports whether a template takes the value at a path as true, and whether there is one. True is anything but
// false, 0, null and what is empty, so the text "false" is true as well.
func switchAt(e values.Effective, path ...string) (on, said bool) {
	value, said := e.Lookup(path)
	if !said {
		return false, false
	}
	on, _ = template.IsTrue(value)
	return on, true
}
