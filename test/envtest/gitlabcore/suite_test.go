package gitlabcore_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabcore"
)

var w *world

func TestGitLabCore(t *testing.T) {
	w = newWorld(t)
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter)))
	RegisterFailHandler(Fail)
	RunSpecs(t, "GitLabCore against a real API server")
}

// instance is one resource under test, with the reconciler that looks after it.
type instance struct {
	namespace  string
	reconciler *gitlabcore.Reconciler
	counts     *calls
	now        time.Time
}

// create stores a resource in a namespace of its own.
func create(ctx context.Context, of func(string) *v2alpha1.GitLabCore) *instance {
	GinkgoHelper()
	namespace, err := w.namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
	Expect(w.live.Create(ctx, of(namespace))).To(Succeed())
	i := &instance{namespace: namespace, now: time.Now()}
	c, counts := counting(w.live)
	i.counts = counts
	i.reconciler = w.reconciler(c, func() time.Time { return i.now })
	return i
}

// pass runs one reconcile that must not fail.
func (i *instance) pass(ctx context.Context) *v2alpha1.GitLabCore {
	GinkgoHelper()
	_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
	Expect(err).NotTo(HaveOccurred())
	return i.read(ctx)
}

func (i *instance) read(ctx context.Context) *v2alpha1.GitLabCore {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	Expect(w.live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: "instance"}, core)).To(Succeed())
	return core
}

// edit changes the stored resource.
func (i *instance) edit(ctx context.Context, change func(*v2alpha1.GitLabCore)) {
	GinkgoHelper()
	core := i.read(ctx)
	change(core)
	Expect(w.live.Update(ctx, core)).To(Succeed())
}

// exists reports whether an object of the namespace is there.
func (i *instance) exists(ctx context.Context, o client.Object, name string) bool {
	GinkgoHelper()
	err := w.live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: name}, o)
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
	job := &batchv1.Job{}
	Expect(w.live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: name}, job)).To(Succeed())
	now := metav1.Now()
	first := batchv1.JobSuccessCriteriaMet
	job.Status.StartTime = &now
	if how == batchv1.JobComplete {
		job.Status.CompletionTime, job.Status.Succeeded = &now, 1
	} else {
		first = batchv1.JobFailureTarget
		job.Status.Failed = 1
	}
	for _, t := range []batchv1.JobConditionType{first, how} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: t, Status: corev1.ConditionTrue, LastProbeTime: now, LastTransitionTime: now,
			Reason: "Played", Message: "played by the spec",
		})
	}
	Expect(w.live.Status().Update(ctx, job)).To(Succeed())
}

// rolledOut plays the Deployment and StatefulSet controllers.
func (i *instance) rolledOut(ctx context.Context) {
	GinkgoHelper()
	rollOut(ctx, NewWithT(GinkgoT()), i.namespace)
}

// rollOut makes every workload of a namespace look rolled out.
func rollOut(ctx context.Context, g Gomega, namespace string) {
	GinkgoHelper()
	var deployments appsv1.DeploymentList
	g.Expect(w.live.List(ctx, &deployments, client.InNamespace(namespace))).To(Succeed())
	for _, d := range deployments.Items {
		n := ptr.Deref(d.Spec.Replicas, 1)
		d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n}
		g.Expect(w.live.Status().Update(ctx, &d)).To(Succeed())
	}
	var sets appsv1.StatefulSetList
	g.Expect(w.live.List(ctx, &sets, client.InNamespace(namespace))).To(Succeed())
	for _, s := range sets.Items {
		n := ptr.Deref(s.Spec.Replicas, 1)
		s.Status = appsv1.StatefulSetStatus{ObservedGeneration: s.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n, CurrentReplicas: n}
		g.Expect(w.live.Status().Update(ctx, &s)).To(Succeed())
	}
}

// collected plays the garbage collector: an object that is being deleted goes.
func (i *instance) collected(ctx context.Context, name string) {
	GinkgoHelper()
	job := &batchv1.Job{}
	Expect(w.live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: name}, job)).To(Succeed())
	Expect(job.DeletionTimestamp).NotTo(BeNil())
	job.Finalizers = nil
	Expect(w.live.Update(ctx, job)).To(Succeed())
}
