package gitlabcore

import (
	"context"
	"errors"
	"fmt"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/version"
)

// gather asks for the facts. A version that cannot be moved to leaves a running instance at the version it runs: it is
// reported, and everything else the resource asks for still happens.
func (r *Reconciler) gather(ctx context.Context, p *pass) (plan.Inputs, outcome.Outcome) {
	in, err := plan.Gather(ctx, r.Reviewer.Facts, plan.OfCore(p.core), r.Reviewer.Settings)
	if err != nil {
		return plan.Inputs{}, outcome.Fail{Reason: v2alpha1.ReasonDiscoveryFailed, Err: err}
	}
	p.upgrading = r.wayTo(in)
	if release.Stop(p.upgrading) && p.Ran() {
		if in, err = in.At(r.Reviewer.Facts, p.core.Status.Version); err != nil {
			return plan.Inputs{}, outcome.Fail{Reason: v2alpha1.ReasonChartUnavailable, Err: err}
		}
	}
	p.Next.TargetVersion = in.Target
	p.Partial = in.Capabilities.Partial
	return in, outcome.Continue{}
}

// wayTo says whether the instance can go to the version the resource asks for.
func (r *Reconciler) wayTo(in plan.Inputs) outcome.Outcome {
	if reference, ok := errors.AsType[*version.ReferenceError](in.VersionErr); ok {
		return outcome.Wait{Reason: v2alpha1.ReasonVersionUnresolved, Message: reference.Error(), After: release.Interval}
	}
	if in.VersionErr != nil {
		return outcome.Refuse{Reason: v2alpha1.ReasonVersionUnresolved, Message: in.VersionErr.Error()}
	}
	if in.ChartErr != nil {
		return outcome.Refuse{Reason: v2alpha1.ReasonChartUnavailable, Message: in.ChartErr.Error()}
	}
	return r.Reviewer.Transition(in.Resource, in.Target)
}

// plan makes the plan and turns its verdict into an outcome.
func (r *Reconciler) plan(ctx context.Context, p *pass, in plan.Inputs) (plan.Plan, outcome.Outcome) {
	if o := r.lacking(p, in); release.Stop(o) {
		return plan.Plan{}, p.Initialize(o)
	}
	review, err := r.Reviewer.Plan(ctx, in)
	if err != nil {
		return plan.Plan{}, outcome.Fail{Reason: v2alpha1.ReasonRenderFailed, Err: err}
	}
	p.Secrets = review.Plan.Effective.Secrets()
	p.Next.EffectiveValuesDigest = review.Plan.ValuesDigest()
	if o := review.Outcome(p.Ran()); release.Stop(o) {
		return review.Plan, p.Initialize(o)
	}
	return review.Plan, outcome.Continue{}
}

// lacking waits for what spec.version or spec.chart.valuesFrom names and is not there yet.
func (r *Reconciler) lacking(p *pass, in plan.Inputs) outcome.Outcome {
	if w, ok := p.upgrading.(outcome.Wait); ok && !p.Ran() {
		return w
	}
	if in.ChartErr != nil && p.Ran() {
		return outcome.Refuse{Reason: v2alpha1.ReasonChartUnavailable, Message: fmt.Sprintf(
			"version %s runs here and %s; until it is, nothing of the release is repaired: put its archive back into the folder of HELM_CHARTS",
			in.Target, in.ChartErr)}
	}
	for _, ref := range in.References {
		if ref.Invalid {
			return outcome.Refuse{Reason: v2alpha1.ReasonValuesReferenceInvalid, Message: ref.Field + ": " + ref.Problem}
		}
		if ref.Lacking() {
			return outcome.Wait{Reason: v2alpha1.ReasonValuesReferenceNotFound, Message: ref.Field + ": " + ref.Problem, After: release.Interval}
		}
	}
	return outcome.Continue{}
}
