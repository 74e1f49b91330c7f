package gitlabsecrets

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/secretgen"
	"github.com/portcullis-operator/portcullis/internal/status"
)

// interval is when a resource is looked at again although nothing was seen to change. The back-off of a failed pass and
// the second look after somebody else's write begin with firstRetry.
const (
	interval   = 30 * time.Second
	firstRetry = 200 * time.Millisecond
)

// verdict is the outcome of a pass that knows what is there. What passes by itself comes before what needs a person, so
// that the next look is not put off.
func (p *pass) verdict(f failures) outcome.Outcome {
	switch {
	case len(f.broken) > 0:
		return failed(errors.New(condition.Join(append(f.broken, f.refused...))))
	case len(f.ending) > 0:
		return outcome.Wait{Reason: v2alpha1.ReasonProgressing, After: interval, Message: "the namespace is being deleted; nothing is made in it any more"}
	case len(f.outdated) > 0:
		return outcome.Wait{Reason: v2alpha1.ReasonProgressing, After: firstRetry, Message: fmt.Sprintf(
			"another writer changed Secret %s at this moment; it is looked at again", strings.Join(f.outdated, ", "))}
	case len(f.refused) > 0:
		return outcome.Refuse{Reason: v2alpha1.ReasonApplyFailed, Message: condition.Join(append(f.refused, p.reports()...))}
	}
	if reports := p.reports(); len(reports) > 0 {
		return outcome.Refuse{Reason: v2alpha1.ReasonUnitsReported, Message: condition.Join(reports)}
	}
	for _, s := range p.plan.Secrets {
		if !s.Ready {
			return outcome.Wait{Reason: v2alpha1.ReasonProgressing, After: interval, Message: fmt.Sprintf(
				"Secret %s does not hold what was written to it; another writer may have taken it away", s.Name)}
		}
	}
	return outcome.Continue{}
}

// reports says what is left to a person, each once however many Secrets it is about.
func (p *pass) reports() []string {
	reports := p.plan.Reports()
	out := make([]string, 0, len(reports))
	for _, r := range reports {
		out = append(out, r.String())
	}
	return out
}

// reported are the units of one Secret that are left to a person, each once.
func reported(s secretgen.SecretPlan) []v2alpha1.ReportedUnit {
	var out []v2alpha1.ReportedUnit
	for _, d := range s.Decisions {
		known := slices.ContainsFunc(out, func(u v2alpha1.ReportedUnit) bool { return u.Unit == d.Unit.Name })
		if d.Action == secretgen.Report && !known {
			out = append(out, v2alpha1.ReportedUnit{Unit: d.Unit.Name, Reason: string(d.Reason), Message: d.Message})
		}
	}
	return out
}

// report writes the status, once, tells people what began, and says when to look again.
func (r *Reconciler) report(ctx context.Context, p *pass, o outcome.Outcome) (ctrl.Result, error) {
	after := p.resource.DeepCopy()
	after.Status = p.status(o)
	_, err := status.Write(ctx, r.Client, p.resource, after)
	if apierrors.IsConflict(err) {
		// The pass began from a read that was older than our own last write, or the spec changed under it. It is made
		// again; the Secrets still are what the record is taken from.
		return ctrl.Result{RequeueAfter: firstRetry}, nil
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("write the status of GitLabSecrets %s/%s: %w", p.resource.Namespace, p.resource.Name, err)
	}
	r.tell(p, after)
	r.remember(p, after, o)
	return settle(o)
}

// settle turns the outcome of a pass into what the work queue understands. What needs a person is looked at
// every interval all the same: no watch tells that a permission was granted.
func settle(o outcome.Outcome) (ctrl.Result, error) {
	switch o := o.(type) {
	case outcome.Wait:
		return ctrl.Result{RequeueAfter: min(o.After, interval)}, nil
	case outcome.Fail:
		return ctrl.Result{}, fmt.Errorf("%s: %w", o.Reason, o.Err)
	case outcome.Refuse, outcome.Continue:
	}
	return ctrl.Result{RequeueAfter: interval}, nil
}

// status computes the whole status. A pass that learned nothing leaves the Secrets, and the record, as they were.
func (p *pass) status(o outcome.Outcome) v2alpha1.GitLabSecretsStatus {
	at := condition.Pass{Generation: p.resource.Generation, Now: p.now}
	next := *p.resource.Status.DeepCopy()
	if p.decided {
		next.Secrets = p.secrets()
	}
	next.Conditions = condition.Summarise(next.Conditions, at, condition.Summary{
		Outcome: o, Done: v2alpha1.ReasonSecretsReady,
		DoneMessage: fmt.Sprintf("all %d declared Secrets are there", len(next.Secrets)),
	})
	next.ObservedGeneration = condition.ObservedGeneration(next.ObservedGeneration, at, o)
	return next
}

// secrets is the state of each declared Secret, with the record of what was ready once.
func (p *pass) secrets() []v2alpha1.SecretStatus {
	record := secretgen.Record(p.resource.Spec, p.plan, p.readyUnits())
	out := make([]v2alpha1.SecretStatus, 0, len(p.plan.Secrets))
	for _, s := range p.plan.Secrets {
		out = append(out, v2alpha1.SecretStatus{Name: s.Name, Ready: s.Ready, ReadyUnits: record[s.Name], Reported: reported(s)})
	}
	return out
}
