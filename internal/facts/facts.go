// Package facts answers a plan's questions from the cluster.
//
// Floor 4: it implements plan.Facts over a reader of the API server, the catalogue of charts and a snapshot of what the
// cluster serves. Webhook and reconciler share one, so that the same facts lead to the same verdict.
package facts

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/plan"
)

// Cluster is plan.Facts over a live cluster.
type Cluster struct {
	// Reader reads ConfigMaps and Secrets. It reads live, not through a cache: a cache would hold every Secret of the
	// cluster in memory for the few that are values, and an old copy would make the verdict of a moment ago.
	Reader client.Reader
	// Catalogue holds the charts at hand.
	Catalogue *chart.Catalogue
	// Served is what the cluster serves.
	Served *Snapshot
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
	present, err := c.read(ctx, namespace, name, &cm)
	if err != nil || !present {
		return plan.Content{Presence: plan.Missing}, err
	}
	return content(&cm.ObjectMeta, cm.Data), nil
}

// Secret reads a Secret.
func (c *Cluster) Secret(ctx context.Context, namespace, name string) (plan.Content, error) {
	var secret corev1.Secret
	present, err := c.read(ctx, namespace, name, &secret)
	if err != nil || !present {
		return plan.Content{Presence: plan.Missing}, err
	}
	data := make(map[string]string, len(secret.Data))
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return content(&secret.ObjectMeta, data), nil
}

func (c *Cluster) read(ctx context.Context, namespace, name string, into client.Object) (bool, error) {
	err := c.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s/%s: %w", namespace, name, err)
	}
	return true, nil
}

func content(meta *metav1.ObjectMeta, data map[string]string) plan.Content {
	return plan.Content{
		Presence: plan.Present,
		Labels:   meta.Labels,
		Data:     data,
		Identity: string(meta.UID) + "/" + meta.ResourceVersion,
	}
}
