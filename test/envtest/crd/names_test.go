package crd_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

const finalizer = "example.com/held"

// named returns the sample of a kind under another name, held by a finalizer.
func named(kind, name string) *unstructured.Unstructured {
	for _, u := range samples() {
		if u.GetKind() == kind {
			u.SetName(name)
			u.SetNamespace(metav1.NamespaceDefault)
			u.SetFinalizers([]string{finalizer})
			return u
		}
	}
	Fail("there is no sample of " + kind)
	return nil
}

// ruleOf reads the rules of a kind as a whole, and replaces them where there are others to set.
func ruleOf(ctx SpecContext, plural string, replacement []any) []any {
	GinkgoHelper()
	d := &unstructured.Unstructured{}
	d.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	d.SetAPIVersion("apiextensions.k8s.io/v1")
	Expect(cluster.Get(ctx, types.NamespacedName{Name: plural + ".apps.gitlab.com"}, d)).To(Succeed())
	versions, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
	root := versions[0].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	before, _ := root["x-kubernetes-validations"].([]any)
	delete(root, "x-kubernetes-validations")
	if replacement != nil {
		root["x-kubernetes-validations"] = replacement
	}
	Expect(unstructured.SetNestedSlice(d.Object, versions, "spec", "versions")).To(Succeed())
	Expect(cluster.Update(ctx, d)).To(Succeed())
	return before
}

// ofYesterday stores two objects from before there was a rule about names: one with a status, and one without.
func ofYesterday(ctx SpecContext, kind, plural string) (reported, silent *unstructured.Unstructured) {
	GinkgoHelper()
	was := ruleOf(ctx, plural, nil)
	Expect(was).NotTo(BeEmpty())
	reported, silent = named(kind, "bad.name"), named(kind, "bad.too")
	Eventually(func() error { return cluster.Create(ctx, reported) }).WithTimeout(20 * time.Second).Should(Succeed())
	Expect(cluster.Create(ctx, silent)).To(Succeed())
	reported.Object["status"] = map[string]any{"phase": "Running"}
	Expect(cluster.Status().Update(ctx, reported)).To(Succeed())
	ruleOf(ctx, plural, was)
	Eventually(func() bool { return apierrors.IsInvalid(cluster.Create(ctx, named(kind, "bad.new"), client.DryRunAll)) }).
		WithTimeout(20 * time.Second).Should(BeTrue())
	return reported, silent
}

// edited is the object with a change of its spec that no rule minds.
func edited(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	Expect(unstructured.SetNestedField(u.Object, map[string]any{"podLabels": map[string]any{"edited": "yes"}}, "spec", "chart", "values")).To(Succeed())
	return u
}

var _ = Describe("A name of yesterday", func() {
	for kind, plural := range map[string]string{"GitLabCore": "gitlabcores", "Siphon": "siphons", "Orbit": "orbits"} {
		It("keeps nobody from changing, reporting on and deleting what has it: "+kind, func(ctx SpecContext) {
			reported, silent := ofYesterday(ctx, kind, plural)

			for _, f := range offline.Check(edited(reported), reported) {
				Expect(f.Severity).To(Equal(rules.Warning), "%s: %s", f.Field, f.Message)
			}
			Expect(cluster.Update(ctx, edited(reported), client.DryRunAll)).To(Succeed())

			faults := offline.Check(edited(silent), silent)
			Expect(faults).To(HaveLen(1))
			Expect(faults[0].Severity).To(Equal(rules.Error))
			err := cluster.Update(ctx, edited(silent), client.DryRunAll)
			Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
			Expect(err.Error()).To(ContainSubstring("must be at most"))

			reported.Object["status"] = map[string]any{"phase": "Failed"}
			Expect(cluster.Status().Update(ctx, reported)).To(Succeed())
			silent.Object["status"] = map[string]any{"phase": "Preparing"}
			Expect(cluster.Status().Update(ctx, silent)).To(Succeed())
			for _, u := range []*unstructured.Unstructured{reported, silent} {
				Expect(cluster.Delete(ctx, u)).To(Succeed())
				Expect(cluster.Get(ctx, client.ObjectKeyFromObject(u), u)).To(Succeed())
				u.SetFinalizers(nil)
				Expect(cluster.Update(ctx, u)).To(Succeed())
			}
		})
	}
})
