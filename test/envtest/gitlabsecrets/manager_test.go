package gitlabsecrets_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// atOnce is how soon a watch must have had its effect: well below the 30 seconds of the interval.
const atOnce = 15 * time.Second

// managed starts a manager with one worker over the namespace of an instance, as the operator puts it together.
func (i *instance) managed(ctx context.Context) {
	GinkgoHelper()
	mgr := w.Manager(GinkgoTB(), i.namespace)
	names := mgr.Cache(GinkgoTB(), nil)
	i.reconciler.Cached, i.reconciler.Names, i.reconciler.Now = mgr.GetClient(), names, time.Now
	Expect(i.reconciler.Setup(mgr, names, 1)).To(Succeed())
	mgr.Run(ctx, GinkgoTB())
}

// becomes waits until Ready says this at the resource's generation.
func (i *instance) becomes(ctx context.Context, resource string, status metav1.ConditionStatus, reason string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		s := &v2alpha1.GitLabSecrets{}
		g.Expect(w.Live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: resource}, s)).To(Succeed())
		c := apimeta.FindStatusCondition(s.Status.Conditions, v2alpha1.ConditionReady)
		g.Expect(c).NotTo(BeNil())
		g.Expect(c.ObservedGeneration).To(Equal(s.Generation))
		g.Expect(string(c.Status)+"/"+c.Reason).To(Equal(string(status)+"/"+reason), c.Message)
	}, atOnce, 50*time.Millisecond).Should(Succeed())
}

var _ = Describe("A running manager", func() {
	It("sees a deleted Secret at once: a token is made again, a data-bearing value is reported, and what is put back is ready", func(ctx context.Context) {
		i := create(ctx, entry("token", random("token", 32)), entry("password", persistent(random("password", 64))))
		i.managed(ctx)
		i.becomes(ctx, name, metav1.ConditionTrue, v2alpha1.ReasonSecretsReady)
		backup := i.secret(ctx, "password").Data
		i.remove(ctx, "token")
		Eventually(func() *corev1.Secret { return i.secret(ctx, "token") }, atOnce, 50*time.Millisecond).ShouldNot(BeNil())
		i.remove(ctx, "password")
		i.becomes(ctx, name, metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		Expect(i.secret(ctx, "password")).To(BeNil())
		i.store(ctx, "password", map[string]string{"password": string(backup["password"])})
		i.becomes(ctx, name, metav1.ConditionTrue, v2alpha1.ReasonSecretsReady)
	})

	It("looks after another resource while keys are being made, and comes back as soon as they are", func(ctx context.Context) {
		var large []v2alpha1.Generator
		for _, key := range []string{"a", "b", "c", "d", "e", "f"} {
			large = append(large, v2alpha1.Generator{Type: v2alpha1.GeneratorRSA, Key: key, Bits: 4096})
		}
		i := create(ctx, entry("keys", large...))
		i.managed(ctx)
		i.becomes(ctx, name, metav1.ConditionUnknown, v2alpha1.ReasonProgressing)
		Expect(w.Live.Create(ctx, &v2alpha1.GitLabSecrets{
			ObjectMeta: metav1.ObjectMeta{Name: "second", Namespace: i.namespace},
			Spec:       v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{entry("token", random("token", 32))}},
		})).To(Succeed())
		i.becomes(ctx, "second", metav1.ConditionTrue, v2alpha1.ReasonSecretsReady)
		Expect(i.secret(ctx, "keys")).To(BeNil(), "the keys take longer than the token of the other resource")
		// They are not needed any more: what is being made is thrown away, and the next one comes by its wake.
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) {
			s.Spec.Secrets = []v2alpha1.SecretEntry{entry("small", rsaKey("key"))}
		})
		i.becomes(ctx, name, metav1.ConditionTrue, v2alpha1.ReasonSecretsReady)
		Expect(i.secret(ctx, "small")).NotTo(BeNil())
	})

	It("asks the API server for nothing while nothing changes", func(ctx context.Context) {
		i := create(ctx, entry("token", random("token", 32)), entry("password", persistent(random("password", 64))))
		i.managed(ctx)
		i.becomes(ctx, name, metav1.ConditionTrue, v2alpha1.ReasonSecretsReady)
		Eventually(func(g Gomega) {
			before := i.counts.Total()
			_, err := i.requeue(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(i.counts.Total()).To(Equal(before))
		}, atOnce, 100*time.Millisecond).Should(Succeed())
		i.drop(ctx, "token", "token")
		Eventually(func() []string { return keys(i.secret(ctx, "token")) }, atOnce, 50*time.Millisecond).Should(Equal([]string{"token"}))
	})
})
