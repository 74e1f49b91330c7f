// Package apply_test holds internal/apply to a real API server: what server-side apply does with ownership, nulls,
// conflicts and preconditions is decided there and nowhere else.
package apply_test

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

const manager = "gitlabcore-controller"

var (
	server *world.Server
	live   client.WithWatch
)

func TestApply(t *testing.T) {
	server = world.Start(t, []*apiextensionsv1.CustomResourceDefinition{
		definition("Class", "classes", apiextensionsv1.ClusterScoped),
		definition("Widget", "widgets", apiextensionsv1.NamespaceScoped),
	})
	live = server.Live
	RegisterFailHandler(Fail)
	RunSpecs(t, "apply and prune against a real API server")
}

// definition returns a definition in a group of the suite's own.
func definition(kind, plural string, scope apiextensionsv1.ResourceScope) *apiextensionsv1.CustomResourceDefinition {
	anything := true
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + ".suite.portcullis.dev"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "suite.portcullis.dev",
			Scope: scope,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, ListKind: kind + "List", Plural: plural, Singular: plural[:len(plural)-1]},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &anything,
				}},
			}},
		},
	}
}

// release is one owner in a namespace of its own, with an engine to apply for it.
type release struct {
	owner  apply.Owner
	engine *apply.Engine
}

// newRelease makes a namespace and an owner in it. The owner is a ConfigMap, since the engine knows no kind of ours.
func newRelease(ctx context.Context, c client.Client) release {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "apply-"}}
	Expect(live.Create(ctx, namespace)).To(Succeed())
	return ownerIn(ctx, c, namespace.Name, "acme", "gitlabcore")
}

// ownerIn makes an owner of a release kind in a namespace.
func ownerIn(ctx context.Context, c client.Client, namespace, name, kind string) release {
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: kind + "-" + name}}
	Expect(live.Create(ctx, owner)).To(Succeed())
	return release{
		owner: apply.Owner{
			Release: object.Release{Name: name, Namespace: namespace, Kind: kind},
			Object:  owner,
			GVK:     corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		},
		engine: &apply.Engine{Client: c, Manager: manager},
	}
}

func (r release) namespace() string { return r.owner.Release.Namespace }

// apply applies manifests and returns what became of them.
func (r release) apply(ctx context.Context, manifests ...string) apply.ChangeSet {
	return r.engine.Apply(ctx, r.owner, decode(manifests...), apply.Options{})
}

// mustApply applies manifests that have to succeed.
func (r release) mustApply(ctx context.Context, manifests ...string) apply.ChangeSet {
	GinkgoHelper()
	changes := r.apply(ctx, manifests...)
	Expect(changes.Failed()).To(BeEmpty())
	return changes
}

// decode reads manifests as a render hands them over.
func decode(manifests ...string) []*unstructured.Unstructured {
	GinkgoHelper()
	var out []*unstructured.Unstructured
	for _, manifest := range manifests {
		u := &unstructured.Unstructured{}
		Expect(yaml.Unmarshal([]byte(manifest), &u.Object)).To(Succeed())
		out = append(out, u)
	}
	return out
}

// configMap is a manifest without a namespace, as some charts write them.
func configMap(name, value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {key: %q}}", name, value)
}

// fetch reads an object of a kind, nil when it is not there.
func fetch(ctx context.Context, apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	GinkgoHelper()
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	err := live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, u)
	if client.IgnoreNotFound(err) == nil && err != nil {
		return nil
	}
	Expect(err).NotTo(HaveOccurred())
	return u
}

// actions prints a change set as "action Kind/name" lines.
func actions(changes apply.ChangeSet) []string {
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %s/%s", c.Action, c.Ref.GVK.Kind, c.Ref.Name))
	}
	return out
}
