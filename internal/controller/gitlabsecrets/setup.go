package gitlabsecrets

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// Setup adds the reconciler to a manager. The cache holds the metadata of every Secret of the watched namespaces and no
// content: it only tells that one changed.
func (r *Reconciler) Setup(mgr manager.Manager, secrets cache.Cache, concurrency int) error {
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := builder.ControllerManagedBy(mgr).
		Named("gitlabsecrets").
		For(&v2alpha1.GitLabSecrets{}, builder.WithPredicates(predicate.Or(
			predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{},
		))).
		WatchesRawSource(source.Kind(secrets, metadata, handler.TypedEnqueueRequestsFromMapFunc(r.declaring(mgr.GetClient())))).
		WatchesRawSource(source.Channel(r.Forge.Done(), &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrency,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](firstRetry, interval),
		}).
		Complete(r)
	if err != nil {
		return fmt.Errorf("build the GitLabSecrets controller: %w", err)
	}
	return nil
}

// declaring finds the resources of the namespace that declare a Secret, whatever happened to it.
func (r *Reconciler) declaring(reader client.Reader) func(context.Context, *metav1.PartialObjectMetadata) []reconcile.Request {
	return func(ctx context.Context, secret *metav1.PartialObjectMetadata) []reconcile.Request {
		var all v2alpha1.GitLabSecretsList
		if err := reader.List(ctx, &all, client.InNamespace(secret.GetNamespace())); err != nil {
			return nil
		}
		var out []reconcile.Request
		for i := range all.Items {
			if slices.Contains(declares(all.Items[i].Spec), secret.GetName()) {
				out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&all.Items[i])})
			}
		}
		return out
	}
}
