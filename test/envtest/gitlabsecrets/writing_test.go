package gitlabsecrets_test

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

var _ = Describe("A write that is refused", func() {
	It("makes Ready say ApplyFailed with the API server's words, while other Secrets are made", func(ctx context.Context) {
		wrong := entry("typed", random("password", 32))
		wrong.Type = "kubernetes.io/tls"
		i := create(ctx, wrong, entry("token", random("token", 32)))
		resource := i.settle(ctx)
		message := says(resource, metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
		Expect(message).To(And(ContainSubstring("typed"), ContainSubstring("tls.crt")))
		Expect(i.secret(ctx, "typed")).To(BeNil())
		Expect(i.secret(ctx, "token")).NotTo(BeNil())
		Expect(state(resource, "typed").Ready).To(BeFalse())
		Expect(state(resource, "token").Ready).To(BeTrue())
		result, err := i.requeue(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(30 * time.Second))
	})

	It("hides values that an admission policy quotes", func(ctx context.Context) {
		i := create(ctx, entry("watched", random("password", 32)))
		quoting(ctx, i.namespace)
		var message string
		Eventually(func(g Gomega) {
			err := w.Live.Create(ctx, &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: "probe"}, StringData: map[string]string{"password": "quotedvalue"},
			}, client.DryRunAll)
			g.Expect(err).To(MatchError(ContainSubstring(base64.StdEncoding.EncodeToString([]byte("quotedvalue")))))
		}, 30*time.Second).Should(Succeed())
		message = says(i.settle(ctx), metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
		Expect(message).To(And(ContainSubstring("not here"), ContainSubstring("(hidden)")))
		Expect(message).NotTo(MatchRegexp(`[a-zA-Z0-9+/]{30}`))
	})
})

// quoting makes the API server refuse Secrets of a namespace in words that hold their values.
func quoting(ctx context.Context, namespace string) {
	GinkgoHelper()
	policy := &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"secrets"}},
				},
			}}},
			Validations: []admissionv1.Validation{{Expression: "false", MessageExpression: "'not here: ' + string(object.data['password'])"}},
		},
	}
	Expect(w.Live.Create(ctx, policy)).To(Succeed())
	Expect(w.Live.Create(ctx, &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: namespace, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
			MatchResources: &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{corev1.LabelMetadataName: namespace},
			}},
		},
	})).To(Succeed())
}

var _ = Describe("Somebody else's value", func() {
	It("wins when it comes while a key is being made", func(ctx context.Context) {
		i := create(ctx, entry("key", rsaKey("key")))
		says(i.pass(ctx), metav1.ConditionUnknown, v2alpha1.ReasonProgressing)
		i.store(ctx, "key", map[string]string{"key": "theirs"})
		ready(i.settle(ctx))
		Expect(string(i.secret(ctx, "key").Data["key"])).To(Equal("theirs"))
		Expect(i.told.all(v2alpha1.EventSecretGenerated)).To(BeEmpty())
	})

	It("wins when it comes between the last look and the write, to a missing and to an existing Secret", func(ctx context.Context) {
		for _, exists := range []bool{false, true} {
			i := create(ctx, entry("token", random("token", 32), random("second", 32)))
			if exists {
				i.store(ctx, "token", map[string]string{"own": "value"})
			}
			var once atomic.Bool
			meddle := func() {
				if !once.CompareAndSwap(false, true) {
					return
				}
				if s := i.secret(ctx, "token"); s != nil {
					s.Data["token"] = []byte("theirs")
					Expect(w.Live.Update(ctx, s)).To(Succeed())
					return
				}
				i.store(ctx, "token", map[string]string{"token": "theirs"})
			}
			i.through(interceptor.NewClient(w.Live, interceptor.Funcs{
				Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
					meddle()
					return c.Create(ctx, o, opts...)
				},
				Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
					meddle()
					return c.Patch(ctx, o, p, opts...)
				},
			}))
			result, err := i.requeue(ctx)
			Expect(err).NotTo(HaveOccurred(), "a conflict is no failure")
			Expect(result.RequeueAfter).To(BeNumerically("<", time.Second))
			ready(i.settle(ctx))
			Expect(string(i.secret(ctx, "token").Data["token"])).To(Equal("theirs"))
			Expect(i.secret(ctx, "token").Data["second"]).To(HaveLen(32))
		}
	})
})

var _ = Describe("The writes of a certificate set", func() {
	declare := func(ctx context.Context) *instance {
		GinkgoHelper()
		i := create(ctx)
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Spec.Certificates = []v2alpha1.CertificateSet{certificates()} })
		return i
	}

	It("are all tried dry before the first, in the order CA, certificate, chain", func(ctx context.Context) {
		i := declare(ctx)
		i.settle(ctx)
		log := slices.DeleteFunc(i.counts.Log(), func(line string) bool { return line == "patch status "+name })
		Expect(log).To(Equal([]string{
			"dry create tls-ca", "dry create tls", "dry create tls-chain", "create tls-ca", "create tls", "create tls-chain",
		}))
	})

	It("leave nothing behind when the API server refuses one of them", func(ctx context.Context) {
		i := prepare(ctx)
		i.store(ctx, "tls-chain", map[string]string{"own": "value"})
		i.declare(ctx)
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Spec.Certificates = []v2alpha1.CertificateSet{certificates()} })
		i.through(interceptor.NewClient(w.Live, interceptor.Funcs{
			Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
				return apierrors.NewForbidden(corev1.Resource("secrets"), "tls-chain", errors.New("not for you"))
			},
		}))
		message := says(i.settle(ctx), metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
		Expect(message).To(ContainSubstring("not for you"))
		Expect(i.secret(ctx, "tls-ca")).To(BeNil())
		Expect(i.secret(ctx, "tls")).To(BeNil())
	})

	It("are tried again within the pass when one fails, whether it took effect or not", func(ctx context.Context) {
		for _, after := range []bool{false, true} {
			i := declare(ctx)
			var writes atomic.Int64
			i.through(interceptor.NewClient(w.Live, interceptor.Funcs{
				Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
					if len((&client.CreateOptions{}).ApplyOptions(opts).DryRun) > 0 || writes.Add(1) != 2 {
						return c.Create(ctx, o, opts...)
					}
					if after {
						_ = c.Create(ctx, o, opts...)
					}
					return world.ErrNoAnswer
				},
			}))
			ready(i.settle(ctx))
			Expect(i.told.all(v2alpha1.EventSecretGenerated)).To(HaveLen(3))
		}
	})

	It("stop when somebody else's value takes a place, and the rest is reported", func(ctx context.Context) {
		i := declare(ctx)
		var once atomic.Bool
		i.through(interceptor.NewClient(w.Live, interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				dry := len((&client.CreateOptions{}).ApplyOptions(opts).DryRun) > 0
				if !dry && o.GetName() == "tls" && once.CompareAndSwap(false, true) {
					i.store(ctx, "tls", map[string]string{"tls.crt": "theirs", "tls.key": "theirs"})
				}
				return c.Create(ctx, o, opts...)
			},
		}))
		resource := i.settle(ctx)
		says(resource, metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		Expect(string(i.secret(ctx, "tls").Data["tls.key"])).To(Equal("theirs"))
	})
})
