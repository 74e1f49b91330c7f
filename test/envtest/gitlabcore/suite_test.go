package gitlabcore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabcore"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

var w *world.Releases

func TestGitLabCore(t *testing.T) {
	w = start(t)
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter)))
	RegisterFailHandler(Fail)
	RunSpecs(t, "GitLabCore against a real API server")
}

// instance is one resource under test, with the reconciler that looks after it.
type instance struct {
	namespace  string
	reconciler *gitlabcore.Reconciler
	client     client.WithWatch
	counts     *world.Calls
	events     *events.FakeRecorder
	now        time.Time
}

// create stores a resource in a namespace of its own.
func create(ctx context.Context, of func(string) *v2alpha1.GitLabCore) *instance {
	GinkgoHelper()
	namespace := w.Namespace(ctx, GinkgoTB())
	Expect(w.Live.Create(ctx, of(namespace))).To(Succeed())
	i := &instance{namespace: namespace, now: time.Now(), events: events.NewFakeRecorder(1000)}
	i.client, i.counts = world.Counting(w.Live)
	i.restart()
	return i
}

// restart puts the reconciler of a manager that has just started in place of the one there was.
func (i *instance) restart() {
	i.reconciler = reconciler(i.client, func() time.Time { return i.now })
	i.reconciler.Engine.Events = i.events
}

// pass runs one reconcile that must not fail.
func (i *instance) pass(ctx context.Context) *v2alpha1.GitLabCore {
	GinkgoHelper()
	_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
	Expect(err).NotTo(HaveOccurred())
	return i.read(ctx)
}

// fails runs one reconcile that must fail, since an object of the release does not apply.
func (i *instance) fails(ctx context.Context) (core *v2alpha1.GitLabCore, message string) {
	GinkgoHelper()
	_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
	Expect(err).To(HaveOccurred())
	core = i.read(ctx)
	return core, says(core, v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
}

// told returns the events of a reason that were sent since it was last asked; those of other reasons are dropped.
func (i *instance) told(reason string) []string {
	var out []string
	for {
		select {
		case e := <-i.events.Events:
			if strings.Contains(e, " "+reason+" ") {
				out = append(out, e)
			}
		default:
			return out
		}
	}
}

func (i *instance) read(ctx context.Context) *v2alpha1.GitLabCore {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	Expect(w.Live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: "instance"}, core)).To(Succeed())
	return core
}

// edit changes the stored resource.
func (i *instance) edit(ctx context.Context, change func(*v2alpha1.GitLabCore)) {
	GinkgoHelper()
	core := i.read(ctx)
	change(core)
	Expect(w.Live.Update(ctx, core)).To(Succeed())
}

// exists reports whether an object of the namespace is there.
func (i *instance) exists(ctx context.Context, o client.Object, name string) bool {
	GinkgoHelper()
	err := w.Live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: name}, o)
	if apierrors.IsNotFound(err) {
		return false
	}
	Expect(err).NotTo(HaveOccurred())
	return o.GetDeletionTimestamp().IsZero()
}

// says expects a condition.
func says(core *v2alpha1.GitLabCore, conditionType string, status metav1.ConditionStatus, reason string) string {
	GinkgoHelper()
	c := apimeta.FindStatusCondition(core.Status.Conditions, conditionType)
	Expect(c).NotTo(BeNil(), conditionType)
	Expect(string(c.Status)+"/"+c.Reason).To(Equal(string(status)+"/"+reason), "%s: %s", conditionType, oneLine(c.Message))
	Expect(c.ObservedGeneration).To(Equal(core.Generation), conditionType)
	return c.Message
}

// ends plays the Job controller.
func (i *instance) ends(ctx context.Context, name string, how batchv1.JobConditionType) {
	GinkgoHelper()
	Expect(world.EndJob(ctx, w.Live, client.ObjectKey{Namespace: i.namespace, Name: name}, how)).To(Succeed())
}

// rolledOut plays the Deployment and StatefulSet controllers.
func (i *instance) rolledOut(ctx context.Context) {
	GinkgoHelper()
	Expect(world.RollOut(ctx, w.Live, i.namespace)).To(Succeed())
}

// collected plays the garbage collector: an object that is being deleted goes.
func (i *instance) collected(ctx context.Context, name string) {
	GinkgoHelper()
	job := &batchv1.Job{}
	Expect(w.Live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: name}, job)).To(Succeed())
	Expect(job.DeletionTimestamp).NotTo(BeNil())
	job.Finalizers = nil
	Expect(w.Live.Update(ctx, job)).To(Succeed())
}
