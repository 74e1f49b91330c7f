package orbit

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

// Setup adds the reconciler to a manager and returns its controller, for the drift watches. An Orbit is woken by its
// version's ConfigMap, its instance and its Siphon.
func (r *Reconciler) Setup(mgr manager.Manager, concurrency int) (controller.Controller, error) {
	orbits := &v2alpha1.OrbitList{}
	c, err := builder.ControllerManagedBy(mgr).
		Named("orbit").
		For(&v2alpha1.Orbit{}, builder.WithPredicates(refs.Asked())).
		WatchesMetadata(&corev1.ConfigMap{}, refs.Referring(mgr.GetClient(), orbits, func(o *v2alpha1.Orbit, to client.Object) bool {
			return o.Spec.Version.VersionRef != nil && o.Spec.Version.VersionRef.Name == to.GetName()
		})).
		Watches(&v2alpha1.GitLabCore{}, refs.Referring(mgr.GetClient(), orbits, func(o *v2alpha1.Orbit, to client.Object) bool {
			return o.Spec.GitLabRef.Name == to.GetName()
		}), builder.WithPredicates(refs.Moved(release.SeenByNeighbours))).
		Watches(&v2alpha1.Siphon{}, refs.Referring(mgr.GetClient(), orbits, func(o *v2alpha1.Orbit, to client.Object) bool {
			return o.Spec.SiphonRef.Name == to.GetName()
		}), builder.WithPredicates(refs.Moved(release.SeenByNeighbours))).
		WithOptions(refs.Options(concurrency, release.FirstRetry, release.Interval)).
		Build(r)
	if err != nil {
		return nil, fmt.Errorf("build the Orbit controller: %w", err)
	}
	return c, nil
}
