package plan

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/render"
)

// Facts answers what a plan asks about the world outside the object. The cluster, a folder of files and a map in a
// test implement it. An error means that the question could not be asked, not that the answer is no.
type Facts interface {
	// Chart opens a chart at hand. The error is a *chart.NotFoundError when there is none of that name and version.
	Chart(ref chart.Ref) (*chart.Chart, error)
	// ConfigMap returns the content of a ConfigMap.
	ConfigMap(ctx context.Context, namespace, name string) (Content, error)
	// Secret returns the content of a Secret. Nothing of it may be printed.
	Secret(ctx context.Context, namespace, name string) (Content, error)
	// Capabilities returns what the cluster serves.
	Capabilities(ctx context.Context) (Capabilities, error)
	Resources
}

// Resources answers what a plan asks about the resources of ours that others build on.
type Resources interface {
	GitLabCore(ctx context.Context, namespace, name string) (Found[v2alpha1.GitLabCore], error)
	Siphon(ctx context.Context, namespace, name string) (Found[v2alpha1.Siphon], error)
	Orbit(ctx context.Context, namespace, name string) (Found[v2alpha1.Orbit], error)
}

// Renderer renders a chart. Failures are *render.Error; one of kind Canceled gives no verdict on the values.
type Renderer interface {
	Render(ctx context.Context, req render.Request) (render.Release, error)
}

// Presence says whether an object is there.
type Presence int

const (
	// Unknown says that nobody could look, as in an offline check.
	Unknown Presence = iota
	// Missing says that somebody looked and it is not there.
	Missing
	// Present says that it is there.
	Present
)

// Found is what is known of a resource of ours. Object is nil unless it is Present.
type Found[T any] struct {
	Presence Presence
	Object   *T
}

// Neighbours are the resources of ours that one builds on, as far as somebody looked for them.
type Neighbours struct {
	GitLabCore Found[v2alpha1.GitLabCore]
	// Instance are the values of GitLabCore.
	Instance Instance
	Siphon   Found[v2alpha1.Siphon]
	Orbit    Found[v2alpha1.Orbit]
}

// Content is what is known of a ConfigMap or a Secret.
type Content struct {
	Presence Presence
	// Labels are those of the object.
	Labels map[string]string
	// Data is its content, a Secret's decoded.
	Data map[string]string
	// Identity tells two states of one object apart without telling their content: UID and resource version.
	Identity string
}

// Capabilities are what the cluster serves, and how sure that is.
type Capabilities struct {
	render.Capabilities
	// Assumed says that nobody asked a cluster: nothing is said about kinds that are not served.
	Assumed bool
	// Partial says that a part of the cluster's API did not answer. What is not listed may still be served, so
	// nothing may be pruned on the strength of a render with it.
	Partial bool
}

// monitoring reports whether the cluster serves a kind of the Prometheus operator.
func (c Capabilities) monitoring(kind string) bool {
	return serves(c, schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: kind})
}
