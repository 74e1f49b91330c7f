package release

import (
	"context"
	"fmt"
	"sync"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// Drift wakes the owner of an object that somebody changed or deleted. It watches metadata only, and only of the kinds
// some release applied, in a cache of its own whose selector is the release label.
type Drift struct {
	// Cache holds metadata of labelled objects.
	Cache cache.Cache
	// Controller is the one to wake.
	Controller controller.Controller
	// Mapper tells whether the cluster still serves a kind.
	Mapper apimeta.RESTMapper
	// Memory knows our own writes.
	Memory *Memory
	// Kind is the release kind whose objects wake this controller.
	Kind string
	// Now is the clock.
	Now func() time.Time

	mu      sync.Mutex
	watched map[schema.GroupVersionKind]bool
}

// Watch makes sure that every kind, written <apiVersion>/<Kind>, is watched. A kind the cluster does not serve is left
// out; it is tried again on the next call.
func (d *Drift) Watch(kinds []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watched == nil {
		d.watched = map[schema.GroupVersionKind]bool{}
	}
	for _, kind := range kinds {
		gvk, ok := object.ParseKind(kind)
		if !ok || d.watched[gvk] {
			continue
		}
		if _, err := d.Mapper.RESTMapping(gvk.GroupKind(), gvk.Version); err != nil {
			continue
		}
		if err := d.watch(gvk); err != nil {
			return err
		}
		d.watched[gvk] = true
	}
	return nil
}

func (d *Drift) watch(gvk schema.GroupVersionKind) error {
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(gvk)
	wake := handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, o *metav1.PartialObjectMetadata) []reconcile.Request {
		release := object.Release{
			Name:      o.Labels[object.LabelReleaseName],
			Namespace: o.Labels[object.LabelReleaseNamespace],
			Kind:      o.Labels[object.LabelReleaseKind],
		}
		if release.Kind != d.Kind {
			return nil
		}
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: release.Namespace, Name: release.Name}}}
	})
	err := d.Controller.Watch(source.Kind(d.Cache, metadata, wake, d.foreign(gvk)))
	if err != nil {
		return fmt.Errorf("watch the metadata of %s: %w", object.KindKey(gvk), err)
	}
	return nil
}

// foreign lets through what somebody else did: everything that is not as we left it, and every step of a workload or a
// Job, since readiness and hooks are judged by their status.
func (d *Drift) foreign(gvk schema.GroupVersionKind) predicate.TypedPredicate[*metav1.PartialObjectMetadata] {
	moves := gvk.Group == "apps" || gvk.Group == "batch"
	strange := func(o *metav1.PartialObjectMetadata) bool {
		ref := object.Ref{GVK: gvk, Namespace: o.Namespace, Name: o.Name}
		return moves || !d.Memory.Ours(ref, o, d.Now())
	}
	return predicate.TypedFuncs[*metav1.PartialObjectMetadata]{
		CreateFunc: func(e event.TypedCreateEvent[*metav1.PartialObjectMetadata]) bool {
			return !e.IsInInitialList && strange(e.Object)
		},
		UpdateFunc: func(e event.TypedUpdateEvent[*metav1.PartialObjectMetadata]) bool {
			return e.ObjectOld.ResourceVersion != e.ObjectNew.ResourceVersion && strange(e.ObjectNew)
		},
		DeleteFunc: func(event.TypedDeleteEvent[*metav1.PartialObjectMetadata]) bool { return true },
	}
}
