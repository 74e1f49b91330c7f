//go:build bridge

package role_test

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

const (
	instance, plain, siphon, orbit = "instance", "plain", "events", "graph"
	siphonVersion, orbitVersion    = "1.18.0", "4.1.0"
	// hookJob is a hook of the instance that no chart deletes.
	hookJob = "instance-check"
	shell   = "instance-gitlab-shell"
)

func named(name string) client.ObjectKey { return client.ObjectKey{Namespace: place, Name: name} }

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: place, Name: name} }

func secretKey(name string) v2alpha1.SecretKeyRef {
	return v2alpha1.SecretKeyRef{Name: name, Key: "password"}
}

// sources are the objects the instance takes its version and some of its values from.
func sources() (*corev1.ConfigMap, *corev1.Secret) {
	versions, more := &corev1.ConfigMap{ObjectMeta: meta("versions")}, &corev1.Secret{ObjectMeta: meta("more")}
	for _, o := range []client.Object{versions, more} {
		o.SetLabels(map[string]string{object.LabelConfigSource: "true"})
	}
	versions.Data = map[string]string{"chart": "10.5.0"}
	more.StringData = map[string]string{"values.yaml": "global: {hosts: {https: true}}\n"}
	return versions, more
}

// newCore is an instance with everything its chart brings by default, a GitLabSecrets among it, and a GatewayClass and a
// hook of its own.
func newCore() *v2alpha1.GitLabCore {
	return &v2alpha1.GitLabCore{
		ObjectMeta: meta(instance),
		Spec: v2alpha1.GitLabCoreSpec{
			Version: v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, VersionRef: &v2alpha1.VersionReference{
				Kind: v2alpha1.VersionReferenceConfigMap, Name: "versions", Key: "chart",
			}},
			Hostname:      "gitlab.example.com",
			PostgreSQL:    &v2alpha1.Connection{Host: "postgresql", PasswordSecretRef: secretKey("postgresql")},
			Redis:         &v2alpha1.Connection{Host: "redis", PasswordSecretRef: secretKey("redis")},
			ObjectStorage: &v2alpha1.ObjectStorage{ConnectionSecretRef: secretKey("storage")},
			ClickHouse: &v2alpha1.ClickHouse{
				URL: "https://clickhouse:8443", Database: "gitlab", Username: "gitlab", PasswordSecretRef: secretKey("clickhouse"),
			},
			Networking: &v2alpha1.Networking{EnvoyGatewayController: &v2alpha1.EnvoyGatewayController{ControllerName: "gateway.example.com/shared"}},
			Chart: &v2alpha1.Chart{
				ValuesFrom: []v2alpha1.ValuesReference{{Kind: v2alpha1.ValuesReferenceSecret, Name: "more"}},
				Values: &apiextensionsv1.JSON{Raw: []byte(`{"extraResources":[{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"` + hookJob + `","annotations":{"helm.sh/hook":"pre-install"}},
					"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"check","image":"registry.example.com/check:1"}]}}}}]}`)},
			},
		},
	}
}

// newPlain is an instance without a networking mode, whose Secrets the Job of an older chart makes.
func newPlain() *v2alpha1.GitLabCore {
	core := newCore()
	core.Name, core.Spec.Version = plain, v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: "10.4.1"}
	core.Spec.Networking, core.Spec.Chart = nil, nil
	return core
}

func newSiphon() *v2alpha1.Siphon {
	return &v2alpha1.Siphon{
		ObjectMeta: meta(siphon),
		Spec: v2alpha1.SiphonSpec{
			GitLabRef: v2alpha1.GitLabReference{Name: instance},
			Version:   v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, Version: siphonVersion},
			Source:    v2alpha1.SiphonSource{Host: "postgresql", PasswordSecretRef: secretKey("siphon-postgresql")},
			Queue:     v2alpha1.SiphonQueue{URL: "nats://nats:4222"},
			Sink:      v2alpha1.SiphonSink{Host: "clickhouse", Database: "gitlab", Username: "siphon", PasswordSecretRef: secretKey("siphon-clickhouse")},
		},
	}
}

func newOrbit() *v2alpha1.Orbit {
	return &v2alpha1.Orbit{
		ObjectMeta: meta(orbit),
		Spec: v2alpha1.OrbitSpec{
			GitLabRef:    v2alpha1.GitLabReference{Name: instance},
			SiphonRef:    v2alpha1.SiphonReference{Name: siphon},
			Version:      v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, Version: orbitVersion},
			Datalake:     v2alpha1.OrbitDatalake{Username: "datalake", PasswordSecretRef: secretKey("orbit-datalake")},
			Graph:        v2alpha1.OrbitGraph{Host: "clickhouse-graph", Database: "graph", Username: "writer", PasswordSecretRef: secretKey("orbit-graph")},
			JWTSecretRef: v2alpha1.SecretKeyRef{Name: "orbit-jwt", Key: "key"},
			TLS:          &v2alpha1.OrbitTLS{SecretName: "orbit-tls"},
		},
	}
}
