// Package status_test holds internal/status and internal/condition to a real API server and a real definition.
package status_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kstatus "sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/status"
	"github.com/portcullis-operator/portcullis/internal/testing/expect"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

var live client.Client

func TestStatus(t *testing.T) {
	live = world.Start(t, world.Own(t)).Live
	RegisterFailHandler(Fail)
	RunSpecs(t, "status against a real API server")
}

// created makes a GitLabCore with a name of its own and reads it back.
func created(ctx context.Context) *v2alpha1.GitLabCore {
	GinkgoHelper()
	obj := &v2alpha1.GitLabCore{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "gitlab-", Namespace: "default"},
		Spec:       v2alpha1.GitLabCoreSpec{Version: v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: "10.4.1"}},
	}
	Expect(live.Create(ctx, obj)).To(Succeed())
	return obj
}

func read(ctx context.Context, obj client.Object) *v2alpha1.GitLabCore {
	GinkgoHelper()
	out := &v2alpha1.GitLabCore{}
	Expect(live.Get(ctx, client.ObjectKeyFromObject(obj), out)).To(Succeed())
	return out
}

// judged is what a pass that ended so writes.
func judged(obj *v2alpha1.GitLabCore, now time.Time, o outcome.Outcome) *v2alpha1.GitLabCore {
	after := obj.DeepCopy()
	pass := condition.Pass{Generation: obj.Generation, Now: now}
	step := condition.Rule{Type: v2alpha1.ConditionInitialized, Done: v2alpha1.ReasonChartRendered, Waiting: metav1.ConditionFalse}
	list := condition.Merge(obj.Status.Conditions, pass, step.From(o))
	after.Status.Conditions = condition.Summarise(list, pass, condition.Summary{
		Outcome: o, Done: v2alpha1.ReasonReconcileSucceeded, Of: []string{v2alpha1.ConditionInitialized},
	})
	after.Status.ObservedGeneration = condition.ObservedGeneration(obj.Status.ObservedGeneration, pass, o)
	return after
}

var _ = Describe("A status", func() {
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

	It("is written once and not again while nothing changes", func(ctx SpecContext) {
		obj := created(ctx)
		after := judged(obj, now, outcome.Continue{})
		written, err := status.Write(ctx, live, obj, after)
		Expect(err).NotTo(HaveOccurred())
		Expect(written).To(BeTrue())

		stored := read(ctx, obj)
		Expect(stored.ResourceVersion).To(Equal(after.ResourceVersion), "the pass goes on with the version it wrote")
		written, err = status.Write(ctx, live, stored, judged(stored, now.Add(time.Hour), outcome.Continue{}))
		Expect(err).NotTo(HaveOccurred())
		Expect(written).To(BeFalse())
		Expect(read(ctx, obj).ResourceVersion).To(Equal(stored.ResourceVersion))
	})

	It("is not written from a stale read, and the newer record stays", func(ctx SpecContext) {
		obj := created(ctx)
		ahead := obj.DeepCopy()
		ahead.Status.RenderedKinds = []string{"v1/ConfigMap", "v1/Service"}
		_, err := status.Write(ctx, live, obj, ahead)
		Expect(err).NotTo(HaveOccurred())

		behind := obj.DeepCopy()
		behind.Status.RenderedKinds = []string{"v1/ConfigMap"}
		_, err = status.Write(ctx, live, obj, behind)
		Expect(apierrors.IsConflict(err)).To(BeTrue(), "got %v", err)
		Expect(read(ctx, obj).Status.RenderedKinds).To(HaveLen(2))
	})

	It("may be recorded ahead of the effects and completed at the end of the pass", func(ctx SpecContext) {
		before := created(ctx)
		after := before.DeepCopy()
		after.Status.RenderedKinds = []string{"v1/ConfigMap"}
		_, err := status.Write(ctx, live, before, after)
		Expect(err).NotTo(HaveOccurred())

		end := judged(after, now, outcome.Continue{})
		_, err = status.Write(ctx, live, after, end)
		Expect(err).NotTo(HaveOccurred())
		Expect(read(ctx, before).Status.RenderedKinds).To(ConsistOf("v1/ConfigMap"))
		Expect(read(ctx, before)).To(expect.ObeyStatusLaws())
	})

	It("leaves spec and metadata alone, whatever the pass did to its copy", func(ctx SpecContext) {
		obj := created(ctx)
		after := judged(obj, now, outcome.Continue{})
		after.Spec.Hostname = "gitlab.example.com"
		after.Labels = map[string]string{"a": "b"}
		_, err := status.Write(ctx, live, obj, after)
		Expect(err).NotTo(HaveOccurred())
		Expect(read(ctx, obj).Spec.Hostname).To(BeEmpty())
		Expect(read(ctx, obj).Labels).To(BeEmpty())
	})

	It("drops a record that the pass removed", func(ctx SpecContext) {
		obj := created(ctx)
		after := judged(obj, now, outcome.Wait{Reason: v2alpha1.ReasonHooksRunning})
		_, err := status.Write(ctx, live, obj, after)
		Expect(err).NotTo(HaveOccurred())
		Expect(read(ctx, obj)).To(expect.HaveCondition(condition.Reconciling, "True", v2alpha1.ReasonHooksRunning))

		_, err = status.Write(ctx, live, after, judged(after, now, outcome.Continue{}))
		Expect(err).NotTo(HaveOccurred())
		Expect(read(ctx, obj)).NotTo(expect.HaveCondition(condition.Reconciling, "True", ""))
	})

	It("of a resource that is gone is no error", func(ctx SpecContext) {
		obj := created(ctx)
		Expect(live.Delete(ctx, obj)).To(Succeed())
		written, err := status.Write(ctx, live, obj, judged(obj, now, outcome.Continue{}))
		Expect(err).NotTo(HaveOccurred())
		Expect(written).To(BeFalse())
	})

	It("with a message longer than a condition may be is cut and accepted", func(ctx SpecContext) {
		obj := created(ctx)
		_, err := status.Write(ctx, live, obj, judged(obj, now, outcome.Refuse{
			Reason: v2alpha1.ReasonAdmissionRefused, Message: strings.Repeat("spec.hostname: wrong; ", 3000),
		}))
		Expect(err).NotTo(HaveOccurred())
		Expect(read(ctx, obj)).To(expect.ObeyStatusLaws())
	})

	DescribeTable("obeys the laws and reads as kstatus has it",
		func(ctx SpecContext, o outcome.Outcome, want kstatus.Status) {
			obj := created(ctx)
			_, err := status.Write(ctx, live, obj, judged(obj, now, o))
			Expect(err).NotTo(HaveOccurred())
			Expect(read(ctx, obj)).To(expect.ObeyStatusLaws())
			Expect(read(ctx, obj)).To(expect.ReadAs(want))
		},
		Entry("when done", outcome.Continue{}, kstatus.CurrentStatus),
		Entry("when preparing", outcome.Wait{Reason: v2alpha1.ReasonHooksRunning, Message: "a Job runs"}, kstatus.InProgressStatus),
		Entry("when refused", outcome.Refuse{Reason: v2alpha1.ReasonAdmissionRefused, Message: "spec.hostname"}, kstatus.FailedStatus),
		Entry("when failed and retried", outcome.Fail{Reason: v2alpha1.ReasonApplyFailed, Err: errors.New("no route to host")}, kstatus.InProgressStatus),
	)
})
