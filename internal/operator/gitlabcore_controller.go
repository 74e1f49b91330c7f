//go:build bridge

package operator

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabcore"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
)

// registerGitLabCore adds the GitLabCore reconciler, with the cache its drift watches read from.
func (b *bridge) registerGitLabCore(_ context.Context, mgr manager.Manager, reviewer *admit.Reviewer) error {
	live, err := client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return fmt.Errorf("build a client without a cache: %w", err)
	}
	applied, err := b.appliedCache(mgr)
	if err != nil {
		return err
	}
	memory := release.NewMemory()
	r := &gitlabcore.Reconciler{
		Client: live, Cached: mgr.GetClient(), Metadata: applied, Reviewer: reviewer,
		Engine: &release.Engine{Client: live, Manager: gitlabcore.Manager, Renderer: b.pool, Memory: memory},
		Events: mgr.GetEventRecorder("gitlabcore"),
		Now:    b.options.Now,
	}
	c, err := r.Setup(mgr, b.options.Concurrency)
	if err != nil {
		return fmt.Errorf("add the GitLabCore reconciler: %w", err)
	}
	r.Drift = &release.Drift{
		Cache: applied, Controller: c, Mapper: mgr.GetRESTMapper(), Memory: memory,
		Kind: plan.ReleaseKindGitLabCore, Now: b.options.Now,
	}
	return nil
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

// stripManagedFields drops what no pass reads and what makes up most of an object's metadata.
func stripManagedFields(o any) (any, error) {
	if m, ok := o.(metav1.Object); ok {
		m.SetManagedFields(nil)
	}
	return o, nil
}
