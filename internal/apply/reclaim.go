package apply

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reclaim makes the manager the owner of what others wrote into an object by an update, so that the next apply removes
// it, and reports whether it did. Where it did not, the refusal stands as the API server gave it.
//
// A server-side apply merges. Somebody who changes the number of a Service's port has added a port next to ours, and
// whoever turns the value of a variable into a reference has given it both: the API server then refuses every apply,
// and the edit would stay for good. So this is done only where the merge is at fault: the API server refuses the object
// as it lies in the cluster and would take it as the chart has it. What others set by an apply of their own, or through
// a subresource such as scale, is left to them.
func (e *Engine) reclaim(ctx context.Context, desired, live *unstructured.Unstructured, refusal error) bool {
	others := updaters(live, e.Manager)
	if len(others) == 0 || !apierrors.IsInvalid(refusal) || classify(refusal) != Refused || !e.validAlone(ctx, desired) {
		return false
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, others, e.Manager)
	if err != nil || patch == nil {
		return false
	}
	return e.Client.Patch(ctx, live.DeepCopy(), client.RawPatch(types.JSONPatchType, patch)) == nil
}

// updaters names who set fields of an object by an update of the whole object.
func updaters(live *unstructured.Unstructured, manager string) sets.Set[string] {
	out := sets.New[string]()
	if live == nil {
		return out
	}
	for _, entry := range live.GetManagedFields() {
		if entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == "" && entry.Manager != manager {
			out.Insert(entry.Manager)
		}
	}
	return out
}

// validAlone reports whether the API server would take the object if there was none of its name. Where that cannot be
// told, for a quota or a port that is taken, the answer is no.
func (e *Engine) validAlone(ctx context.Context, desired *unstructured.Unstructured) bool {
	alone := desired.DeepCopy()
	alone.SetName("")
	alone.SetGenerateName(desired.GetName() + "-")
	return e.Client.Create(ctx, alone, client.DryRunAll, client.FieldOwner(e.Manager)) == nil
}
