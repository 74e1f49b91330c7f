package webhook_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/webhooks"
)

var _ = Describe("A good GitLabCore", func() {
	It("passes a dry run on the server, which leaves nothing behind", func(ctx SpecContext) {
		namespace := w.namespace(ctx, "dry-run")
		core := good(namespace)
		Expect(w.Live.Create(ctx, core, client.DryRunAll)).To(Succeed())
		Expect(core.Spec).To(Equal(good(namespace).Spec), "a dry run shows no difference")
		Expect(apierrors.IsNotFound(w.Live.Get(ctx, client.ObjectKeyFromObject(core), core))).To(BeTrue())
		for _, list := range []client.ObjectList{&corev1.ConfigMapList{}, &corev1.SecretList{}, &v2alpha1.GitLabCoreList{}} {
			Expect(w.Live.List(ctx, list, client.InNamespace(namespace))).To(Succeed())
			items, err := countOf(list)
			Expect(err).NotTo(HaveOccurred())
			Expect(items).To(BeZero(), "%T", list)
		}
	})

	It("is created as it is written, and updated to itself without a change", func(ctx SpecContext) {
		core := good(w.namespace(ctx, "itself"))
		Expect(w.Live.Create(ctx, core)).To(Succeed())
		stored := &v2alpha1.GitLabCore{}
		Expect(w.Live.Get(ctx, client.ObjectKeyFromObject(core), stored)).To(Succeed())
		Expect(stored.Spec).To(Equal(good(core.Namespace).Spec), "nothing is defaulted into it")
		again := stored.DeepCopy()
		Expect(w.Live.Update(ctx, again)).To(Succeed())
		Expect(again.ResourceVersion).To(Equal(stored.ResourceVersion))
		applied := untyped(good(core.Namespace))
		for range 2 {
			Expect(w.Live.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied.DeepCopy()), client.FieldOwner("gitops"), client.ForceOwnership)).To(Succeed())
		}
		Expect(w.Live.Get(ctx, client.ObjectKeyFromObject(core), stored)).To(Succeed())
		Expect(stored.Generation).To(BeEquivalentTo(1), "applying it twice changes nothing")
	})

	It("may have its name generated", func(ctx SpecContext) {
		core := good(w.namespace(ctx, "generated"))
		core.Name, core.GenerateName = "", "gitlab-"
		Expect(w.Live.Create(ctx, core)).To(Succeed())
		Expect(core.Name).To(HavePrefix("gitlab-"))
		wrong := with(core, `global: {hosts: {https: "yes"}}`)
		wrong.ObjectMeta = metav1.ObjectMeta{GenerateName: "gitlab-", Namespace: core.Namespace}
		Expect(w.Live.Create(ctx, wrong)).To(MatchError(ContainSubstring(`GitLabCore "gitlab-*" is refused, with one fault:`)))
	})
})

func countOf(list client.ObjectList) (int, error) {
	n := 0
	switch l := list.(type) {
	case *corev1.ConfigMapList:
		for _, c := range l.Items {
			if c.Name != "kube-root-ca.crt" {
				n++
			}
		}
	case *corev1.SecretList:
		n = len(l.Items)
	case *v2alpha1.GitLabCoreList:
		n = len(l.Items)
	}
	return n, nil
}

var _ = Describe("The webhook configurations", func() {
	It("are stored as they are written, but for the bundle, which stays when they are applied again", func(ctx SpecContext) {
		mutating, validating := webhooks.Configurations(webhooks.Target{URL: w.url})
		for range 2 {
			for _, written := range []client.Object{mutating, validating} {
				u := &unstructured.Unstructured{}
				Expect(w.Scheme.Convert(written, u, nil)).To(Succeed())
				u.SetGroupVersionKind(written.GetObjectKind().GroupVersionKind())
				Expect(w.Live.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("gitops"), client.ForceOwnership)).To(Succeed())
			}
			storedMutating := &admissionregistrationv1.MutatingWebhookConfiguration{}
			Expect(w.Live.Get(ctx, client.ObjectKeyFromObject(mutating), storedMutating)).To(Succeed())
			storedValidating := &admissionregistrationv1.ValidatingWebhookConfiguration{}
			Expect(w.Live.Get(ctx, client.ObjectKeyFromObject(validating), storedValidating)).To(Succeed())
			for _, bundle := range []*[]byte{&storedMutating.Webhooks[0].ClientConfig.CABundle, &storedValidating.Webhooks[0].ClientConfig.CABundle} {
				Expect(*bundle).NotTo(BeEmpty())
				*bundle = nil
			}
			Expect(storedMutating.Webhooks).To(Equal(mutating.Webhooks))
			Expect(storedValidating.Webhooks).To(Equal(validating.Webhooks))
		}
	})
})
