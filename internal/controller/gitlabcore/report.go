package gitlabcore

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/status"
)

// refusedInterval is when a refused resource is looked at again although nothing it depends on was seen to change: an
// API may have been installed.
const refusedInterval = 20 * release.Interval

// report writes the status, once, tells people what changed, and says when to look again.
func (r *Reconciler) report(ctx context.Context, p *pass, performed outcome.Outcome) (ctrl.Result, error) {
	after := p.core.DeepCopy()
	after.Status = p.status(p.ending(performed))
	_, err := status.Write(ctx, r.Client, p.core, after)
	if err != nil && p.remembered {
		// What this pass applied is on no record: a next pass with nothing to do would leave it so.
		r.Engine.Memory.Forget(p.core.UID)
	}
	if apierrors.IsConflict(err) {
		// The pass began from a read that was older than our own last write. It is made again; nobody needs to know.
		return ctrl.Result{RequeueAfter: firstRetry}, nil
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("write the status of GitLabCore %s/%s: %w", p.core.Namespace, p.core.Name, err)
	}
	r.tell(p, after)
	// By what was performed: a running instance is looked after as ever while the next version is refused.
	return settle(p, performed)
}

// ending is the outcome a person would name the pass by: a version that is refused stays refused, however well the
// running one does.
func (p *pass) ending(o outcome.Outcome) outcome.Outcome {
	if stop(o) || p.upgrading == nil || !stop(p.upgrading) {
		return o
	}
	return p.upgrading
}

// settle is the one place that turns an outcome into what the work queue understands.
func settle(p *pass, o outcome.Outcome) (ctrl.Result, error) {
	switch o := o.(type) {
	case outcome.Wait:
		return ctrl.Result{RequeueAfter: min(o.After, release.Interval)}, nil
	case outcome.Refuse:
		return ctrl.Result{RequeueAfter: refusedInterval}, nil
	case outcome.Fail:
		return ctrl.Result{}, &passError{reason: o.Reason, text: p.secrets.Clean(o.Err.Error()), cause: o.Err}
	case outcome.Continue:
	}
	return ctrl.Result{RequeueAfter: release.Interval}, nil
}

// passError is what the log gets to see of a failed pass: the cause without any secret in it.
type passError struct {
	reason outcome.Reason
	text   string
	cause  error
}

func (e *passError) Error() string { return string(e.reason) + ": " + e.text }
func (e *passError) Unwrap() error { return e.cause }

// status computes the whole status from what the stages noted.
func (p *pass) status(o outcome.Outcome) v2alpha1.GitLabCoreStatus {
	at := condition.Pass{Generation: p.core.Generation, Now: p.now}
	var set []metav1.Condition
	add := func(rule condition.Rule, o outcome.Outcome) {
		if o != nil {
			c := rule.From(o)
			c.Message = p.secrets.Clean(c.Message)
			set = append(set, c)
		}
	}
	add(condition.Rule{
		Type: v2alpha1.ConditionInitialized, Done: v2alpha1.ReasonChartRendered, Waiting: metav1.ConditionFalse,
		DoneMessage: fmt.Sprintf("chart %s is rendered and its hooks are done", p.next.TargetVersion),
	}, p.initializing)
	add(condition.Rule{
		Type: v2alpha1.ConditionAvailable, Done: v2alpha1.ReasonWorkloadsReady, Waiting: metav1.ConditionFalse,
		DoneMessage: "every Deployment and StatefulSet of the release is rolled out",
	}, p.available)
	add(condition.Rule{
		Type: v2alpha1.ConditionUpgradeable, Done: v2alpha1.ReasonUpgradePathValid, Waiting: metav1.ConditionFalse,
		DoneMessage: fmt.Sprintf("chart %s is at hand", p.next.TargetVersion),
	}, p.upgrading)
	if p.next.Version != "" {
		set = append(set, p.progress())
	}
	next := p.next
	next.Conditions = condition.Merge(p.core.Status.Conditions, at, set...)
	next.Conditions = condition.Summarise(next.Conditions, at, condition.Summary{
		Outcome: p.clean(o), Done: v2alpha1.ReasonReconcileSucceeded,
		DoneMessage: fmt.Sprintf("GitLab %s (chart %s) runs", p.next.GitLabVersion, p.next.Version),
		Of:          []string{v2alpha1.ConditionInitialized, v2alpha1.ConditionAvailable},
	})
	next.ObservedGeneration = condition.ObservedGeneration(p.core.Status.ObservedGeneration, at, o)
	next.Phase = p.phase(o)
	return next
}

// progress says whether the instance is on its way from the version that runs to another one.
func (p *pass) progress() metav1.Condition {
	c := metav1.Condition{
		Type: v2alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: v2alpha1.ReasonUpgradeComplete,
		Message: fmt.Sprintf("chart %s is applied", p.next.Version),
	}
	if p.next.Version != p.next.TargetVersion {
		c.Status, c.Reason = metav1.ConditionTrue, v2alpha1.ReasonProgressing
		c.Message = fmt.Sprintf("chart %s is applied, and chart %s is to replace it", p.next.Version, p.next.TargetVersion)
	}
	return c
}

// clean removes secrets from the message of an outcome.
func (p *pass) clean(o outcome.Outcome) outcome.Outcome {
	switch o := o.(type) {
	case outcome.Wait:
		o.Message = p.secrets.Clean(o.Message)
		return o
	case outcome.Refuse:
		o.Message = p.secrets.Clean(o.Message)
		return o
	case outcome.Fail:
		o.Err = &passError{reason: o.Reason, text: p.secrets.Clean(o.Err.Error()), cause: o.Err}
		return o
	case outcome.Continue:
	}
	return o
}

// phase is the one-word summary. A running instance whose next version is refused keeps running, and so does one that
// waits; Failed means that a person has to look.
func (p *pass) phase(o outcome.Outcome) v2alpha1.Phase {
	if bad(p.initializing) || bad(p.available) {
		return v2alpha1.PhaseFailed
	}
	if _, failed := o.(outcome.Fail); failed && p.initializing == nil && p.core.Status.Phase != "" {
		// The pass broke off before it judged the spec.
		return p.core.Status.Phase
	}
	if p.next.Version != "" {
		return v2alpha1.PhaseRunning
	}
	return v2alpha1.PhasePreparing
}

func bad(o outcome.Outcome) bool {
	switch o.(type) {
	case outcome.Refuse, outcome.Fail:
		return true
	}
	return false
}
