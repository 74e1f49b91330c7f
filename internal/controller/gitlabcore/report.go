package gitlabcore

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/release"
)

// report writes the status, once, tells people what changed, and says when to look again.
func (r *Reconciler) report(ctx context.Context, p *pass, performed outcome.Outcome) (ctrl.Result, error) {
	after := p.core.DeepCopy()
	after.Status.ReleaseStatus = p.Status(p.ending(performed), p.words())
	// By what was performed: a running instance is looked after as ever while the next version is refused.
	written, result, err := release.Report(ctx, r.Engine, p.Pass, p.core, after, performed)
	if written {
		r.tell(p, after)
	}
	return result, err
}

// ending is the outcome a person would name the pass by: a version that is refused stays refused, however well the
// running one does.
func (p *pass) ending(o outcome.Outcome) outcome.Outcome {
	if release.Stop(o) || p.upgrading == nil || !release.Stop(p.upgrading) {
		return o
	}
	return p.upgrading
}

// words are what the conditions of an instance say.
func (p *pass) words() release.Words {
	words := release.Words{
		Done:      fmt.Sprintf("GitLab %s (chart %s) runs", p.Next.GitLabVersion, p.Next.Version),
		Rendered:  fmt.Sprintf("chart %s is rendered and its hooks are done", p.Next.TargetVersion),
		RolledOut: "every Deployment and StatefulSet of the release is rolled out",
	}
	if p.upgrading != nil {
		c := condition.Rule{
			Type: v2alpha1.ConditionUpgradeable, Done: v2alpha1.ReasonUpgradePathValid, Waiting: metav1.ConditionFalse,
			DoneMessage: fmt.Sprintf("chart %s is at hand", p.Next.TargetVersion),
		}.From(p.upgrading)
		c.Message = p.Secrets.Clean(c.Message)
		words.Own = append(words.Own, c)
	}
	if p.Next.Version != "" {
		words.Own = append(words.Own, p.progress())
	}
	return words
}

// progress says whether the instance is on its way from the version that runs to another one.
func (p *pass) progress() metav1.Condition {
	c := metav1.Condition{
		Type: v2alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: v2alpha1.ReasonUpgradeComplete,
		Message: fmt.Sprintf("chart %s is applied", p.Next.Version),
	}
	if p.Next.Version != p.Next.TargetVersion {
		c.Status, c.Reason = metav1.ConditionTrue, v2alpha1.ReasonProgressing
		c.Message = fmt.Sprintf("chart %s is applied, and chart %s is to replace it", p.Next.Version, p.Next.TargetVersion)
	}
	return c
}

// tell sends the events of a pass: each once, when what it tells of begins.
func (r *Reconciler) tell(p *pass, after *v2alpha1.GitLabCore) {
	if from, to := p.Was.TargetVersion, after.Status.TargetVersion; to != "" && from != to && from != "" {
		r.Engine.Events.Eventf(after, nil, corev1.EventTypeNormal, v2alpha1.EventTargetVersionChanged, "Resolve",
			"the target version changed from %s to %s", from, to)
	}
	r.Engine.Warn(p.Pass, after, after.Status.Conditions, v2alpha1.ConditionInitialized, v2alpha1.EventConfigError,
		v2alpha1.ReasonRenderFailed, v2alpha1.ReasonAdmissionRefused, v2alpha1.ReasonDuplicateObject, v2alpha1.ReasonValuesReferenceInvalid)
	r.Engine.Warn(p.Pass, after, after.Status.Conditions, v2alpha1.ConditionUpgradeable, v2alpha1.EventDowngradeRefused, v2alpha1.ReasonDowngradeRefused)
}
