package gitlabcore_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/testing/expect"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

var _ = Describe("A GitLabCore whose GitLabSecrets the API server refuses", func() {
	for name, refused := range map[string]struct{ values, says string }{
		"an ed25519 certificate":           {`"selfsign":{"keyAlgorithm":"ed25519"}`, `spec.certificates[0].authority.algorithm: Unsupported value`},
		"a certificate key of an odd size": {`"selfsign":{"keySize":4097}`, "spec.certificates[0].authority.keySize: Invalid value: must be an even number"},
	} {
		It("fails before anything else for "+name+", with the words of the API server, and recovers", func(ctx context.Context) {
			i := create(ctx, func(namespace string) *v2alpha1.GitLabCore {
				core := withSecrets(namespace)
				core.Spec.Chart.Values.Raw = sparse(refused.values)
				return core
			})
			for range 2 {
				_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
				Expect(apierrors.IsInvalid(err)).To(BeTrue(), "the answer of the API server is in the chain of causes: %v", err)
				core := i.read(ctx)
				message := says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
				Expect(message).To(And(ContainSubstring("GitLabSecrets"), ContainSubstring(refused.says)))
				Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseFailed))
				Expect(core).To(expect.ObeyStatusLaws())
				Expect(inventory(ctx, i.namespace, core.Status.RenderedKinds)).To(BeEmpty())
			}
			i.edit(ctx, func(core *v2alpha1.GitLabCore) {
				core.Spec.Chart.Values.Raw = withSecrets(i.namespace).Spec.Chart.Values.Raw
			})
			waits(i.pass(ctx))
			i.secretsReady(ctx)
			says(i.pass(ctx), v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksRunning)
		})
	}

	It("stays as it is where it runs", func(ctx context.Context) {
		i := running(ctx)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) {
			core.Spec.Chart.Values.Raw = []byte(strings.Replace(string(sparse(`"selfsign":{"keyAlgorithm":"ed25519"}`)), `"gitlab":{`, `"gitlab":{"gitlab-shell":{"enabled":false},`, 1))
		})
		generation := i.declared(ctx).Generation
		_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
		Expect(apierrors.IsInvalid(err)).To(BeTrue())
		core := i.read(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
		says(core, v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
		Expect(i.declared(ctx).Generation).To(Equal(generation))
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeTrue())
	})
})

var _ = Describe("A GitLabCore whose chart renders no GitLabSecrets", func() {
	It("runs the Job of chart 10.4 as a pre-install hook, without a wait", func(ctx context.Context) {
		i := create(ctx, withHooks)
		core := i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksRunning)
		job := &batchv1.Job{}
		Expect(i.exists(ctx, job, secretsJob)).To(BeTrue())
		Expect(metav1.IsControlledBy(job, core)).To(BeTrue())
		Expect(i.exists(ctx, &v2alpha1.GitLabSecrets{}, "instance")).To(BeFalse())
	})

	It("runs the Job of chart 10.5 when the values ask for it; without a word the controller makes the Secrets", func(ctx context.Context) {
		i := create(ctx, func(namespace string) *v2alpha1.GitLabCore {
			core := withSecrets(namespace)
			core.Spec.Chart.Values.Raw = []byte(`{"prometheus":{"install":false},"shared-secrets":{"provider":"job"}}`)
			return core
		})
		says(i.pass(ctx), v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksRunning)
		Expect(i.exists(ctx, &batchv1.Job{}, secretsJob)).To(BeTrue())
		Expect(i.exists(ctx, &v2alpha1.GitLabSecrets{}, "instance")).To(BeFalse())

		i = create(ctx, withSecrets)
		core := i.pass(ctx)
		waits(core)
		var jobs batchv1.JobList
		Expect(w.Live.List(ctx, &jobs, client.InNamespace(i.namespace))).To(Succeed())
		Expect(jobs.Items).To(BeEmpty())
		Expect(i.exists(ctx, &v2alpha1.GitLabSecrets{}, "instance")).To(BeTrue())
	})

	It("goes on at once when the administrator supplies every Secret", func(ctx context.Context) {
		i := create(ctx, func(namespace string) *v2alpha1.GitLabCore {
			core := withSecrets(namespace)
			core.Spec.Chart.Values.Raw = []byte(`{"prometheus":{"install":false},"gitlab":{"toolbox":{"enabled":false}},"shared-secrets":{"enabled":false}}`)
			return core
		})
		says(i.pass(ctx), v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(i.exists(ctx, &appsv1.Deployment{}, webservice)).To(BeTrue())
	})
})

var _ = Describe("A GitLabCore with a GitLabSecrets and an API server that fails each call once", Label("slow"), func() {
	It("lets nothing through before its time, and comes to the same end", func(ctx context.Context) {
		calm := create(ctx, withoutHook)
		c, calls := world.Counting(w.Live)
		settle(ctx, c, calm.namespace)
		total := calls.Total()
		calm.secretsReady(ctx)
		settle(ctx, w.Live, calm.namespace)
		whole := inventory(ctx, calm.namespace, kindsOf(ctx, calm.namespace))
		for _, after := range []bool{false, true} {
			for n := int64(1); n <= total; n++ {
				i := create(ctx, withoutHook)
				settle(ctx, world.Failing(w.Live, world.Fault{Call: n, After: after}), i.namespace)
				core := i.read(ctx)
				waits(core)
				Expect(i.rest(ctx, core)).To(BeEmpty(), "call %d of %d, after=%v", n, total, after)
				i.secretsReady(ctx)
				settle(ctx, w.Live, i.namespace)
				Expect(inventory(ctx, i.namespace, kindsOf(ctx, i.namespace))).To(Equal(whole), "call %d of %d, after=%v", n, total, after)
			}
		}
		_, _ = fmt.Fprintf(GinkgoWriter, "%d calls of a pass that waits\n", total)
	}, NodeTimeout(10*time.Minute))
})
