package gitlabcore

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/release"
)

// The back-off of a failed pass. Its end is the interval of the 30-second pass, so that a failure never makes the loop
// slower than its promise.
const firstRetry = 200 * time.Millisecond

// Setup adds the reconciler to a manager and returns its controller, for the drift watches.
func (r *Reconciler) Setup(mgr manager.Manager, concurrency int) (controller.Controller, error) {
	c, err := builder.ControllerManagedBy(mgr).
		Named("gitlabcore").
		For(&v2alpha1.GitLabCore{}, builder.WithPredicates(asked())).
		WatchesMetadata(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.referring(mgr.GetClient(), v2alpha1.ValuesReferenceConfigMap))).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.referring(mgr.GetClient(), v2alpha1.ValuesReferenceSecret))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrency,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](firstRetry, release.Interval),
		}).
		Build(r)
	if err != nil {
		return nil, fmt.Errorf("build the GitLabCore controller: %w", err)
	}
	return c, nil
}

// asked lets through what a person asks for: a new generation, a deletion. Our own writes of status and finalizer are
// neither.
func asked() predicate.Predicate {
	return predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero()
		},
	})
}

// referring finds the resources of the namespace that read an object: its version or its values.
func (r *Reconciler) referring(reader client.Reader, kind v2alpha1.ValuesReferenceKind) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []reconcile.Request {
		var cores v2alpha1.GitLabCoreList
		if err := reader.List(ctx, &cores, client.InNamespace(o.GetNamespace())); err != nil {
			return nil
		}
		var out []reconcile.Request
		for i := range cores.Items {
			if refersTo(&cores.Items[i].Spec, kind, o) {
				out = append(out, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: cores.Items[i].Name}})
			}
		}
		return out
	}
}

func refersTo(spec *v2alpha1.GitLabCoreSpec, kind v2alpha1.ValuesReferenceKind, o metav1.Object) bool {
	if ref := spec.Version.VersionRef; ref != nil && kind == v2alpha1.ValuesReferenceConfigMap && ref.Name == o.GetName() {
		return true
	}
	if spec.Chart == nil {
		return false
	}
	for _, ref := range spec.Chart.ValuesFrom {
		if ref.Kind == kind && ref.Name == o.GetName() {
			return true
		}
	}
	return false
}
