package derive

import (
	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// The environment variables that hold the credentials in a pod. The configuration names them as ${NAME}.
const (
	envSourcePassword = "SIPHON_DB_PASSWORD"
	envSinkPassword   = "CLICKHOUSE_PASSWORD"
	envQueueUsername  = "NATS_USERNAME"
	envQueuePassword  = "NATS_PASSWORD"
)

// natsCertificates is where the chart mounts the Secret with the certificates of NATS.
const natsCertificates = "/etc/ssl/certs/custom/"

// metricsPort is where every pod serves its metrics.
const metricsPort = 8080

// block is a part of the values that is set leaf by leaf.
type block struct {
	b    *values.Builder
	path []string
}

func (k block) at(keys ...string) block { return block{k.b, under(k.path, keys...)} }

func (k block) set(field string, value any, keys ...string) {
	k.b.Set(field, value, under(k.path, keys...)...)
}

// orDefault sets what a person wrote, or what its absence means as a default of the operator's.
func orDefault[T comparable](k block, field string, written, absent T, key string) {
	var none T
	if written == none {
		k.set(operatorOwn, absent, key)
		return
	}
	k.set(field, written, key)
}

// setConnection writes the file all three deployments share: how to reach PostgreSQL, NATS and ClickHouse.
func setConnection(b *values.Builder, spec v2alpha1.SiphonSpec) {
	content := block{b, []string{"siphonConnectionConfigMap", "data"}}
	content.set(operatorOwn, metricsPort, "prometheus", "port")
	content.set(operatorOwn, sourceKey, "overrides", producerID, "database_ref")

	connection := content.at("connection")
	// The publication belongs to GitLab's role, so that Siphon's may change it only through a function.
	connection.set(operatorOwn, true, "replication", "use_alter_publication_function")
	setSource(connection.at("databases", sourceKey), spec.Source)
	setQueue(connection.at("queueing"), spec.Queue)
	setSink(connection.at("clickhouse"), spec.Sink)
}

func setSource(k block, s v2alpha1.SiphonSource) {
	const field = "spec.source"
	k.set(field+".host", s.Host, "host")
	orDefault(k, field+".port", s.Port, v2alpha1.DefaultSourcePort, "port")
	orDefault(k, field+".database", s.Database, v2alpha1.DefaultSourceDatabase, "database")
	orDefault(k, field+".user", s.User, v2alpha1.DefaultSourceUser, "user")
	k.set(field+".passwordSecretRef", expanded(envSourcePassword), "password")
	// Siphon spells it with an underscore, unlike PostgreSQL's own sslmode.
	orDefault(k, field+".sslMode", string(s.SSLMode), string(v2alpha1.SSLModeRequire), "ssl_mode")
	orDefault(k, field+".advisoryLockID", s.AdvisoryLockID, v2alpha1.DefaultAdvisoryLockID, "advisory_lock_id")
	k.set(operatorOwn, producerID, "application_name")
	// A producer does not start without these four.
	k.set(operatorOwn, 100, "advisory_lock_timeout_ms")
	k.set(operatorOwn, 50, "advisory_lock_timeout_fuzziness_ms")
	k.set(operatorOwn, 500, "lock_timeout_ms")
	k.set(operatorOwn, 300, "lock_timeout_fuzziness_ms")
}

func setQueue(k block, q v2alpha1.SiphonQueue) {
	const field = "spec.queue"
	k.set(operatorOwn, "nats", "driver")
	k.set(field+".url", q.URL, "url")
	k.set(operatorOwn, StreamName, "stream_name")
	// One bucket under two names: the producer creates the first, every pod opens the second.
	k.set(operatorOwn, oversizeBucket, "oversize_bucket_name")
	k.set(operatorOwn, "nats-object-storage", "object_storage_config", "identifier")
	k.set(operatorOwn, "nats", "object_storage_config", "type")
	k.set(operatorOwn, oversizeBucket, "object_storage_config", "bucket_name")
	if q.Auth != nil {
		k.set(field+".auth.usernameSecretRef", expanded(envQueueUsername), "username")
		k.set(field+".auth.passwordSecretRef", expanded(envQueuePassword), "password")
	}
	if t := q.TLS; t != nil {
		tls := k.at("tls_config")
		orDefault(tls, field+".tls.caCertKey", mounted(t.CACertKey), mounted(v2alpha1.DefaultCACertKey), "ca_cert_path")
		orDefault(tls, field+".tls.clientCertKey", mounted(t.ClientCertKey), mounted(v2alpha1.DefaultClientCertKey), "client_cert_path")
		orDefault(tls, field+".tls.clientKeyKey", mounted(t.ClientKeyKey), mounted(v2alpha1.DefaultClientKeyKey), "client_key_path")
	}
}

// mounted is the file of a key of the Secret with the certificates, "" for no key.
func mounted(key string) string {
	if key == "" {
		return ""
	}
	return natsCertificates + key
}

func setSink(k block, s v2alpha1.SiphonSink) {
	const field = "spec.sink"
	k.set(field+".host", s.Host, "host")
	orDefault(k, field+".port", s.Port, v2alpha1.DefaultSinkPort, "port")
	k.set(field+".database", s.Database, "database")
	k.set(field+".username", s.Username, "username")
	k.set(field+".passwordSecretRef", expanded(envSinkPassword), "password")
	orDefault(k, field+".ssl", s.SSL, false, "ssl")
}

func expanded(env string) string { return "${" + env + "}" }

// credentials are the entries of envFromSecrets. The list is one value, so that no smaller field than the spec holds it.
func credentials(spec v2alpha1.SiphonSpec) []any {
	out := []any{
		fromSecret(envSourcePassword, spec.Source.PasswordSecretRef),
		fromSecret(envSinkPassword, spec.Sink.PasswordSecretRef),
	}
	if auth := spec.Queue.Auth; auth != nil {
		out = append(out, fromSecret(envQueueUsername, auth.UsernameSecretRef), fromSecret(envQueuePassword, auth.PasswordSecretRef))
	}
	return out
}

func fromSecret(env string, ref v2alpha1.SecretKeyRef) map[string]any {
	return map[string]any{"name": env, "secretName": ref.Name, "secretKey": ref.Key}
}

// setLayout writes the file that says which deployment does what. GitLab's schema is split three ways even on one
// database, so the two other parts are mapped to it.
func setLayout(b *values.Builder) {
	content := block{b, []string{"siphonLayoutConfigMap", "data"}}
	content.set(operatorOwn, StreamName, "stream_name")
	content.set(operatorOwn, "inline", "refresh_mode")
	content.set(operatorOwn, 5, "max_parallel_workers")
	content.set(operatorOwn, []any{producerID}, "producers", sourceKey)
	content.set(operatorOwn, []any{consumerID}, "consumers")
	content.set(operatorOwn, []any{reconcilerID}, "reconcilers")
	content.set(operatorOwn, sourceKey, "database_mapping", "ci")
	content.set(operatorOwn, sourceKey, "database_mapping", "sec")
}
