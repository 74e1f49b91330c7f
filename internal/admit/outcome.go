package admit

import (
	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/rules/apps"
)

// Transition says whether a running instance can go to a version, as the webhook says it for a change of the spec. The
// reconciler asks again, since a version may change in a ConfigMap without any webhook being asked.
func (r *Reviewer) Transition(core *v2alpha1.GitLabCore, target string) outcome.Outcome {
	for _, f := range apps.CheckGitLabCore(core, core, target) {
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
// a failed render; any other means that a webhook was away when the object was written.
func Explain(v rules.Verdict) (outcome.Reason, string) {
	reason := outcome.Reason(v2alpha1.ReasonRenderFailed)
	findings := make([]string, 0, len(v.Faults))
	for _, f := range v.Errors() {
		switch f.Code {
		case rules.SchemaViolation, rules.ValuesTypeMismatch, rules.RenderFailed, rules.RenderLimit, rules.ChartFault:
		default:
			reason = v2alpha1.ReasonAdmissionRefused
		}
		text := f.Message
		if f.Field != "" {
			text = f.Field + ": " + f.Message
		}
		findings = append(findings, text)
	}
	return reason, condition.Join(findings)
}
