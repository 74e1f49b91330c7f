package plan

import (
	"slices"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// Inputs is everything a plan depends on. It is a value: equal digests give equal plans.
type Inputs struct {
	// Resource is what the plan is for. Compose does not change it.
	Resource Resource
	// Target is the chart version the object asks for, or empty with VersionErr set.
	Target string
	// VersionErr is why there is no target; see version.Resolve.
	VersionErr error
	// Chart is the chart of the target version, or nil with ChartErr set.
	Chart *chart.Chart
	// ChartErr is why the chart cannot be opened.
	ChartErr error
	// References are the contents of spec.chart.valuesFrom, in its order.
	References []Referenced
	// Neighbours are the resources of ours it builds on.
	Neighbours Neighbours
	// Capabilities are what the cluster serves.
	Capabilities Capabilities
	// Settings are the operator's own.
	Settings derive.Settings
}

// Referenced is one entry of spec.chart.valuesFrom with what was found there.
type Referenced struct {
	derive.Reference
	// Field is the entry, such as spec.chart.valuesFrom[1].
	Field string
	// Optional is the entry's own word.
	Optional bool
	// Identity tells two states of the object apart without telling their content.
	Identity string
	// Problem says why the entry gives no values, in a sentence without a subject; empty when it does.
	Problem string
	// Invalid says that the object is there and holds no table of values.
	Invalid bool
	// Unread says that nobody could look: the object may be there.
	Unread bool
}

// Lacking reports whether values may be missing that the object needs: those of a reference that is not there, unless it
// is optional, and those of any reference that nobody could look up, since it may well be there.
func (r Referenced) Lacking() bool {
	return r.Unread || (r.Problem != "" && !r.Invalid && !r.Optional)
}

// Plan is what a pass would do and what is wrong with it.
type Plan struct {
	Inputs
	// Release names the release.
	Release object.Release
	// Effective are the values the chart is rendered with.
	Effective values.Effective
	// Rendered is the result of the render; nil when there is none.
	Rendered *render.Release
	// RenderErr is why there is none, when a render was tried.
	RenderErr error
	// Faults are the faults found on the way, neither sorted nor ratcheted.
	Faults []rules.Fault

	// complete says that the values were derived and could be checked, so that there is something to render.
	complete bool
}

// Tools are the parts of the pipeline that keep something between two plans: compiled schemas, render processes.
type Tools struct {
	Schemas  *schema.Checker
	Renderer Renderer
}

// Request returns what the plan renders, so that it can be rendered again with live objects for lookup.
func (p Plan) Request() render.Request {
	return render.Request{
		Release:      p.Release,
		Chart:        p.Chart,
		Values:       p.Effective.Values(),
		Capabilities: p.Capabilities.Capabilities,
	}
}

// Incomplete reports whether values the object needs are not there yet, so that a fault of what is missing may be
// nobody's fault.
func (in Inputs) Incomplete() bool {
	return len(in.Resource.standsIn(in)) > 0 || slices.ContainsFunc(in.References, Referenced.Lacking)
}

// ValuesDigest tells one set of effective values from another. Where a Secret is involved it goes by the Secret's
// identity, never by its content.
func (p Plan) ValuesDigest() string {
	open := map[string]any{}
	for _, leaf := range p.Effective.Leaves() {
		if !leaf.Origin.Sensitive {
			open[leaf.Path.String()] = leaf.Value
		}
	}
	for _, r := range p.References {
		if r.Sensitive {
			open[r.Field] = r.Identity
		}
	}
	return values.Digest(open)
}
