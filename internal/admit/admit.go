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
	"slices"
	"strings"

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
	review, err := r.review(ctx, req)
	if err != nil {
		return Review{}, err
	}
	if req.Old != nil && review.Verdict.Refused() {
		// Where the stored object cannot be checked in time nothing is known of its age, and the refusal stands.
		if stored, err := r.review(ctx, Request{New: req.Old, NoRender: req.NoRender, Strict: req.Strict}); err == nil {
			review.Verdict = rules.Ratchet(stored.Verdict, review.Verdict)
		}
	}
	review.Verdict = capped(review.Verdict.Sorted())
	return review, nil
}

func (r *Reviewer) review(ctx context.Context, req Request) (Review, error) {
	var verdict rules.Verdict
	verdict.Add(r.Definitions.Check(req.New, req.Old)...)
	if req.Strict {
		verdict.Add(r.Definitions.Unknown(req.New)...)
	}
	resource, whole, err := read(req.New)
	if err != nil || resource == nil {
		return Review{Verdict: verdict}, err
	}
	in, err := plan.Gather(ctx, r.Facts, resource, r.Settings)
	if err != nil {
		return Review{}, fmt.Errorf("gather what the check needs: %w", err)
	}
	var stored plan.Object
	if req.Old != nil {
		old, _, err := read(req.Old)
		if err != nil {
			return Review{}, err
		}
		if old != nil { // A stored object of another group is none of ours, whoever sent it.
			stored = old.Object()
		}
	}
	return r.judge(ctx, verdict, in, stored, plan.Options{Render: whole && !req.NoRender})
}

// judge adds what the rules and the plan say to the verdict of the definition.
func (r *Reviewer) judge(ctx context.Context, verdict rules.Verdict, in plan.Inputs, stored plan.Object, options plan.Options) (Review, error) {
	verdict.Add(in.Resource.Rules(stored, in.Target)...)
	p, err := plan.Compose(ctx, r.Tools, in, options)
	if err != nil {
		return Review{}, fmt.Errorf("check %s: %w", in.Resource.Release(), err)
	}
	verdict.Add(unsaid(verdict, p.Faults)...)
	return Review{Verdict: verdict, Plan: p}, nil
}

// Plan checks a stored object on facts that were gathered already, for the reconciler.
func (r *Reviewer) Plan(ctx context.Context, in plan.Inputs) (Review, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(in.Resource.Object())
	if err != nil {
		return Review{}, fmt.Errorf("read %s: %w", in.Resource.Release(), err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(v2alpha1.GroupVersion.WithKind(kindOf(in.Resource.Object())))
	var verdict rules.Verdict
	verdict.Add(r.Definitions.Check(u, nil)...)
	review, err := r.judge(ctx, verdict, in, nil, plan.Options{Render: true})
	review.Verdict = capped(review.Verdict.Sorted())
	return review, err
}

// unsaid returns the faults of a plan that say something new. Where the definition or a rule already refuses a structured
// field, what the chart has to say about the value derived from it is the same mistake in other words.
func unsaid(said rules.Verdict, faults []rules.Fault) []rules.Fault {
	refused := map[string]bool{}
	for _, f := range said.Errors() {
		refused[f.Field] = true
	}
	return slices.DeleteFunc(slices.Clone(faults), func(f rules.Fault) bool {
		if f.Code != rules.SchemaViolation && f.Code != rules.FieldInvalid {
			return false
		}
		for field := f.Field; field != ""; field = parent(field) {
			if refused[field] {
				return true
			}
		}
		return false
	})
}

// parent returns the field above another: spec.networking of spec.networking.gateway.
func parent(field string) string {
	i := strings.LastIndexAny(field, ".[")
	if i < 0 {
		return ""
	}
	return field[:i]
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
