package render

import (
	"context"
	"slices"

	helmchart "helm.sh/helm/v3/pkg/chart"

	"github.com/portcullis-operator/portcullis/internal/chart"
)

// Prepared is a chart that is parsed and can be rendered again and again. To parse a chart of GitLab's size takes a
// good part of its render. Any number of goroutines may share one.
type Prepared struct {
	// pristine is never handed to Helm: a render spends the chart it is given.
	pristine *helmchart.Chart
}

// Prepare parses a chart. A failure is an *Error.
func Prepare(c *chart.Chart) (*Prepared, error) {
	if c == nil {
		return nil, &Error{Kind: Input, Text: "there is no chart to render"}
	}
	parsed, err := c.Helm()
	if err != nil {
		return nil, &Error{Kind: Chart, Text: err.Error(), Cause: err}
	}
	return &Prepared{pristine: parsed}, nil
}

// Render renders the prepared chart; the chart of the request is not looked at. It behaves as the function Render does.
func (p *Prepared) Render(ctx context.Context, req Request) (Release, error) {
	if ctx.Err() != nil {
		return Release{}, canceled()
	}
	req = isolate(req)
	if ctx.Done() == nil {
		return render(req, p.copy())
	}
	type result struct {
		release Release
		err     error
	}
	done := make(chan result, 1)
	go func() {
		release, err := render(req, p.copy())
		done <- result{release, err}
	}()
	select {
	case <-ctx.Done():
		return Release{}, canceled()
	case r := <-done:
		return r.release, r.err
	}
}

// copy returns a chart of which a render may change what renders change: the tree of subcharts and the list of
// dependencies. Templates, files and default values are shared, since Helm copies the values itself before it merges
// them and reads the rest only.
func (p *Prepared) copy() *helmchart.Chart { return copyChart(p.pristine) }

func copyChart(c *helmchart.Chart) *helmchart.Chart {
	metadata := *c.Metadata
	metadata.Dependencies = slices.Clone(c.Metadata.Dependencies)
	for i, dependency := range metadata.Dependencies {
		if dependency != nil {
			d := *dependency
			metadata.Dependencies[i] = &d
		}
	}
	out := &helmchart.Chart{
		Raw: c.Raw, Metadata: &metadata, Lock: c.Lock, Templates: c.Templates, Values: c.Values, Schema: c.Schema, Files: c.Files,
	}
	for _, sub := range c.Dependencies() {
		out.AddDependency(copyChart(sub))
	}
	return out
}
