package release

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/status"
)

// FirstRetry is when a pass that began from an old read, or failed for the first time, is made again.
const FirstRetry = 200 * time.Millisecond

// refusedInterval is when a refused resource is looked at again although nothing it depends on was seen to change: an
// API may have been installed.
const refusedInterval = 20 * Interval

// Words are what a kind says of a release in its conditions.
type Words struct {
	// Done is Ready's message when all is done.
	Done string
	// Rendered is Initialized's message, and RolledOut is Available's.
	Rendered, RolledOut string
	// Unsure makes Available Unknown, instead of leaving it as it was or False, in a pass that ends before it is judged,
	// by a wait or by a failure.
	Unsure bool
	// Own are conditions of the kind's own.
	Own []metav1.Condition
}

// Status computes the status every chart-backed kind has from what the stages noted. Named is the outcome a person would
// name the pass by.
func (p *Pass) Status(named outcome.Outcome, words Words) v2alpha1.ReleaseStatus {
	at := condition.Pass{Generation: p.Object.GetGeneration(), Now: p.Now}
	var set []metav1.Condition
	if p.Initializing != nil {
		set = append(set, p.cleaned(condition.Rule{
			Type: v2alpha1.ConditionInitialized, Done: v2alpha1.ReasonChartRendered, Waiting: metav1.ConditionFalse, DoneMessage: words.Rendered,
		}.From(p.Initializing)))
	}
	available, rule := p.Available, condition.Rule{
		Type: v2alpha1.ConditionAvailable, Done: v2alpha1.ReasonWorkloadsReady, Waiting: metav1.ConditionFalse, DoneMessage: words.RolledOut,
	}
	if words.Unsure {
		rule.Failing = metav1.ConditionUnknown
	}
	if available == nil && words.Unsure && Stop(named) {
		set = append(set, p.cleaned(unjudged(named)))
	} else if available != nil {
		set = append(set, p.cleaned(rule.From(available)))
	}
	next := p.Next
	next.Conditions = condition.Merge(p.Was.Conditions, at, append(set, words.Own...)...)
	next.Conditions = condition.Summarise(next.Conditions, at, condition.Summary{
		Outcome: p.Clean(named), Done: v2alpha1.ReasonReconcileSucceeded, DoneMessage: words.Done,
		Of: []string{v2alpha1.ConditionInitialized, v2alpha1.ConditionAvailable},
	})
	next.ObservedGeneration = condition.ObservedGeneration(p.Was.ObservedGeneration, at, named)
	next.Phase = p.phase(named)
	return next
}

// unjudged is Available in a pass that ended before the workloads were judged.
func unjudged(o outcome.Outcome) metav1.Condition {
	c := condition.Rule{Type: v2alpha1.ConditionAvailable}.From(o)
	c.Status = metav1.ConditionUnknown
	return c
}

func (p *Pass) cleaned(c metav1.Condition) metav1.Condition {
	c.Message = p.Secrets.Clean(c.Message)
	return c
}

// phase is the one-word summary. A running release whose next version is refused keeps running, and so does one that
// waits, except for what it builds on: then nothing of it is kept in line. Failed means that a person has to look.
func (p *Pass) phase(o outcome.Outcome) v2alpha1.Phase {
	if bad(p.Initializing) || bad(p.Available) {
		return v2alpha1.PhaseFailed
	}
	if wait, ok := p.Initializing.(outcome.Wait); ok && wait.Reason == v2alpha1.ReasonHooksFailed {
		return v2alpha1.PhaseFailed
	} else if ok && preparing(wait.Reason) {
		return v2alpha1.PhasePreparing
	}
	if _, failed := o.(outcome.Fail); failed && p.Initializing == nil && p.Was.Phase != "" {
		// The pass broke off before it judged the spec.
		return p.Was.Phase
	}
	if p.Next.Version != "" {
		return v2alpha1.PhaseRunning
	}
	return v2alpha1.PhasePreparing
}

// preparing reports whether a wait is for what a release builds on: its Secrets or its neighbours.
func preparing(reason outcome.Reason) bool {
	switch string(reason) {
	case v2alpha1.ReasonWaitingForSecrets,
		v2alpha1.ReasonGitLabNotFound, v2alpha1.ReasonGitLabNotReady, v2alpha1.ReasonGitLabVersionPending, v2alpha1.ReasonGitLabClickHouseNotConfigured,
		v2alpha1.ReasonSiphonNotFound, v2alpha1.ReasonSiphonDeleting, v2alpha1.ReasonSiphonNotReady, v2alpha1.ReasonSiphonStreamPending:
		return true
	}
	return false
}

// Report writes the status, once, and says when to look again. After is the resource with its new status.
func Report[T client.Object](ctx context.Context, e *Engine, p *Pass, before, after T, performed outcome.Outcome) (written bool, result ctrl.Result, err error) {
	_, err = status.Write(ctx, e.Client, before, after)
	if err != nil && p.remembered {
		// What this pass applied is on no record: a next pass with nothing to do would leave it so.
		e.Memory.Unsettle(p.Object.GetUID())
	}
	if apierrors.IsConflict(err) {
		// The pass began from a read that was older than our own last write. It is made again; nobody needs to know.
		return false, ctrl.Result{RequeueAfter: FirstRetry}, nil
	}
	if err != nil {
		return false, ctrl.Result{}, fmt.Errorf("write the status of %s: %w", p.Owner.Release, err)
	}
	result, err = p.settle(performed)
	return true, result, err
}

// settle turns the outcome of a pass into what the work queue understands. The passes of a GitLabSecrets, which hold no
// redactor and look at a refused one more often, have their own.
func (p *Pass) settle(o outcome.Outcome) (ctrl.Result, error) {
	switch o := o.(type) {
	case outcome.Wait:
		return ctrl.Result{RequeueAfter: min(o.After, Interval)}, nil
	case outcome.Refuse:
		return ctrl.Result{RequeueAfter: refusedInterval}, nil
	case outcome.Fail:
		return ctrl.Result{}, &PassError{reason: o.Reason, text: p.Secrets.Clean(o.Err.Error()), cause: o.Err}
	case outcome.Continue:
	}
	return ctrl.Result{RequeueAfter: Interval}, nil
}

// PassError is what the log gets to see of a failed pass: the cause without any secret in it.
type PassError struct {
	reason outcome.Reason
	text   string
	cause  error
}

// Error returns the reason and the cleaned text.
func (e *PassError) Error() string { return string(e.reason) + ": " + e.text }

// Unwrap returns the cause.
func (e *PassError) Unwrap() error { return e.cause }

// Clean removes secrets from the message of an outcome.
func (p *Pass) Clean(o outcome.Outcome) outcome.Outcome {
	switch o := o.(type) {
	case outcome.Wait:
		o.Message = p.Secrets.Clean(o.Message)
		return o
	case outcome.Refuse:
		o.Message = p.Secrets.Clean(o.Message)
		return o
	case outcome.Fail:
		o.Err = &PassError{reason: o.Reason, text: p.Secrets.Clean(o.Err.Error()), cause: o.Err}
		return o
	case outcome.Continue:
	}
	return o
}

// Warn sends a warning when a condition turned False for one of the reasons, or stays so with another message.
func (e *Engine) Warn(p *Pass, after client.Object, is []metav1.Condition, conditionType, event string, reasons ...string) {
	c := turned(p.Was.Conditions, is, conditionType)
	if c == nil || c.Status != metav1.ConditionFalse {
		return
	}
	for _, reason := range reasons {
		if c.Reason == reason {
			e.Events.Eventf(after, nil, corev1.EventTypeWarning, event, "Reconcile", "%s", c.Message)
		}
	}
}
