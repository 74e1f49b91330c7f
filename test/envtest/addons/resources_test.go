package addons_test

import (
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// The names of the three resources of a spec, and what the last two make of theirs.
const (
	instanceName = "gitlab"
	siphonName   = "events"
	orbitName    = "graph"

	producer   = "events-siphon-producer-main"
	consumer   = "events-siphon-consumer-clickhouse"
	reconciler = "events-siphon-reconciler-clickhouse"
	tablesMap  = "events-siphon-tables"

	webserver  = "graph-orbit-webserver"
	dispatcher = "graph-orbit-dispatcher"
	sdlc       = "graph-orbit-indexer-sdlc"
	code       = "graph-orbit-indexer-code"

	stream = "siphon_stream_main_db"
)

func secretKey(name string) v2alpha1.SecretKeyRef {
	return v2alpha1.SecretKeyRef{Name: name, Key: "password"}
}

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

func static(version string) v2alpha1.StaticVersion {
	return v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, Version: version}
}

func referenced(name string) v2alpha1.StaticVersion {
	return v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, VersionRef: &v2alpha1.VersionReference{
		Kind: v2alpha1.VersionReferenceConfigMap, Name: name, Key: "chart",
	}}
}

func freeForm(values string) *v2alpha1.ChartValues {
	return &v2alpha1.ChartValues{Values: &apiextensionsv1.JSON{Raw: []byte(values)}}
}

// newCore is an instance with ClickHouse, and as small as its chart allows.
func newCore(namespace string) *v2alpha1.GitLabCore {
	return &v2alpha1.GitLabCore{
		ObjectMeta: meta(namespace, instanceName),
		Spec: v2alpha1.GitLabCoreSpec{
			Version:       v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: "10.4.0"},
			Hostname:      "gitlab.example.com",
			PostgreSQL:    &v2alpha1.Connection{Host: "postgresql", PasswordSecretRef: secretKey("postgresql")},
			Redis:         &v2alpha1.Connection{Host: "redis", PasswordSecretRef: secretKey("redis")},
			ObjectStorage: &v2alpha1.ObjectStorage{ConnectionSecretRef: secretKey("storage")},
			ClickHouse: &v2alpha1.ClickHouse{
				URL: "https://clickhouse:8443", Database: "gitlab", Username: "gitlab", PasswordSecretRef: secretKey("clickhouse"),
			},
			Chart: &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(
				`{"shared-secrets":{"enabled":false},"prometheus":{"install":false},"gitlab":{"toolbox":{"enabled":false}}}`)}},
		},
	}
}

// running is the status of an instance that serves.
func running(core *v2alpha1.GitLabCore) {
	core.Status.GitLabVersion, core.Status.Version = "19.4.0", "10.4.0"
	core.Status.Conditions = available(metav1.ConditionTrue, "")
}

// available is what a neighbour says of itself.
func available(status metav1.ConditionStatus, because string) []metav1.Condition {
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	reason := "WorkloadsReady"
	if status != metav1.ConditionTrue {
		reason = "WorkloadsNotReady"
	}
	var out []metav1.Condition
	for _, t := range []string{v2alpha1.ConditionAvailable, v2alpha1.ConditionReady} {
		out = append(out, metav1.Condition{Type: t, Status: status, Reason: reason, Message: because, LastTransitionTime: now})
	}
	return out
}

func newSiphon(namespace string) *v2alpha1.Siphon {
	return &v2alpha1.Siphon{
		ObjectMeta: meta(namespace, siphonName),
		Spec: v2alpha1.SiphonSpec{
			GitLabRef: v2alpha1.GitLabReference{Name: instanceName},
			Version:   static("1.18.0"),
			Source:    v2alpha1.SiphonSource{Host: "postgresql", PasswordSecretRef: secretKey("siphon-postgresql")},
			Queue:     v2alpha1.SiphonQueue{URL: "nats://nats:4222"},
			Sink: v2alpha1.SiphonSink{
				Host: "clickhouse", Database: "gitlab", Username: "siphon", PasswordSecretRef: secretKey("siphon-clickhouse"),
			},
		},
	}
}

// publishing is the status of a Siphon that works.
func publishing(siphon *v2alpha1.Siphon) {
	siphon.Status.GitLabVersion, siphon.Status.Version, siphon.Status.StreamName = "19.4.0", "1.18.0", stream
	siphon.Status.Conditions = available(metav1.ConditionTrue, "")
}

func newOrbit(namespace string) *v2alpha1.Orbit {
	return &v2alpha1.Orbit{
		ObjectMeta: meta(namespace, orbitName),
		Spec: v2alpha1.OrbitSpec{
			GitLabRef: v2alpha1.GitLabReference{Name: instanceName},
			SiphonRef: v2alpha1.SiphonReference{Name: siphonName},
			Version:   static("4.1.0"),
			Datalake:  v2alpha1.OrbitDatalake{Username: "datalake", PasswordSecretRef: secretKey("orbit-datalake")},
			Graph: v2alpha1.OrbitGraph{
				Host: "clickhouse-graph", Database: "graph", Username: "writer", PasswordSecretRef: secretKey("orbit-graph"),
			},
			JWTSecretRef: v2alpha1.SecretKeyRef{Name: "orbit-jwt", Key: "key"},
			TLS:          &v2alpha1.OrbitTLS{SecretName: "orbit-tls"},
		},
	}
}
