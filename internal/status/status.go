// Package status writes the status of a resource once per pass.
//
// Floor 2, effect: it knows no kind of ours. The one idea is that a reconciler edits a copy in memory and the difference
// leaves in one patch, last; where nothing differs, nothing is written.
package status

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Write sends the difference between two states of one resource's status, before as it was read and after as the pass
// left it, and reports whether it wrote. An unchanged status costs no request. Only the status is compared and sent.
//
// The patch holds the resource version that was read: a status carries records the next pass reads back (which kinds
// were rendered, whose hooks ran), and a pass that started from a stale read must not write an older record over a newer
// one. It then gets a conflict, wrapped, and the pass is made again from a fresh read; every effect before it is idempotent.
//
// A resource that is gone has no status to write, which is no error. After a write after carries the new resource
// version, so that a pass may record something ahead of its effects and the rest at its end.
func Write[T client.Object](ctx context.Context, c client.Client, before, after T) (written bool, err error) {
	old, err := statusOf(before)
	if err != nil {
		return false, err
	}
	next, err := statusOf(after)
	if err != nil {
		return false, err
	}
	if equality.Semantic.DeepEqual(old, next) {
		return false, nil
	}
	gvk, err := apiutil.GVKForObject(after, c.Scheme())
	if err != nil {
		return false, fmt.Errorf("write the status of %s: %w", client.ObjectKeyFromObject(after), err)
	}
	base := &unstructured.Unstructured{Object: map[string]any{"status": old}}
	base.SetGroupVersionKind(gvk)
	base.SetNamespace(after.GetNamespace())
	base.SetName(after.GetName())
	base.SetResourceVersion(before.GetResourceVersion())
	patched := base.DeepCopy()
	patched.Object["status"] = next

	patch := client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})
	err = c.Status().Patch(ctx, patched, patch)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("write the status of %s %s: %w", gvk.Kind, client.ObjectKeyFromObject(after), err)
	}
	after.SetResourceVersion(patched.GetResourceVersion())
	return true, nil
}

// statusOf returns the status as the API server would see it; a resource without one has an empty status.
func statusOf(obj client.Object) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("read the status of %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	status, _, err := unstructured.NestedMap(content, "status")
	if err != nil {
		return nil, fmt.Errorf("read the status of %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	if status == nil {
		status = map[string]any{}
	}
	return status, nil
}
