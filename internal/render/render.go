package render

import (
	"context"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/object"
)

// Request is everything a render depends on. Render changes none of it.
type Request struct {
	// Release is the resource the objects belong to; its name and namespace are the release's in the templates.
	Release object.Release
	// Chart is what to render.
	Chart *chart.Chart
	// Values are the effective values above the chart's own defaults. Numbers reach the templates as float64, as Helm
	// reads them from a file, whatever type they have here.
	Values map[string]any
	// Capabilities are what the cluster serves; they replace Helm's own defaults.
	Capabilities Capabilities
	// Found holds the live objects that lookup may return, as a client decodes them. A lookup of anything else finds
	// nothing. A key without a name answers a lookup of a list.
	Found map[LookupKey]map[string]any
	// Limits bound what the render may produce. A zero field takes its default.
	Limits Limits
}

// Limits bound what a render may produce.
type Limits struct {
	// Output is the number of bytes all rendered templates may have together.
	Output int
	// Documents is the number of objects a release may have.
	Documents int
}

// DefaultLimits returns the bounds of a release: 100 MiB of text and 20,000 documents.
func DefaultLimits() Limits { return Limits{Output: 100 << 20, Documents: 20_000} }

// withDefaults fills what was left zero.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	if l.Output <= 0 {
		l.Output = d.Output
	}
	if l.Documents <= 0 {
		l.Documents = d.Documents
	}
	return l
}

// LookupKey names what a template asked the cluster for through lookup. Without a Name it is a list.
type LookupKey struct {
	APIVersion string
	Kind       string
	Namespace  string
	Name       string
}

// Release is the result of a render. It shares nothing with the Request and belongs to the caller.
type Release struct {
	// Objects are in install order. They carry the release labels, have no nulls in their maps, and have a namespace
	// only where the chart wrote one. Definitions and RBAC that a template renders are among them: to leave those out
	// is the decision of who applies.
	Objects []*unstructured.Unstructured
	// Hooks are in the order in which they run. Test hooks are not among them.
	Hooks []Hook
	// Definitions come from the crds folders of the chart and its enabled subcharts. They carry no release labels.
	Definitions []*unstructured.Unstructured
	// Notes is the text of the chart's own NOTES.txt. The notes of subcharts are evaluated, so that they can refuse
	// the values, and dropped.
	Notes string
	// AppVersion is the version of the application, without a leading v.
	AppVersion string
	// Warnings tell of documents that were dropped.
	Warnings []Warning
	// Lookups are what the templates asked the cluster for, sorted and each once.
	Lookups []LookupKey
}

// Hook is an object that runs at an event of the release instead of belonging to it.
type Hook struct {
	// Object carries the release labels, as every object does.
	Object *unstructured.Unstructured
	// Events are the events it runs at, such as pre-install, in the order of the annotation.
	Events []string
	// Weight is its place among the hooks of an event; lower runs first.
	Weight int
	// DeletePolicies are never empty: without any in the chart it is before-hook-creation.
	DeletePolicies []string
}

// WarningReason says why a document was dropped.
type WarningReason string

// UnknownHookEvent is a hook for an event that does not exist. Such a document never runs under Helm either.
const UnknownHookEvent WarningReason = "UnknownHookEvent"

// Warning tells of a document that was dropped.
type Warning struct {
	Reason WarningReason
	// Template is the path of the template within the chart.
	Template string
	// Object is what was dropped.
	Object object.Ref
	// Text says in plain words what was found.
	Text string
}

// Render renders a chart once; who renders the same chart again keeps a Prepared. Values are not checked against the
// chart's schema here. A failure is an *Error.
//
// When ctx ends first, Render returns an Error of kind Canceled at once, but the template engine knows no way to stop:
// it goes on in a goroutine of its own, on copies nobody else sees, until its templates are through. A program that ends
// soon can bear that; a server renders through package sandbox.
func Render(ctx context.Context, req Request) (Release, error) {
	prepared, err := Prepare(req.Chart)
	if err != nil {
		return Release{}, err
	}
	return prepared.Render(ctx, req)
}

func canceled() *Error {
	return &Error{Kind: Canceled, Text: "the render was stopped before it was through"}
}

// render composes the release out of a request and a chart that nobody else holds.
func render(req Request, c *helmchart.Chart) (Release, error) {
	if err := check(req); err != nil {
		return Release{}, err
	}
	out, err := execute(req, c)
	if err != nil {
		return Release{}, err
	}
	return compose(req, out)
}
