package gitlabcore_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// obstacle puts an object of another release where one of this release is to go.
func (i *instance) obstacle(ctx context.Context) *corev1.ConfigMap {
	GinkgoHelper()
	theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: "instance-webservice",
		Labels: object.Release{Name: "other", Namespace: i.namespace, Kind: "gitlabcore"}.Labels()}}
	Expect(w.Live.Create(ctx, theirs)).To(Succeed())
	return theirs
}

// edits is another writer, who changes the image of a Deployment.
func (i *instance) edits(ctx context.Context, name string, n int) {
	GinkgoHelper()
	d := &appsv1.Deployment{}
	Expect(i.exists(ctx, d, name)).To(BeTrue())
	d.Spec.Template.Spec.Containers[0].Image = fmt.Sprintf("edited.example.com/by-somebody:%d", n)
	Expect(w.Live.Update(ctx, d)).To(Succeed())
}

// edited reports whether the image of a Deployment is that of the other writer.
func (i *instance) edited(ctx context.Context, name string) bool {
	GinkgoHelper()
	d := &appsv1.Deployment{}
	Expect(i.exists(ctx, d, name)).To(BeTrue())
	return strings.HasPrefix(d.Spec.Template.Spec.Containers[0].Image, "edited.example.com/")
}

// countingJobs gives the resource a reconciler that has just started, and counts the Jobs it sends.
func (i *instance) countingJobs() *atomic.Int64 {
	jobs := &atomic.Int64{}
	i.client = world.Through(i.client, func(_ context.Context, call world.Call, send func() error) error {
		if o, ok := call.Object.(interface{ GetKind() string }); ok && o.GetKind() == "Job" && (call.Verb == "apply" || call.Verb == "create") {
			jobs.Add(1)
		}
		return send()
	})
	i.restart()
	return jobs
}

var _ = Describe("A GitLabCore of which an object does not apply", func() {
	It("is applied again without its hooks, by this manager and by the next, until the obstacle is gone", func(ctx context.Context) {
		i := create(ctx, withHooks)
		jobs := i.countingJobs()
		theirs := i.obstacle(ctx)
		i.pass(ctx)
		job := &batchv1.Job{}
		Expect(i.exists(ctx, job, secretsJob)).To(BeTrue())
		ran := job.UID
		i.ends(ctx, secretsJob, batchv1.JobComplete)
		_, message := i.fails(ctx)
		Expect(message).To(ContainSubstring(theirs.Name))
		Expect(i.exists(ctx, job, secretsJob)).To(BeTrue())
		Expect(job.UID).To(Equal(ran))
		Expect(jobs.Load()).To(BeEquivalentTo(2), "the hook, and the Job that migrates, which is no hook")
		i.now = i.now.Add(time.Minute)
		i.fails(ctx)
		i.collected(ctx, secretsJob) // The chart says that it goes once it succeeded. A run of the hooks would make it anew.
		for n := range 4 {
			if n == 2 {
				i.restart()
			}
			i.now = i.now.Add(time.Minute)
			before := jobs.Load()
			core, _ := i.fails(ctx)
			Expect(jobs.Load()).To(Equal(before+1), "the Job that migrates is applied again, and no hook")
			says(core, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
			Expect(core.Status.HooksGeneration).To(Equal(core.Generation))
			Expect(core.Status.Version).To(BeEmpty(), "not all of it is applied")
		}
		Expect(w.Live.Delete(ctx, theirs)).To(Succeed())
		i.now = i.now.Add(time.Minute)
		core := i.pass(ctx)
		Expect(core.Status.Version).To(Equal("10.4.0"))
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
		mine := &corev1.ConfigMap{}
		Expect(i.exists(ctx, mine, theirs.Name)).To(BeTrue())
		Expect(metav1.IsControlledBy(mine, core)).To(BeTrue())
		Expect(i.exists(ctx, job, secretsJob)).To(BeFalse())
	})

	It("names the kind that the cluster does not serve, and applies the rest", func(ctx context.Context) {
		i := create(ctx, unserved)
		core, message := i.fails(ctx)
		Expect(message).To(And(ContainSubstring("does not serve"), ContainSubstring("Probe"), ContainSubstring("front-door")))
		Expect(core.Status.RenderedKinds).NotTo(ContainElement(ContainSubstring("Probe")))
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeTrue())
	})

	It("renders no more than its back-off allows while its workloads move, and repairs another object at once", func(ctx context.Context) {
		i := create(ctx, unserved)
		i.fails(ctx)
		renders, writes := w.Renders.Load(), i.counts.Writes.Load()
		for n := range 3 {
			if n == 1 {
				i.rolledOut(ctx)
			}
			_, message := i.fails(ctx)
			Expect(message).To(ContainSubstring("Probe"), "it is said again, not judged anew")
		}
		Expect(w.Renders.Load()).To(Equal(renders), "nothing but the status of workloads moved")
		Expect(i.counts.Writes.Load()).To(Equal(writes))

		Expect(w.Live.Delete(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: shell}})).To(Succeed())
		i.fails(ctx)
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeTrue())

		renders = w.Renders.Load()
		i.fails(ctx)
		Expect(w.Renders.Load()).To(Equal(renders))
		i.now = i.now.Add(30 * time.Second)
		i.fails(ctx)
		Expect(w.Renders.Load()).To(BeNumerically(">", renders), "the longest back-off is over")
	})

	It("leaves to another writer what it repaired five times within a minute, and says so once", func(ctx context.Context) {
		i := create(ctx, unserved)
		i.fails(ctx)
		for n := range 5 {
			Expect(i.told(v2alpha1.EventDriftContested)).To(BeEmpty())
			i.edits(ctx, shell, n)
			i.fails(ctx)
			Expect(i.edited(ctx, shell)).To(BeFalse(), "repair %d", n+1)
		}
		Expect(i.told(v2alpha1.EventDriftContested)).To(ConsistOf(ContainSubstring("Deployment " + i.namespace + "/" + shell)))
		renders := w.Renders.Load()
		for n := range 3 {
			i.edits(ctx, shell, n)
			i.fails(ctx)
			Expect(i.edited(ctx, shell)).To(BeTrue())
		}
		Expect(w.Renders.Load()).To(Equal(renders))
		Expect(i.told(v2alpha1.EventDriftContested)).To(BeEmpty())
		i.edits(ctx, webservice, 0)
		i.fails(ctx)
		Expect(i.edited(ctx, webservice)).To(BeFalse(), "what nobody fights about is repaired as ever")
		for range 3 {
			i.now = i.now.Add(time.Minute)
			i.fails(ctx)
			Expect(i.edited(ctx, shell)).To(BeTrue(), "no pass of another cause applies it")
		}
		Expect(w.Renders.Load()).To(BeNumerically(">", renders+2), "those were full passes")
		i.now = i.now.Add(2 * time.Minute)
		i.fails(ctx)
		Expect(i.edited(ctx, shell)).To(BeFalse())
	})
})
