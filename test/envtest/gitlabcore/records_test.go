package gitlabcore_test

import (
	"context"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// through gives the resource a reconciler that has just started and whose calls pass the given functions.
func (i *instance) through(funcs interceptor.Funcs) {
	i.reconciler = reconciler(interceptor.NewClient(w.Live, funcs), func() time.Time { return i.now })
}

// failedStatusWrites makes the next n status writes fail.
func failedStatusWrites(n int64) interceptor.Funcs {
	var left atomic.Int64
	left.Store(n)
	return interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			if left.Add(-1) >= 0 {
				return world.ErrNoAnswer
			}
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}
}

var _ = Describe("The records of a GitLabCore", func() {
	It("do not say that hooks ran when the pass broke off before them", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		i.pass(ctx)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) { core.Spec.Chart.Values = withHooks(i.namespace).Spec.Chart.Values })
		i.through(failedStatusWrites(1))
		_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
		Expect(err).To(MatchError(world.ErrNoAnswer), "the kinds could not be recorded")
		core := i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksRunning)
		Expect(i.exists(ctx, &batchv1.Job{}, secretsJob)).To(BeTrue())
	})

	It("are written by the next pass when this one could not", func(ctx context.Context) {
		i := create(ctx, small)
		theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: "instance-webservice",
			Labels: object.Release{Name: "other", Namespace: i.namespace, Kind: "gitlabcore"}.Labels()}}
		Expect(w.Live.Create(ctx, theirs)).To(Succeed())
		_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
		Expect(err).To(HaveOccurred(), "an object is in the way")
		Expect(w.Live.Delete(ctx, theirs)).To(Succeed())
		i.through(failedStatusWrites(1))
		_, err = i.reconciler.Reconcile(ctx, request(i.namespace))
		Expect(err).To(MatchError(world.ErrNoAnswer))
		core := i.pass(ctx)
		Expect(core.Status.Version).To(Equal("10.4.0"))
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
	})

	It("do not keep a prune that did not get through from being made again", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) {
			core.Spec.Chart.Values.Raw = without("gitlab-shell")
		})
		away := true
		i.through(interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			if _, metadata := l.(*metav1.PartialObjectMetadataList); metadata && away {
				return apierrors.NewServiceUnavailable("away")
			}
			return c.List(ctx, l, opts...)
		}})
		i.pass(ctx)
		i.pass(ctx)
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeTrue())
		away = false
		i.pass(ctx)
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeFalse())
	})

	It("go on about the workloads while a new spec is refused", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		i.rolledOut(ctx)
		says(i.pass(ctx), v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) {
			core.Spec.Chart.Values.Raw = []byte(`{"global":{"hosts":{"https":"yes"}}}`)
		})
		core := i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonRenderFailed)
		says(core, v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
		d := &appsv1.Deployment{}
		Expect(i.exists(ctx, d, webservice)).To(BeTrue())
		d.Status.AvailableReplicas, d.Status.ReadyReplicas = 0, 0
		Expect(w.Live.Status().Update(ctx, d)).To(Succeed())
		says(i.pass(ctx), v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonWorkloadsNotReady)
	})

	It("tell a running instance whose chart is gone from one that was never let in", func(ctx context.Context) {
		i := create(ctx, small)
		core := i.pass(ctx)
		core.Status.Version = "10.4.9"
		Expect(w.Live.Status().Update(ctx, core)).To(Succeed())
		i.edit(ctx, func(core *v2alpha1.GitLabCore) { core.Spec.Version.Version = "10.4.9" })
		core = i.pass(ctx)
		message := says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonChartUnavailable)
		Expect(message).To(And(ContainSubstring("10.4.9"), ContainSubstring("HELM_CHARTS")))
	})

	It("say that another version is on its way while its hooks run", func(ctx context.Context) {
		i := create(ctx, withHooks)
		i.pass(ctx)
		i.ends(ctx, secretsJob, batchv1.JobComplete)
		says(i.pass(ctx), v2alpha1.ConditionProgressing, metav1.ConditionFalse, v2alpha1.ReasonUpgradeComplete)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) { core.Spec.Version.Version = "10.4.1" })
		core := i.pass(ctx)
		message := says(core, v2alpha1.ConditionProgressing, metav1.ConditionTrue, v2alpha1.ReasonProgressing)
		Expect(message).To(And(ContainSubstring("10.4.0"), ContainSubstring("10.4.1")))
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
	})
})
