// Package refs tells which resource a change of another object concerns.
//
// Floor 2, effect: it reads lists from a cache. It knows no kind of ours: who refers to what is the caller's word.
package refs

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Asked lets through what a person asks of a resource: a new generation, a deletion. Our own writes of status and
// finalizer are neither.
func Asked() predicate.Predicate {
	return predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero()
		},
	})
}

// Moved lets through objects that come, go, or change in what a reader of them looks at.
func Moved(seen func(client.Object) any) predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero() ||
				!equality.Semantic.DeepEqual(seen(e.ObjectOld), seen(e.ObjectNew))
		},
	}
}

// Referring wakes the resources of an object's namespace that refer to it. List is an empty list of their kind. A list
// that cannot be read wakes nobody: it comes from a cache, and every resource is looked at again within its interval.
func Referring[T client.Object](reader client.Reader, list client.ObjectList, refers func(resource T, to client.Object) bool) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, to client.Object) []reconcile.Request {
		found, ok := list.DeepCopyObject().(client.ObjectList)
		if !ok || reader.List(ctx, found, client.InNamespace(to.GetNamespace())) != nil {
			return nil
		}
		items, err := apimeta.ExtractList(found)
		if err != nil {
			return nil
		}
		var out []reconcile.Request
		for _, item := range items {
			if resource, ok := item.(T); ok && refers(resource, to) {
				out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(resource)})
			}
		}
		return out
	})
}

// Options are those of every controller. The back-off of a failed pass ends at the interval of a pass at rest, so that a
// failure never makes the loop slower than its promise.
func Options(concurrency int, first, last time.Duration) controller.Options {
	return controller.Options{
		MaxConcurrentReconciles: concurrency,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](first, last),
	}
}
