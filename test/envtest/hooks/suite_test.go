// Package hooks_test holds internal/render/hookexec to a real API server. No controller runs beside it, so the specs play
// the Job controller and the garbage collector by hand.
package hooks_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/render/hookexec"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

const (
	running   outcome.Reason = "HooksRunning"
	failed    outcome.Reason = "HooksFailed"
	unapplied outcome.Reason = "ApplyFailed"
)

var live client.WithWatch

func TestHooks(t *testing.T) {
	live = world.Start(t).Live
	RegisterFailHandler(Fail)
	RunSpecs(t, "hooks against a real API server")
}

// place is one release in a namespace of its own.
type place struct {
	client client.Client
	run    hookexec.Run
}

// newPlace makes a namespace and the first run of a release in it. The owner is a ConfigMap: the executor knows no kind.
func newPlace(ctx context.Context) *place {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "hooks-"}}
	Expect(live.Create(ctx, namespace)).To(Succeed())
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "acme"}}
	Expect(live.Create(ctx, owner)).To(Succeed())
	yes := true
	return &place{client: live, run: hookexec.Run{
		Release: object.Release{Name: "acme", Namespace: namespace.Name, Kind: "gitlabcore"},
		Owner: metav1.OwnerReference{
			APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, Controller: &yes, BlockOwnerDeletion: &yes,
		},
		Manager: "gitlabcore-controller",
		Event:   "pre-install",
		Token:   "first",
		Now:     time.Now(),
		Reasons: hookexec.Reasons{Running: running, Failed: failed, Unapplied: unapplied},
	}}
}

func (w *place) step(ctx context.Context, hooks []render.Hook) outcome.Outcome {
	return hookexec.Step(ctx, w.client, w.run, hooks)
}

func (w *place) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: w.run.Release.Namespace, Name: name}
}

// waits steps once and expects that a hook is awaited.
func (w *place) waits(ctx context.Context, hooks []render.Hook) outcome.Wait {
	GinkgoHelper()
	o := w.step(ctx, hooks)
	Expect(o).To(BeAssignableToTypeOf(outcome.Wait{}), "got %+v", o)
	wait, _ := o.(outcome.Wait)
	Expect(wait.Reason).To(Equal(running))
	Expect(wait.After).To(BeNumerically(">", 0))
	return wait
}

// fails steps once and expects a failure with a reason.
func (w *place) fails(ctx context.Context, why outcome.Reason, hooks []render.Hook) error {
	GinkgoHelper()
	o := w.step(ctx, hooks)
	Expect(o).To(BeAssignableToTypeOf(outcome.Fail{}), "got %+v", o)
	fail, _ := o.(outcome.Fail)
	Expect(fail.Reason).To(Equal(why))
	return fail.Err
}

func (w *place) completes(ctx context.Context, hooks []render.Hook) {
	GinkgoHelper()
	o := w.step(ctx, hooks)
	Expect(o).To(Equal(outcome.Outcome(outcome.Continue{})), "got %+v", o)
}

// job reads a Job.
func (w *place) job(ctx context.Context, name string) *batchv1.Job {
	GinkgoHelper()
	job := &batchv1.Job{}
	Expect(live.Get(ctx, w.key(name), job)).To(Succeed())
	return job
}

// ends plays the Job controller: the Job ends with the condition Complete or Failed.
func (w *place) ends(ctx context.Context, name string, how batchv1.JobConditionType) {
	GinkgoHelper()
	Expect(world.EndJob(ctx, live, w.key(name), how)).To(Succeed())
}

// collect plays the garbage collector: a Job that is deleted in the foreground has lost its pods and goes.
func (w *place) collect(ctx context.Context) {
	GinkgoHelper()
	jobs := &batchv1.JobList{}
	Expect(live.List(ctx, jobs, client.InNamespace(w.run.Release.Namespace))).To(Succeed())
	for _, job := range jobs.Items {
		if job.DeletionTimestamp != nil {
			job.Finalizers = nil
			Expect(client.IgnoreNotFound(live.Update(ctx, &job))).To(Succeed())
		}
	}
}

// exists reports whether an object of a kind is there.
func (w *place) exists(ctx context.Context, obj client.Object, name string) bool {
	GinkgoHelper()
	err := live.Get(ctx, w.key(name), obj)
	if !apierrors.IsNotFound(err) {
		Expect(err).NotTo(HaveOccurred())
	}
	return err == nil
}

// hooks reads manifests as a render hands them over.
func hooks(manifests ...string) []render.Hook {
	GinkgoHelper()
	var out []render.Hook
	for _, manifest := range manifests {
		u := &unstructured.Unstructured{}
		Expect(yaml.Unmarshal([]byte(manifest), &u.Object)).To(Succeed())
		annotations := u.GetAnnotations()
		weight, _ := strconv.Atoi(annotations["helm.sh/hook-weight"])
		policies := annotations["helm.sh/hook-delete-policy"]
		if policies == "" {
			policies = "before-hook-creation"
		}
		out = append(out, render.Hook{
			Object: u, Events: strings.Split(annotations["helm.sh/hook"], ","), Weight: weight, DeletePolicies: strings.Split(policies, ","),
		})
	}
	return out
}

// meta writes the metadata of a hook; an empty policy is left out.
func meta(name, events, weight, policy string) string {
	text := "metadata:\n  name: " + name + "\n  annotations:\n    helm.sh/hook: \"" + events + "\"\n    helm.sh/hook-weight: \"" + weight + "\"\n"
	if policy != "" {
		text += "    helm.sh/hook-delete-policy: \"" + policy + "\"\n"
	}
	return text
}

func job(name, weight, policy string) string {
	return "apiVersion: batch/v1\nkind: Job\n" + meta(name, "pre-install,pre-upgrade", weight, policy) + `spec:
  ttlSecondsAfterFinished: 60
  backoffLimit: 0
  template:
    metadata: {annotations: null}
    spec:
      restartPolicy: Never
      containers: [{name: work, image: registry.invalid/work}]
`
}

func configMap(name, weight, policy string) string {
	return "apiVersion: v1\nkind: ConfigMap\n" + meta(name, "pre-install", weight, policy) + "data: {a: b}\n"
}
