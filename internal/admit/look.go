package admit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// look is what the check of one object found, part by part, since a stored object is compared with each of them alone.
type look struct {
	// defined are the faults of its definition, ruled those of the rules of its kind, planned those of its facts and
	// values, and shown those of its rendered chart.
	defined, ruled, planned, shown []rules.Fault
	// plan is the one it was judged on.
	plan plan.Plan
	// renders says that its chart is to be rendered.
	renders bool
}

// look looks at one object in front of what is stored, short of rendering its chart.
func (r *Reviewer) look(ctx context.Context, req Request, u, stored *unstructured.Unstructured) (look, error) {
	l := look{defined: r.Definitions.Check(u, stored)}
	if req.Strict {
		l.defined = append(l.defined, r.Definitions.Unknown(u)...)
	}
	resource, whole, err := read(u)
	if err != nil || resource == nil {
		return l, err
	}
	l.renders = whole && !req.NoRender
	in, err := plan.Gather(ctx, r.Facts, resource, r.Settings)
	if err != nil {
		return look{}, fmt.Errorf("gather what the check needs: %w", err)
	}
	var before plan.Object
	if stored != nil {
		old, _, err := read(stored)
		if err != nil {
			return look{}, err
		}
		if old != nil { // A stored object of another group is none of ours, whoever sent it.
			before = old.Object()
		}
	}
	return l, r.judge(ctx, &l, in, before)
}

// judge adds what the rules and the plan say.
func (r *Reviewer) judge(ctx context.Context, l *look, in plan.Inputs, stored plan.Object) error {
	var err error
	if l.plan, err = plan.Compose(ctx, r.Tools, in, plan.Options{}); err != nil {
		return fmt.Errorf("check %s: %w", in.Resource.Release(), err)
	}
	l.ruled, l.planned = in.Resource.Rules(stored, in.Target), l.plan.Faults
	return nil
}

// render renders the chart, unless its values are refused already: what its templates say of those is the same in other
// words.
func (l *look) render(ctx context.Context, tools plan.Tools) {
	if !l.renders || refused(l.planned) {
		return
	}
	l.shown = l.plan.Render(ctx, tools)
	if !slices.ContainsFunc(l.defined, func(f rules.Fault) bool { return f.Severity == rules.Error && f.Value == rules.Absent }) {
		return
	}
	for i, f := range l.shown {
		if f.Severity == rules.Error && f.Code == rules.RenderFailed {
			l.shown[i].Severity = rules.Warning
			l.shown[i].Message += "; this may change once the missing fields are there"
		}
	}
}

// review puts the parts together.
func (l *look) review() Review {
	said := rules.Verdict{Faults: slices.Concat(l.defined, l.ruled)}
	said.Add(unsaid(said, slices.Concat(l.planned, l.shown))...)
	return Review{Verdict: said, Plan: l.plan}
}

func refused(parts ...[]rules.Fault) bool {
	return rules.Verdict{Faults: slices.Concat(parts...)}.Refused()
}

func ratchet(stored, next []rules.Fault) []rules.Fault {
	return rules.Ratchet(rules.Verdict{Faults: stored}, rules.Verdict{Faults: next}).Faults
}

// unsaid returns the faults of a plan that say something new. Where the definition or a rule already refuses a structured
// field, what the chart has to say about the value derived from it is the same mistake in other words: at that field,
// below it, or above it, where a value is derived from several fields or the field was left out as unreadable.
func unsaid(said rules.Verdict, faults []rules.Fault) []rules.Fault {
	errors := said.Errors()
	return slices.DeleteFunc(slices.Clone(faults), func(f rules.Fault) bool {
		if f.Field == "" || (f.Code != rules.SchemaViolation && f.Code != rules.FieldInvalid) {
			return false
		}
		return slices.ContainsFunc(errors, func(e rules.Fault) bool {
			return within(f.Field, e.Field) || (f.Code == rules.SchemaViolation && within(e.Field, f.Field))
		})
	})
}

// within reports whether a field is another one or lies below it: spec.networking.gateway in spec.networking.
func within(field, above string) bool {
	rest, ok := strings.CutPrefix(field, above)
	return ok && above != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
