package crd_test

import (
	"context"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/test/invalid"
)

var _ = Describe("A GitLabSecrets", func() {
	It("is accepted and stored where it reaches every bound at once", func(ctx SpecContext) {
		largest := invalid.LargestGitLabSecrets()
		largest.SetNamespace(metav1.NamespaceDefault)
		Expect(cluster.Create(ctx, largest, client.FieldValidation(metav1.FieldValidationStrict))).To(Succeed())
		largest.SetLabels(map[string]string{"changed": "true"})
		Expect(cluster.Update(ctx, largest)).To(Succeed())
		Expect(cluster.Delete(ctx, largest)).To(Succeed())
	})

	It("gets no value from the definition, so that nothing looks written that was not", func(ctx SpecContext) {
		fresh := drafted("bare")
		Expect(cluster.Create(ctx, fresh, client.DryRunAll)).To(Succeed())
		entry := fresh.Object["spec"].(map[string]any)["secrets"].([]any)[0]
		Expect(entry).NotTo(HaveKey("type"))
	})

	Context("with fields of an earlier draft, spec.policy and authority.expiry", func() {
		for _, undeclared := range []struct{ name, path string }{
			{"policy-of-a-draft", "spec.policy"}, {"authority-expiry-of-a-draft", "spec.certificates[0].authority.expiry"},
		} {
			It("is refused by strict validation: "+undeclared.path, func(ctx SpecContext) {
				Expect(ask(ctx, drafted(undeclared.name), nil)).To(MatchError(ContainSubstring(`unknown field "` + undeclared.path + `"`)))
			})

			It("is refused by a server-side apply: "+undeclared.path, func(ctx SpecContext) {
				u := drafted(undeclared.name)
				u.SetNamespace(metav1.NamespaceDefault)
				err := cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("draft"), client.DryRunAll)
				Expect(err).To(MatchError(ContainSubstring("field not declared in schema")))
				Expect(apierrors.IsInvalid(err)).To(BeFalse(), "the schema of a server-side apply says it, not the definition: %v", err)
			})

			It("is stored without them otherwise, with a warning: "+undeclared.path, func(ctx SpecContext) {
				var heard warnings
				config := rest.CopyConfig(server.Config)
				config.WarningHandlerWithContext = &heard
				listening := server.Connect(GinkgoTB(), config)
				u := drafted(undeclared.name)
				u.SetNamespace(metav1.NamespaceDefault)
				Expect(listening.Create(ctx, u, client.DryRunAll, client.FieldValidation(metav1.FieldValidationWarn))).To(Succeed())
				Expect(heard).To(ConsistOf(`unknown field "` + undeclared.path + `"`))
				Expect(offline.Unknown(u)).To(BeEmpty())
			})
		}
	})
})

// warnings collects what the API server says beside an answer.
type warnings []string

var _ rest.WarningHandlerWithContext = (*warnings)(nil)

// HandleWarningHeaderWithContext takes in one warning.
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, code int, _, text string) {
	if code == http.StatusNonAuthoritativeInfo || text != "" {
		*w = append(*w, text)
	}
}

// drafted returns a broken example by its name; bare is a right one without anything it could leave out.
func drafted(name string) *unstructured.Unstructured {
	GinkgoHelper()
	if name == "bare" {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabSecrets",
			"metadata": map[string]any{"name": name, "namespace": metav1.NamespaceDefault},
			"spec": map[string]any{"secrets": []any{map[string]any{
				"name": "gitlab-secret", "generators": []any{map[string]any{"type": "bytes", "key": "secret", "length": int64(32)}},
			}}},
		}}
	}
	examples, err := invalid.Examples("gitlabsecrets")
	Expect(err).NotTo(HaveOccurred())
	for _, e := range examples {
		if e.Name == name {
			return e.Object
		}
	}
	Fail("there is no example " + name)
	return nil
}
