package gitlabcore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/version"
)

// gather asks for the facts. A version that cannot be moved to leaves a running instance at the version it runs: it is
// reported, and everything else the resource asks for still happens.
func (r *Reconciler) gather(ctx context.Context, p *pass) (plan.Inputs, outcome.Outcome) {
	in, err := plan.Gather(ctx, r.Reviewer.Facts, p.core, r.Reviewer.Settings)
	if err != nil {
		return plan.Inputs{}, outcome.Fail{Reason: v2alpha1.ReasonDiscoveryFailed, Err: err}
	}
	p.upgrading = r.wayTo(p, in)
	if stop(p.upgrading) && p.ran() {
		if in, err = in.At(r.Reviewer.Facts, p.core.Status.Version); err != nil {
			return plan.Inputs{}, outcome.Fail{Reason: v2alpha1.ReasonChartUnavailable, Err: err}
		}
	}
	p.next.TargetVersion = in.Target
	p.partial = in.Capabilities.Partial
	return in, outcome.Continue{}
}

// wayTo says whether the instance can go to the version the resource asks for.
func (r *Reconciler) wayTo(p *pass, in plan.Inputs) outcome.Outcome {
	if reference, ok := errors.AsType[*version.ReferenceError](in.VersionErr); ok {
		return outcome.Wait{Reason: v2alpha1.ReasonVersionUnresolved, Message: reference.Error(), After: release.Interval}
	}
	if in.VersionErr != nil {
		return outcome.Refuse{Reason: v2alpha1.ReasonVersionUnresolved, Message: in.VersionErr.Error()}
	}
	if in.ChartErr != nil {
		return outcome.Refuse{Reason: v2alpha1.ReasonChartUnavailable, Message: in.ChartErr.Error()}
	}
	return r.Reviewer.Transition(p.core, in.Target)
}

// plan makes the plan and turns its verdict into an outcome. An object that once ran is stopped only by what Helm would
// refuse too: a rule that got stricter with a new Operator must not stop a production instance.
func (r *Reconciler) plan(ctx context.Context, p *pass, in plan.Inputs) (plan.Plan, outcome.Outcome) {
	if o := r.lacking(p, in); stop(o) {
		return plan.Plan{}, p.initialize(o)
	}
	review, err := r.Reviewer.Plan(ctx, p.core, in)
	if err != nil {
		return plan.Plan{}, outcome.Fail{Reason: v2alpha1.ReasonRenderFailed, Err: err}
	}
	p.secrets = review.Plan.Effective.Secrets()
	p.next.EffectiveValuesDigest = review.Plan.ValuesDigest()
	if review.Plan.Rendered != nil && (p.ran() || !review.Verdict.Refused()) {
		return review.Plan, outcome.Continue{}
	}
	return review.Plan, p.initialize(refusal(review))
}

// lacking waits for what spec.version or spec.chart.valuesFrom names and is not there yet.
func (r *Reconciler) lacking(p *pass, in plan.Inputs) outcome.Outcome {
	if w, ok := p.upgrading.(outcome.Wait); ok && !p.ran() {
		return w
	}
	if in.ChartErr != nil && p.ran() {
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

// refusal is the outcome of a plan that must not be performed. A render that could not be made for want of time is
// tried again; everything else is the input's.
func refusal(review admit.Review) outcome.Outcome {
	if err := review.Plan.RenderErr; err != nil && !review.Verdict.Refused() {
		return outcome.Fail{Reason: v2alpha1.ReasonRenderFailed, Err: fmt.Errorf("render chart %s: %w", review.Plan.Target, err)}
	}
	reason, message := admit.Explain(review.Verdict)
	return outcome.Refuse{Reason: reason, Message: message}
}

// record writes the kinds the release may own before the first of them is applied, so that a crash leaks nothing, and
// watches them.
func (r *Reconciler) record(ctx context.Context, p *pass, rendered render.Release) outcome.Outcome {
	kinds := union(p.core.Status.RenderedKinds, r.Engine.Kinds(rendered))
	p.next.RenderedKinds = kinds
	if len(kinds) > len(p.core.Status.RenderedKinds) {
		if err := r.writeKinds(ctx, p.core, kinds); err != nil {
			return outcome.Fail{Reason: v2alpha1.ReasonApplyFailed, Err: err}
		}
	}
	if r.Drift != nil {
		if err := r.Drift.Watch(kinds); err != nil {
			return outcome.Fail{Reason: v2alpha1.ReasonDiscoveryFailed, Err: err}
		}
	}
	return outcome.Continue{}
}

// hooks runs the hooks unless they ran for this generation and version, and tidies up after a run that is on record.
func (r *Reconciler) hooks(ctx context.Context, p *pass, rendered render.Release) outcome.Outcome {
	if p.initialized() {
		if err := r.Engine.CleanUpHooks(ctx, p.owner, rendered.Hooks, p.hookToken(), p.now); err != nil {
			logf.FromContext(ctx).Error(err, "a finished hook stays until the next pass")
		}
		return p.initialize(outcome.Continue{})
	}
	o := p.initialize(r.Engine.Hooks(ctx, p.owner, rendered.Hooks, p.hookToken(), p.hooksFailed(), p.now))
	if !stop(o) {
		p.next.HooksVersion, p.hooksRan = p.next.TargetVersion, true
	}
	return o
}

// apply applies the release, the Secrets it generates first. Its version is recorded only when every object is there.
func (r *Reconciler) apply(ctx context.Context, p *pass, rendering release.Rendering) (apply.ChangeSet, outcome.Outcome) {
	var changes apply.ChangeSet
	rendering, o := r.Engine.Generate(ctx, p.owner, rendering)
	if !stop(o) {
		changes, o = r.Engine.Apply(ctx, p.owner, rendering)
	}
	p.available = o
	if stop(o) {
		r.Engine.Memory.Forget(p.core.UID)
		return changes, o
	}
	p.next.Version, p.next.GitLabVersion = p.next.TargetVersion, rendering.AppVersion
	return changes, o
}

// prune deletes what the release no longer renders. Its failures are logged and tried again; they fail nothing.
func (r *Reconciler) prune(ctx context.Context, p *pass, rendered render.Release, changes apply.ChangeSet) {
	if p.partial {
		return
	}
	keep := changes.Refs()
	for _, h := range rendered.Hooks {
		ref := object.RefOf(h.Object)
		if ref.Namespace == "" {
			ref.Namespace = p.core.Namespace
		}
		keep = append(keep, ref)
	}
	result := r.Engine.Prune(ctx, p.owner, keep, p.next.RenderedKinds)
	if err := release.Failures(result.Changes); err != nil {
		logf.FromContext(ctx).Error(err, "the prune could not look at everything, or not delete it; a later pass tries again")
	}
	p.unpruned = slices.ContainsFunc(result.Changes.Failed(), func(c apply.Change) bool { return c.Transient })
	p.next.RenderedKinds = union(r.Engine.Kinds(rendered), result.Remaining)
}

// union returns what is in one of the lists or both, sorted.
func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// remember lets the next passes be free, unless this one left something for the next to do.
func (r *Reconciler) remember(p *pass, in plan.Inputs, changes apply.ChangeSet) {
	if p.hooksRan || p.partial || p.unpruned {
		r.Engine.Memory.Forget(p.core.UID)
		return
	}
	p.remembered = true
	for _, ref := range r.Engine.Memory.Remember(p.core.UID, p.digest(in), changes, p.now) {
		r.Events.Eventf(p.core, nil, "Warning", v2alpha1.EventDriftContested, "Apply",
			"%s is changed by another writer again and again; the Operator stops repairing it at once and looks again in five minutes", ref)
	}
}

// judge says whether the workloads are rolled out.
func (r *Reconciler) judge(ctx context.Context, p *pass, workloads []object.Ref) outcome.Outcome {
	o := r.Engine.Judge(ctx, r.Metadata, p.core.UID, workloads)
	p.available = o
	return o
}

// judgeRunning judges the workloads of a running instance in a pass that ended before it came to them, so that Available
// does not stay at what it was before a spec was refused or a hook began. Where they cannot be listed it stays.
func (r *Reconciler) judgeRunning(ctx context.Context, p *pass) {
	workloads, err := r.Engine.Running(ctx, p.owner)
	if err != nil {
		logf.FromContext(ctx).Error(err, "whether the workloads are rolled out is not known; Available stays as it was")
		return
	}
	r.judge(ctx, p, workloads)
}
