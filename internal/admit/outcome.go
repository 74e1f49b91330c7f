package admit

import (
	"fmt"
	"slices"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// Transition says whether a running instance can go to a version, as the webhook says it for a change of the spec. The
// reconciler asks again, since a version may change in a ConfigMap without any webhook being asked.
func (r *Reviewer) Transition(resource plan.Resource, target string) outcome.Outcome {
	for _, f := range resource.Rules(resource.Object(), target) {
		if !f.Transition || f.Severity != rules.Error {
			continue
		}
		reason := outcome.Reason(v2alpha1.ReasonMinorChangeUnsupported)
		if f.Code == rules.VersionDowngrade {
			reason = v2alpha1.ReasonDowngradeRefused
		}
		return outcome.Refuse{Reason: reason, Message: f.Field + ": " + f.Message}
	}
	return outcome.Continue{}
}

// Explain turns a verdict that refuses into the reason and message of a condition. Faults that Helm would find too make
// a failed render, and those of an Orbit's options have reasons of their own; any other means that a webhook was away
// when the object was written.
func Explain(v rules.Verdict) (outcome.Reason, string) {
	codes := make([]rules.Code, 0, len(v.Faults))
	findings := make([]string, 0, len(v.Faults))
	for _, f := range v.Errors() {
		codes = append(codes, f.Code)
		text := f.Message
		if f.Field != "" {
			text = f.Field + ": " + f.Message
		}
		findings = append(findings, text)
	}
	return reason(codes), condition.Join(findings)
}

// reason names a set of faults: by the one cause they share, else by what they have in common.
func reason(codes []rules.Code) outcome.Reason {
	own := map[rules.Code]outcome.Reason{
		rules.OptionRefused:      v2alpha1.ReasonValueRefused,
		rules.NoIndexerPool:      v2alpha1.ReasonNoIndexerPool,
		rules.DuplicateObject:    v2alpha1.ReasonDuplicateObject,
		rules.SchemaViolation:    v2alpha1.ReasonRenderFailed,
		rules.ValuesTypeMismatch: v2alpha1.ReasonRenderFailed,
		rules.RenderFailed:       v2alpha1.ReasonRenderFailed,
		rules.RenderLimit:        v2alpha1.ReasonRenderFailed,
		rules.ChartFault:         v2alpha1.ReasonRenderFailed,
	}
	out := outcome.Reason(v2alpha1.ReasonRenderFailed)
	for i, code := range codes {
		why, known := own[code]
		if !known {
			return v2alpha1.ReasonAdmissionRefused
		}
		if i == 0 || out == v2alpha1.ReasonRenderFailed {
			out = why
		}
	}
	return out
}

// Outcome says whether a reviewed plan may be performed. An object that once ran is stopped only by what Helm would
// refuse too: a rule that got stricter with a new Operator must not stop a production instance. Never lists the codes
// that stop it nevertheless.
func (r Review) Outcome(ran bool, never ...rules.Code) outcome.Outcome {
	forbidden := slices.ContainsFunc(r.Verdict.Errors(), func(f rules.Fault) bool { return slices.Contains(never, f.Code) })
	if r.Plan.Rendered != nil && !forbidden && (ran || !r.Verdict.Refused()) {
		return outcome.Continue{}
	}
	if err := r.Plan.RenderErr; err != nil && !r.Verdict.Refused() {
		// A render that could not be made for want of time is tried again; everything else is the input's.
		return outcome.Fail{Reason: v2alpha1.ReasonRenderFailed, Err: fmt.Errorf("render chart %s: %w", r.Plan.Target, err)}
	}
	why, message := Explain(r.Verdict)
	return outcome.Refuse{Reason: why, Message: message}
}
