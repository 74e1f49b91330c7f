// Package hookexec runs the hooks of one event of a release against the cluster, without ever waiting for a Job.
//
// Floor 3, effect: it speaks in render's types and knows no kind of ours. The one idea is that the cluster is the
// memory: every object a run creates carries the run's token, so Step can be called from scratch after any crash, looks at
// what is there, does the next thing, and says whether to come back. A hook is never run twice for one token unless it failed.
package hookexec

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/render"
)

// DefaultTimeout is how long one hook may run. Helm's own five minutes are too short for the Job that makes the secrets.
const DefaultTimeout = 10 * time.Minute

// pollInterval is how soon a running hook is looked at again when no watch wakes the reconcile earlier.
const pollInterval = 5 * time.Second

// The delete policies of a hook.
const (
	beforeHookCreation = "before-hook-creation"
	hookSucceeded      = "hook-succeeded"
	hookFailed         = "hook-failed"
)

// annotationDeletePolicy is where a chart names a hook's delete policy. A hook without it has a policy nobody chose.
const annotationDeletePolicy = "helm.sh/hook-delete-policy"

// Reasons are the machine-readable causes Step reports, named by the API of the kind that is reconciled.
type Reasons struct {
	// Running is the reason of a Wait: a hook runs, or an earlier one is still being deleted.
	Running outcome.Reason
	// Failed is the reason of a Fail when a hook ran and did not succeed; it is what Retry looks back at.
	Failed outcome.Reason
	// Unapplied is the reason of a Refuse, and of a Fail when a hook could not be run: the API server did not answer or
	// refused it, its kind is not served, or a foreign object is in the way. Empty means Failed.
	Unapplied outcome.Reason
}

// Run is one run of the hooks of one event.
type Run struct {
	// Release is what the hooks belong to; hooks are bound to its namespace.
	Release object.Release
	// Owner becomes the controller reference of every hook in the namespace that holds no kept data.
	Owner metav1.OwnerReference
	// Manager is the field manager of what the run creates.
	Manager string
	// Event selects the hooks, such as pre-install.
	Event string
	// Token names this run: the same for each Step of one run, another one whenever the hooks shall run anew.
	Token string
	// Retry says that the last pass reported this run with the reason Failed. A failed Job of this token is then that failure: it is
	// deleted and run again. Without it, it is reported.
	Retry bool
	// Timeout bounds one hook, counted from its creation; 0 means DefaultTimeout.
	Timeout time.Duration
	// Now is the time the timeout is measured at.
	Now time.Time
	// Reasons are the reasons of the outcomes.
	Reasons Reasons
}

// step is one hook, ready to be created.
type step struct {
	object *unstructured.Unstructured
	ref    object.Ref
	hook   render.Hook
}

func (s step) has(policy string) bool { return slices.Contains(s.hook.DeletePolicies, policy) }

// keeps reports whether an object of an earlier run stays as it is and counts as done, instead of being replaced. The
// hooks run again with every generation, while Helm runs a hook of pre-install alone only once in a release's life: a
// Secret, a claim or a volume made by such a hook would lose its data, unless the chart itself says to replace it.
func (s step) keeps() bool {
	if object.Kept(s.object) {
		return true
	}
	return object.NeverPrunedKind(s.ref.GVK.GroupKind()) &&
		s.object.GetAnnotations()[annotationDeletePolicy] == "" &&
		!slices.Contains(s.hook.Events, "pre-upgrade")
}

// prepare selects the hooks of the event, in the order they run (weight, then name), less definitions and RBAC, each as
// it is to be created. It asks the cluster only which kinds are namespaced.
func (r Run) prepare(c client.Client, hooks []render.Hook) ([]step, error) {
	var steps []step
	for _, h := range hooks {
		if _, never := object.NeverApplied(h.Object); never || !slices.Contains(h.Events, r.Event) {
			continue
		}
		s := step{object: h.Object.DeepCopy(), hook: h}
		if err := r.place(c, &s); err != nil {
			return nil, err
		}
		if err := r.adopt(s); err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	slices.SortStableFunc(steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.hook.Weight, b.hook.Weight), cmp.Compare(a.ref.Name, b.ref.Name))
	})
	return steps, nil
}

// place binds a hook to the namespace of the release, or to none, as its kind asks, and settles its identity.
func (r Run) place(c client.Client, s *step) error {
	object.DropNulls(s.object)
	s.ref = object.RefOf(s.object)
	s.ref.Namespace = ""
	namespaced, err := c.IsObjectNamespaced(s.object)
	switch ns := s.object.GetNamespace(); {
	case err != nil:
		return &UnservedError{Hook: s.ref, Err: err}
	case s.ref.Name == "":
		return &RefusedError{Hook: s.ref, Why: "it has no name of its own, so its run could not be followed"}
	case !namespaced:
	case ns != "" && ns != r.Release.Namespace:
		return &RefusedError{Hook: object.RefOf(s.object), Why: "hooks may only touch the namespace of the release, " + r.Release.Namespace}
	default:
		s.ref.Namespace = r.Release.Namespace
	}
	s.object.SetNamespace(s.ref.Namespace)
	return nil
}

// adopt makes a rendered hook one of this run: its labels, its token, its controller.
func (r Run) adopt(s step) error {
	object.StampRelease(s.object, r.Release)
	// Written into the map, since the accessors lose every annotation when one of them is no text.
	if err := unstructured.SetNestedField(s.object.Object, r.Token, "metadata", "annotations", object.AnnotationHookRun); err != nil {
		return &RefusedError{Hook: s.ref, Why: "its annotations are not a map"}
	}
	if isJob(s.ref.GVK) {
		// A Job that removes itself would look as if it had never run.
		unstructured.RemoveNestedField(s.object.Object, "spec", "ttlSecondsAfterFinished")
	}
	// Kept data outlives the resource, and what is in no namespace cannot be owned from one.
	s.object.SetOwnerReferences(nil)
	if s.ref.Namespace != "" && !s.keeps() && s.ref.GVK.Kind != "PersistentVolumeClaim" {
		s.object.SetOwnerReferences([]metav1.OwnerReference{r.Owner})
	}
	return nil
}

// ours reports whether a live object belongs to this release, by its labels and by its controller, if it has one. The
// controller's UID does not count: a resource that was deleted and made again finds what its namesake left behind.
func (r Run) ours(live *unstructured.Unstructured) bool {
	if release, named := object.ReleaseOf(live); !named || release != r.Release {
		return false
	}
	owner := metav1.GetControllerOf(live)
	return owner == nil || (owner.Kind == r.Owner.Kind && owner.Name == r.Owner.Name &&
		group(owner.APIVersion) == group(r.Owner.APIVersion))
}

func (r Run) timeout() time.Duration { return cmp.Or(r.Timeout, DefaultTimeout) }

func group(apiVersion string) string {
	return schema.FromAPIVersionAndKind(apiVersion, "").Group
}

func isJob(gvk schema.GroupVersionKind) bool { return gvk.Group == "batch" && gvk.Kind == "Job" }

func isPod(gvk schema.GroupVersionKind) bool { return gvk.Group == "" && gvk.Kind == "Pod" }
