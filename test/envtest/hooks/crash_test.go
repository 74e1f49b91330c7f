package hooks_test

import (
	"context"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/render/hookexec"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// made counts the hooks of the second run that come into being, by kind and name.
type made map[string]int

func (m made) counted(c client.WithWatch) client.WithWatch {
	return world.Through(c, func(_ context.Context, call world.Call, send func() error) error {
		err := send()
		if o, ok := call.Object.(client.Object); ok && call.Verb == "create" && err == nil && o.GetAnnotations()[object.AnnotationHookRun] == "second" {
			m[o.GetObjectKind().GroupVersionKind().Kind+" "+o.GetName()]++
		}
		return err
	})
}

// story is one course of events around a run.
type story struct {
	hooks []render.Hook
	// breaks is how many Jobs named breaking fail before one completes.
	breaks int
}

// live drives a run to its end and beyond its cleanup, as a reconciler does that starts from scratch whenever a call was
// lost, and returns what is then in the namespace. Beside it the Job controller and the collector do their work.
func (s story) live(ctx context.Context, w *place) []string {
	GinkgoHelper()
	w.run.Retry = false
	breaks := s.breaks
	for turn := 0; ; turn++ {
		Expect(turn).To(BeNumerically("<", 60), "the run does not come to its end")
		o := w.step(ctx, s.hooks)
		if _, done := o.(outcome.Continue); done {
			break
		}
		// The status of the pass is what the next one is told.
		f, _ := o.(outcome.Fail)
		w.run.Retry = f.Reason == failed
		w.collect(ctx)
		breaks -= w.controller(ctx, breaks)
	}
	Eventually(func() error { return hookexec.Cleanup(ctx, w.client, w.run, s.hooks) }).Should(Succeed())
	w.collect(ctx)
	return w.state(ctx)
}

// controller ends every Job that runs; the first that is named breaking fails as often as it is to. It returns how many failed.
func (w *place) controller(ctx context.Context, breaks int) int {
	GinkgoHelper()
	jobs := &batchv1.JobList{}
	Expect(live.List(ctx, jobs, client.InNamespace(w.run.Release.Namespace))).To(Succeed())
	failures := 0
	for _, j := range jobs.Items {
		switch {
		case len(j.Status.Conditions) > 0 || j.DeletionTimestamp != nil:
		case j.Name == "breaking" && breaks > failures:
			w.ends(ctx, j.Name, batchv1.JobFailed)
			failures++
		default:
			w.ends(ctx, j.Name, batchv1.JobComplete)
		}
	}
	return failures
}

// state lists what the hooks of the namespace are: kind, name, run.
func (w *place) state(ctx context.Context) []string {
	GinkgoHelper()
	var out []string
	for _, kind := range []schema.GroupVersionKind{
		{Group: "batch", Version: "v1", Kind: "JobList"}, {Version: "v1", Kind: "ConfigMapList"}, {Version: "v1", Kind: "SecretList"},
	} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		Expect(live.List(ctx, list, client.InNamespace(w.run.Release.Namespace), client.MatchingLabels(w.run.Release.Labels()))).To(Succeed())
		for _, u := range list.Items {
			out = append(out, u.GetKind()+" "+u.GetName()+" "+u.GetAnnotations()[object.AnnotationHookRun])
		}
	}
	slices.Sort(out)
	return out
}

// prepared makes a place in which an earlier run left everything it could leave.
func (s story) prepared(ctx context.Context) *place {
	GinkgoHelper()
	w := newPlace(ctx)
	for {
		if _, done := w.step(ctx, s.hooks).(outcome.Continue); done {
			break
		}
		w.controller(ctx, 0)
	}
	w.run.Token = "second"
	return w
}

var _ = Describe("A run that loses a call to the API server", func() {
	every := func() []string {
		return []string{
			configMap("scripts", "-5", "hook-succeeded,before-hook-creation"),
			"apiVersion: v1\nkind: Secret\n" + meta("generated", "pre-install", "-3", "") + "stringData: {a: b}\n",
			job("breaking", "1", "before-hook-creation,hook-failed"),
			job("last", "2", "hook-succeeded"),
		}
	}
	for name, breaks := range map[string]int{"and no hook fails": 0, "and a hook fails the first time": 1} {
		It("ends as if it had not, whichever call it is, "+name, func(ctx SpecContext) {
			s := story{hooks: hooks(every()...), breaks: breaks}
			w := s.prepared(ctx)
			c, smooth := world.Counting(live)
			w.client = c
			want := s.live(ctx, w)
			Expect(want).To(Equal([]string{"Job breaking second", "Secret generated first"}))
			Expect(smooth.Total()).To(BeNumerically(">", 20))

			for lose := int64(1); lose <= smooth.Total(); lose++ {
				for _, answer := range []bool{false, true} {
					w, created := s.prepared(ctx), made{}
					w.client = world.Failing(created.counted(live), world.Fault{Call: lose, After: answer})
					Expect(s.live(ctx, w)).To(Equal(want), "losing call %d, seen %v", lose, answer)
					Expect(created).To(HaveKeyWithValue("Job breaking", 1+breaks), "losing call %d, seen %v", lose, answer)
					Expect(created).To(HaveKeyWithValue("Job last", 1), "losing call %d, seen %v", lose, answer)
				}
			}
		})
	}
})
