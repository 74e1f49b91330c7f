package gitlabcore

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/refs"
	"github.com/portcullis-operator/portcullis/internal/release"
)

// Setup adds the reconciler to a manager and returns its controller, for the drift watches. An instance is woken by the
// objects its version and its values come from, by its GitLabSecrets and by its Orbit.
func (r *Reconciler) Setup(mgr manager.Manager, concurrency int) (controller.Controller, error) {
	cores := &v2alpha1.GitLabCoreList{}
	refersBy := func(kind v2alpha1.ValuesReferenceKind) func(*v2alpha1.GitLabCore, client.Object) bool {
		return func(core *v2alpha1.GitLabCore, to client.Object) bool { return refersTo(&core.Spec, kind, to) }
	}
	c, err := builder.ControllerManagedBy(mgr).
		Named("gitlabcore").
		For(&v2alpha1.GitLabCore{}, builder.WithPredicates(refs.Asked())).
		WatchesMetadata(&corev1.ConfigMap{}, refs.Referring(mgr.GetClient(), cores, refersBy(v2alpha1.ValuesReferenceConfigMap))).
		WatchesMetadata(&corev1.Secret{}, refs.Referring(mgr.GetClient(), cores, refersBy(v2alpha1.ValuesReferenceSecret))).
		Watches(&v2alpha1.GitLabSecrets{}, handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), &v2alpha1.GitLabCore{}, handler.OnlyControllerOwner()),
			builder.WithPredicates(judged())).
		Watches(&v2alpha1.Orbit{}, refs.Referring(mgr.GetClient(), cores, func(core *v2alpha1.GitLabCore, to client.Object) bool {
			return core.Spec.OrbitRef != nil && core.Spec.OrbitRef.Name == to.GetName()
		}), builder.WithPredicates(refs.Moved(release.SeenByNeighbours))).
		WithOptions(refs.Options(concurrency, release.FirstRetry, release.Interval)).
		Build(r)
	if err != nil {
		return nil, fmt.Errorf("build the GitLabCore controller: %w", err)
	}
	return c, nil
}

// judged lets through a GitLabSecrets whose readiness may have changed, or that is met for the first time with one. That
// it is deleted or edited, the drift watch sees.
func judged() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			secrets, known := e.Object.(*v2alpha1.GitLabSecrets)
			return known && len(secrets.Status.Conditions) > 0
		},
		DeleteFunc: func(event.DeleteEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, known := e.ObjectOld.(*v2alpha1.GitLabSecrets)
			after, still := e.ObjectNew.(*v2alpha1.GitLabSecrets)
			return known && still && !equality.Semantic.DeepEqual(before.Status.Conditions, after.Status.Conditions)
		},
	}
}

// refersTo reports whether a resource reads an object: its version or its values.
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
