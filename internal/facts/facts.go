// Package facts answers a plan's questions from the cluster.
//
// Floor 4: it implements plan.Facts over a reader of the API server, the catalogue of charts and a snapshot of what the
// cluster serves. Webhook and reconciler share one, so that the same facts lead to the same verdict.
package facts

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/plan"
)

// Cluster is plan.Facts over a live cluster.
type Cluster struct {
	// Reader reads ConfigMaps and Secrets. It reads live, not through a cache: a cache would hold every Secret of the
	// cluster in memory for the few that are values, and an old copy would make the verdict of a moment ago.
	Reader client.Reader
	// Resources reads the resources of ours that others build on, from the cache whose watches also wake the others.
	Resources client.Reader
	// Catalogue holds the charts at hand.
	Catalogue *chart.Catalogue
	// Served is what the cluster serves.
	Served *Snapshot
	// Namespaces are those the Operator watches; empty means all. A webhook is asked about every namespace, and of
	// one that is not watched nothing is known: the cache of Resources refuses to answer for it.
	Namespaces []string
}

var _ plan.Facts = (*Cluster)(nil)

// Chart opens a chart at hand.
func (c *Cluster) Chart(ref chart.Ref) (*chart.Chart, error) {
	opened, err := c.Catalogue.Open(ref)
	if err != nil {
		return nil, fmt.Errorf("open chart: %w", err)
	}
	return opened, nil
}

// Capabilities returns the snapshot, refreshed when it is old.
func (c *Cluster) Capabilities(ctx context.Context) (plan.Capabilities, error) {
	return c.Served.Get(ctx)
}

// ConfigMap reads a ConfigMap.
func (c *Cluster) ConfigMap(ctx context.Context, namespace, name string) (plan.Content, error) {
	var cm corev1.ConfigMap
	presence, err := c.get(ctx, c.Reader, namespace, name, &cm)
	if err != nil || presence != plan.Present {
		return plan.Content{Presence: presence}, err
	}
	return content(&cm.ObjectMeta, cm.Data), nil
}

// Secret reads a Secret.
func (c *Cluster) Secret(ctx context.Context, namespace, name string) (plan.Content, error) {
	var secret corev1.Secret
	presence, err := c.get(ctx, c.Reader, namespace, name, &secret)
	if err != nil || presence != plan.Present {
		return plan.Content{Presence: presence}, err
	}
	data := make(map[string]string, len(secret.Data))
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return content(&secret.ObjectMeta, data), nil
}

// GitLabCore reads a GitLabCore.
func (c *Cluster) GitLabCore(ctx context.Context, namespace, name string) (plan.Found[v2alpha1.GitLabCore], error) {
	core := &v2alpha1.GitLabCore{}
	return found(ctx, c, namespace, name, core, core)
}

// Siphon reads a Siphon.
func (c *Cluster) Siphon(ctx context.Context, namespace, name string) (plan.Found[v2alpha1.Siphon], error) {
	siphon := &v2alpha1.Siphon{}
	return found(ctx, c, namespace, name, siphon, siphon)
}

// Orbit reads an Orbit.
func (c *Cluster) Orbit(ctx context.Context, namespace, name string) (plan.Found[v2alpha1.Orbit], error) {
	orbit := &v2alpha1.Orbit{}
	return found(ctx, c, namespace, name, orbit, orbit)
}

// found reads one resource; read and into are the same object, once as the reader takes it and once as it is returned.
func found[T any](ctx context.Context, c *Cluster, namespace, name string, into client.Object, read *T) (plan.Found[T], error) {
	presence, err := c.get(ctx, c.Resources, namespace, name, into)
	if err != nil || presence != plan.Present {
		return plan.Found[T]{Presence: presence}, err
	}
	return plan.Found[T]{Presence: plan.Present, Object: read}, nil
}

// get reads one object. It is unknown, not missing, where the Operator may not look: an object of a namespace that is
// not watched is checked without its neighbours, rather than not at all.
func (c *Cluster) get(ctx context.Context, reader client.Reader, namespace, name string, into client.Object) (plan.Presence, error) {
	if len(c.Namespaces) > 0 && !slices.Contains(c.Namespaces, namespace) {
		return plan.Unknown, nil
	}
	err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into)
	switch {
	case err == nil:
		return plan.Present, nil
	case apierrors.IsNotFound(err):
		return plan.Missing, nil
	case apierrors.IsForbidden(err):
		return plan.Unknown, nil
	}
	return plan.Unknown, fmt.Errorf("read %s/%s: %w", namespace, name, err)
}

func content(meta *metav1.ObjectMeta, data map[string]string) plan.Content {
	return plan.Content{
		Presence: plan.Present,
		Labels:   meta.Labels,
		Data:     data,
		Identity: string(meta.UID) + "/" + meta.ResourceVersion,
	}
}
