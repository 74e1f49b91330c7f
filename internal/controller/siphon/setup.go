package siphon

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/refs"
	"github.com/portcullis-operator/portcullis/internal/release"
)

// Setup adds the reconciler to a manager and returns its controller, for the drift watches. A Siphon is woken by its
// version's ConfigMap and by its instance.
func (r *Reconciler) Setup(mgr manager.Manager, concurrency int) (controller.Controller, error) {
	siphons := &v2alpha1.SiphonList{}
	c, err := builder.ControllerManagedBy(mgr).
		Named("siphon").
		For(&v2alpha1.Siphon{}, builder.WithPredicates(refs.Asked())).
		WatchesMetadata(&corev1.ConfigMap{}, refs.Referring(mgr.GetClient(), siphons, func(s *v2alpha1.Siphon, to client.Object) bool {
			return s.Spec.Version.VersionRef != nil && s.Spec.Version.VersionRef.Name == to.GetName()
		})).
		Watches(&v2alpha1.GitLabCore{}, refs.Referring(mgr.GetClient(), siphons, func(s *v2alpha1.Siphon, to client.Object) bool {
			return s.Spec.GitLabRef.Name == to.GetName()
		}), builder.WithPredicates(refs.Moved(release.SeenByNeighbours))).
		WithOptions(refs.Options(concurrency, release.FirstRetry, release.Interval)).
		Build(r)
	if err != nil {
		return nil, fmt.Errorf("build the Siphon controller: %w", err)
	}
	return c, nil
}
