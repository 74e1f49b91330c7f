package release

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/portcullis-operator/portcullis/internal/apply"
)

// removalPatience is how long a deletion is held back while the prune of cluster-scoped objects fails; removalRetry is
// how soon it is tried again. After that the resource goes: a cleanup must never block a deletion.
const (
	removalPatience = time.Minute
	removalRetry    = 5 * time.Second
)

// Hold sets the finalizer in the pass that first sees a resource: setting it moves no generation, so there may be no
// second one. Again says that the resource was read too long ago and has to be read again.
func (e *Engine) Hold(ctx context.Context, o client.Object, finalizer string) (again bool, err error) {
	if controllerutil.ContainsFinalizer(o, finalizer) {
		return false, nil
	}
	before, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		return false, fmt.Errorf("set the finalizer of %s: a copy of it is no object", client.ObjectKeyFromObject(o))
	}
	controllerutil.AddFinalizer(o, finalizer)
	err = e.Client.Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("set the finalizer of %s: %w", client.ObjectKeyFromObject(o), err)
	}
	return false, nil
}

// Remove prunes what no owner reference takes along and lets a resource go. It neither resolves nor renders a chart.
// Where the deletion asks to orphan what depends on the resource, nothing is pruned. Gone says that this call let it go.
func (e *Engine) Remove(ctx context.Context, owner apply.Owner, o client.Object, finalizer string, kinds []string, now time.Time) (gone bool, result ctrl.Result, err error) {
	e.Memory.Forget(o.GetUID())
	if !controllerutil.ContainsFinalizer(o, finalizer) {
		return false, ctrl.Result{}, nil
	}
	if controllerutil.ContainsFinalizer(o, metav1.FinalizerOrphanDependents) {
		logf.FromContext(ctx).Info("the deletion asks to orphan what depends on the resource, so nothing of the release is deleted")
	} else if again := e.pruneLast(ctx, owner, o, kinds, now); again {
		return false, ctrl.Result{RequeueAfter: removalRetry}, nil
	}
	before, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		return false, ctrl.Result{}, fmt.Errorf("let go of %s: a copy of it is no object", owner.Release)
	}
	controllerutil.RemoveFinalizer(o, finalizer)
	err = e.Client.Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if client.IgnoreNotFound(err) != nil {
		return false, ctrl.Result{}, fmt.Errorf("let go of %s: %w", owner.Release, err)
	}
	return true, ctrl.Result{}, nil
}

// pruneLast prunes all of a release and reports whether it is to be tried again: until the patience has run out.
func (e *Engine) pruneLast(ctx context.Context, owner apply.Owner, o client.Object, kinds []string, now time.Time) (again bool) {
	log := logf.FromContext(ctx)
	pruned := e.Prune(ctx, owner, nil, kinds)
	if deleted := pruned.Changes.Of(apply.Deleted); len(deleted) > 0 {
		log.Info("deleted what no owner reference takes along", "release", owner.Release.String(), "deleted", refs(deleted))
	}
	err := Failures(pruned.Changes)
	if err == nil {
		return false
	}
	if now.Sub(o.GetDeletionTimestamp().Time) < removalPatience {
		log.Info("an object of the release could not be deleted; trying again", "cause", err.Error())
		return true
	}
	log.Error(err, "the resource is deleted although an object of its release could not be")
	return false
}
