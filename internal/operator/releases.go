//go:build bridge

package operator

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabcore"
	"github.com/portcullis-operator/portcullis/internal/controller/orbit"
	"github.com/portcullis-operator/portcullis/internal/controller/siphon"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/tables"
)

// registerReleases adds the reconcilers of the chart-backed kinds: one line each. They share the client that reads and
// writes without a cache and the cache their drift watches read from.
func (b *bridge) registerReleases(mgr manager.Manager, reviewer *admit.Reviewer) error {
	// A reconcile has the time that a request to the webhook has not.
	patient, unhurried := b.pool.Patient(), *reviewer
	unhurried.Tools.Renderer = patient
	live, err := client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return fmt.Errorf("build a client without a cache: %w", err)
	}
	applied, err := b.appliedCache(mgr)
	if err != nil {
		return err
	}
	engine := func(fieldManager, name string) *release.Engine {
		return &release.Engine{
			Client: live, Manager: fieldManager, Renderer: patient, Memory: release.NewMemory(), Metadata: applied,
			Events: mgr.GetEventRecorder(name),
		}
	}
	cores := &gitlabcore.Reconciler{Cached: mgr.GetClient(), Reviewer: &unhurried, Engine: engine(gitlabcore.Manager, "gitlabcore"), Now: b.options.Now}
	siphons := &siphon.Reconciler{Cached: mgr.GetClient(), Reviewer: &unhurried, Engine: engine(siphon.Manager, "siphon"), Tables: b.tables(), Now: b.options.Now}
	orbits := &orbit.Reconciler{Cached: mgr.GetClient(), Reviewer: &unhurried, Engine: engine(orbit.Manager, "orbit"), Now: b.options.Now}
	for _, kind := range []struct {
		name   string
		engine *release.Engine
		setup  func(manager.Manager, int) (controller.Controller, error)
	}{
		{plan.ReleaseKindGitLabCore, cores.Engine, cores.Setup},
		{plan.ReleaseKindSiphon, siphons.Engine, siphons.Setup},
		{plan.ReleaseKindOrbit, orbits.Engine, orbits.Setup},
	} {
		c, err := kind.setup(mgr, b.options.Concurrency)
		if err != nil {
			return fmt.Errorf("add the reconciler of a %s: %w", kind.name, err)
		}
		kind.engine.Drift = &release.Drift{
			Cache: applied, Controller: c, Mapper: mgr.GetRESTMapper(), Memory: kind.engine.Memory, Kind: kind.name, Now: b.options.Now,
		}
	}
	return nil
}

// tables reads the tables images of Siphons: from layouts on disk where some are given, else from their registries.
func (b *bridge) tables() siphon.Tables {
	if b.options.TablesLayouts != nil {
		return tables.Layout{FS: b.options.TablesLayouts}
	}
	return tables.Registry{}
}

// appliedCache holds the metadata of applied objects. It is a cache of its own, because a label selector hides what it
// does not match from every reader of the same cache.
func (b *bridge) appliedCache(mgr manager.Manager) (cache.Cache, error) {
	labelled, err := labels.Parse(object.LabelReleaseName)
	if err != nil {
		return nil, fmt.Errorf("select applied objects: %w", err)
	}
	applied, err := cache.New(mgr.GetConfig(), cache.Options{
		Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(), DefaultLabelSelector: labelled,
		DefaultNamespaces: namespaces(b.options.Namespaces),
		DefaultTransform:  stripManagedFields,
	})
	if err != nil {
		return nil, fmt.Errorf("build the cache of applied objects: %w", err)
	}
	if err := mgr.Add(applied); err != nil {
		return nil, fmt.Errorf("add the cache of applied objects: %w", err)
	}
	return applied, nil
}

// stripManagedFields drops what makes up most of an object's metadata, where no pass reads it.
func stripManagedFields(o any) (any, error) {
	if m, ok := o.(metav1.Object); ok && !object.FingerprintNeedsManagedFields(m) {
		m.SetManagedFields(nil)
	}
	return o, nil
}
