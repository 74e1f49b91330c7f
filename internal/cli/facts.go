//go:build bridge

package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
)

// fileFacts answers a plan's questions from the files of the run. What is not among them may still be in the cluster,
// so it is unknown, not missing.
type fileFacts struct {
	catalogue *chart.Catalogue
	store     store
	served    plan.Capabilities
}

var _ plan.Facts = (*fileFacts)(nil)

// Chart opens a chart at hand.
func (f *fileFacts) Chart(ref chart.Ref) (*chart.Chart, error) {
	opened, err := f.catalogue.Open(ref)
	if err != nil {
		return nil, fmt.Errorf("open a chart: %w", err)
	}
	return opened, nil
}

// ConfigMap returns a ConfigMap of the run.
func (f *fileFacts) ConfigMap(_ context.Context, namespace, name string) (plan.Content, error) {
	return f.content("ConfigMap", namespace, name), nil
}

// Secret returns a Secret of the run.
func (f *fileFacts) Secret(_ context.Context, namespace, name string) (plan.Content, error) {
	return f.content("Secret", namespace, name), nil
}

func (f *fileFacts) content(kind, namespace, name string) plan.Content {
	if namespace == "" {
		namespace = defaultNamespace
	}
	s, ok := f.store[storeKey(kind, namespace, name)]
	if !ok {
		return plan.Content{Presence: plan.Unknown}
	}
	return plan.Content{Presence: plan.Present, Labels: s.labels, Data: s.data, Identity: s.identity}
}

// GitLabCore returns a GitLabCore of the run.
func (f *fileFacts) GitLabCore(_ context.Context, namespace, name string) (plan.Found[v2alpha1.GitLabCore], error) {
	return found[v2alpha1.GitLabCore](f.store, v2alpha1.KindGitLabCore, namespace, name), nil
}

// Siphon returns a Siphon of the run.
func (f *fileFacts) Siphon(_ context.Context, namespace, name string) (plan.Found[v2alpha1.Siphon], error) {
	return found[v2alpha1.Siphon](f.store, v2alpha1.KindSiphon, namespace, name), nil
}

// Orbit returns an Orbit of the run.
func (f *fileFacts) Orbit(_ context.Context, namespace, name string) (plan.Found[v2alpha1.Orbit], error) {
	return found[v2alpha1.Orbit](f.store, v2alpha1.KindOrbit, namespace, name), nil
}

// found reads a resource of the run. One that does not fit its type is refused for itself, and unknown to others.
func found[T any](s store, kind, namespace, name string) plan.Found[T] {
	if namespace == "" {
		namespace = defaultNamespace
	}
	entry, ok := s[storeKey(kind, namespace, name)]
	if !ok {
		return plan.Found[T]{Presence: plan.Unknown}
	}
	into := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(entry.content, into); err != nil {
		return plan.Found[T]{Presence: plan.Unknown}
	}
	return plan.Found[T]{Presence: plan.Present, Object: into}
}

// Capabilities returns what the cluster is taken to serve.
func (f *fileFacts) Capabilities(context.Context) (plan.Capabilities, error) { return f.served, nil }

// renderLimit is how long one render may take. Past it the templates go on by themselves until the program ends, which
// a command that ends soon can bear.
const renderLimit = 30 * time.Second

// renderer renders in this process and parses each chart once.
type renderer struct{ charts map[string]*render.Prepared }

// Render renders a chart; a render past the limit gives no verdict on the values.
func (r *renderer) Render(ctx context.Context, req render.Request) (render.Release, error) {
	prepared, ok := r.charts[req.Chart.Digest]
	if !ok {
		var err error
		if prepared, err = render.Prepare(req.Chart); err != nil {
			return render.Release{}, fmt.Errorf("prepare the chart: %w", err)
		}
		r.charts[req.Chart.Digest] = prepared
	}
	limited, cancel := context.WithTimeout(ctx, renderLimit)
	defer cancel()
	release, err := prepared.Render(limited, req)
	if errors.Is(limited.Err(), context.DeadlineExceeded) && err != nil {
		return render.Release{}, &render.Error{Kind: render.Canceled, Text: fmt.Sprintf("it took longer than %s", renderLimit), Cause: err}
	}
	if err != nil {
		return render.Release{}, fmt.Errorf("render: %w", err)
	}
	return release, nil
}
