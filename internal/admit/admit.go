// Package admit is the check all three doors make: definition, rules, version, values, schema and render, every fault
// collected, in one verdict.
//
// Floor 4, pure but for the facts and the renderer it is given. The webhook answers with the verdict, the offline
// command prints it, and the reconciler makes the same check before it acts, so that a webhook that was away changes
// nothing about what runs.
package admit

import (
	"context"
	"fmt"
	"sync"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// MaxFaults is how many faults one verdict lists; the rest is counted.
const MaxFaults = 100

// Reviewer makes the check. It is safe for concurrent use.
type Reviewer struct {
	// Definitions are the resource definitions, as the API server has them.
	Definitions *definition.Set
	// Tools are the schema checker and the renderer.
	Tools plan.Tools
	// Facts answers what the check asks about the world.
	Facts plan.Facts
	// Settings are the operator's own.
	Settings derive.Settings
}

// Request is one object to check.
type Request struct {
	// New is the object as the person wants it.
	New *unstructured.Unstructured
	// Old is the object as it is stored; nil for a new one.
	Old *unstructured.Unstructured
	// NoRender leaves the templates out of the check.
	NoRender bool
	// Strict adds faults for structured fields the definition does not have. The API server answers those itself
	// before it asks a webhook; an offline check has to.
	Strict bool
}

// Review is a verdict and the plan it was made on.
type Review struct {
	Verdict rules.Verdict
	Plan    plan.Plan
}

// Review checks one object against everything that can be known. The error says that the check could not be made.
func (r *Reviewer) Review(ctx context.Context, req Request) (Review, error) {
	sizes := tooLarge(req.New, req.Old)
	if refused(sizes) {
		return Review{Verdict: rules.Verdict{Faults: sizes}}, nil
	}
	review, err := r.aged(ctx, req)
	review.Verdict.Add(sizes...)
	return review.listed(), err
}

// aged makes the check and lets the faults pass that the stored object has as well. Those of the definition have been
// let pass already, exactly where the API server does it, which refuses every other one in its own words.
func (r *Reviewer) aged(ctx context.Context, req Request) (Review, error) {
	next, err := r.look(ctx, req, req.New, req.Old)
	if err != nil {
		return Review{}, err
	}
	stored := sync.OnceValues(func() (look, error) { return r.look(ctx, req, req.Old, nil) })
	if req.Old != nil && refused(next.ruled, next.planned) {
		// Where the stored object cannot be checked in time nothing is known of its age, and the refusal stands.
		if old, err := stored(); err == nil {
			next.ruled, next.planned = ratchet(old.ruled, next.ruled), ratchet(old.planned, next.planned)
		}
	}
	next.render(ctx, r.Tools)
	if req.Old != nil && refused(next.shown) {
		if old, err := stored(); err == nil {
			old.planned = nil // What is wrong with the stored values keeps nobody from looking at their templates.
			old.render(ctx, r.Tools)
			next.shown = ratchet(old.shown, next.shown)
		}
	}
	return next.review(), nil
}

// Plan checks a stored object on facts that were gathered already, for the reconciler.
func (r *Reviewer) Plan(ctx context.Context, in plan.Inputs) (Review, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(in.Resource.Object())
	if err != nil {
		return Review{}, fmt.Errorf("read %s: %w", in.Resource.Release(), err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(v2alpha1.GroupVersion.WithKind(kindOf(in.Resource.Object())))
	l := look{defined: r.Definitions.Check(u, nil), renders: true}
	if err := r.judge(ctx, &l, in, nil); err != nil {
		return Review{}, err
	}
	l.render(ctx, r.Tools)
	return l.review().listed(), nil
}

// listed puts a verdict into the form every door prints.
func (r Review) listed() Review {
	r.Verdict = capped(r.Verdict.Sorted())
	return r
}

// capped cuts a list of faults at its limit and says how many more there are.
func capped(v rules.Verdict) rules.Verdict {
	if len(v.Faults) <= MaxFaults {
		return v
	}
	rest := len(v.Faults) - MaxFaults
	faults := append([]rules.Fault{}, v.Faults[:MaxFaults]...)
	severity := rules.Warning
	if faults[MaxFaults-1].Severity == rules.Error && v.Faults[MaxFaults].Severity == rules.Error {
		severity = rules.Error
	}
	return rules.Verdict{Faults: append(faults, rules.Fault{
		Severity: severity, Code: rules.TooManyFaults, Message: fmt.Sprintf("%d more faults are not listed", rest),
	})}
}

// Handles reports whether the check knows a kind.
func (r *Reviewer) Handles(gvk schema.GroupVersionKind) bool { return r.Definitions.Knows(gvk) }

// Deleting reports whether an object is on its way out, in which case nothing about it is checked: a fault must never
// keep a finalizer from being removed.
func Deleting(u *unstructured.Unstructured) bool {
	m, err := apimeta.Accessor(u)
	return err == nil && m.GetDeletionTimestamp() != nil
}
