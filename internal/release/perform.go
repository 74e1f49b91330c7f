package release

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/status"
)

// Steps are what a kind does beside what every kind does; each may be nil.
type Steps struct {
	// First works on the rendered release before its hooks run and anything of it is applied. It returns what is left to
	// apply and what it applied itself.
	First func(ctx context.Context, p *Pass, rendering Rendering) (Rendering, apply.ChangeSet, outcome.Outcome)
	// Record writes the status ahead of the end of the pass.
	Record func(ctx context.Context, next v2alpha1.ReleaseStatus) error
	// Workloads are those that readiness is judged by, applied or not; nil means all that were applied.
	Workloads []object.Ref
	// GitLabVersion is what status.gitlabVersion says; without it, what the chart deploys.
	GitLabVersion string
}

// Unchanged reports whether there is nothing to apply: the last full pass had these inputs and every object is as it
// left it. The workloads are those of that pass. Where it failed a moment ago, Look says so again instead of judging.
func (e *Engine) Unchanged(ctx context.Context, p *Pass, in plan.Inputs) ([]object.Ref, bool) {
	rest, resting := e.Memory.Resting(ctx, e.Metadata, p.Object.GetUID(), p.digest(in), p.Now)
	p.failed = rest.Failed
	return rest.Workloads, resting && p.Initialized()
}

// Perform brings the cluster to a plan: look up, record the kinds, run the hooks, apply, prune, judge the workloads.
func (e *Engine) Perform(ctx context.Context, p *Pass, pl plan.Plan, steps Steps) outcome.Outcome {
	rendering, o := e.Live(ctx, p.Owner, pl.Request(), *pl.Rendered)
	if Stop(o) {
		return p.Initialize(o)
	}
	if o = e.record(ctx, p, rendering.Release, steps); Stop(o) {
		return o
	}
	var first apply.ChangeSet
	if steps.First != nil {
		if rendering, first, o = steps.First(ctx, p, rendering); Stop(o) {
			return p.Initialize(o)
		}
	}
	if o = e.hooks(ctx, p, rendering.Release); Stop(o) {
		return o
	}
	changes, o := e.applyAll(ctx, p, pl.Inputs, rendering, steps)
	if Stop(o) {
		return o
	}
	changes = slices.Concat(first, changes)
	e.prune(ctx, p, rendering.Release, changes)
	e.remember(p, Applied{Digest: p.digest(pl.Inputs), Changes: changes, Outcome: outcome.Continue{}})
	return e.Look(ctx, p, Workloads(changes), steps)
}

// record writes the kinds the release may own before the first of them is applied, so that a crash leaks nothing, and
// watches them.
func (e *Engine) record(ctx context.Context, p *Pass, rendered render.Release, steps Steps) outcome.Outcome {
	kinds := union(p.Was.RenderedKinds, e.Kinds(rendered))
	p.Next.RenderedKinds = kinds
	if len(kinds) > len(p.Was.RenderedKinds) {
		ahead := *p.Was.DeepCopy()
		ahead.RenderedKinds = kinds
		if err := steps.Record(ctx, ahead); err != nil {
			return outcome.Fail{Reason: v2alpha1.ReasonApplyFailed, Err: fmt.Errorf("record the kinds of %s before applying them: %w", p.Owner.Release, err)}
		}
		p.Was.RenderedKinds = kinds
	}
	if e.Drift != nil {
		if err := e.Drift.Watch(kinds); err != nil {
			return outcome.Fail{Reason: v2alpha1.ReasonDiscoveryFailed, Err: err}
		}
	}
	return outcome.Continue{}
}

// hooks runs the hooks unless they ran for this generation and version, and tidies up after a run that is on record.
func (e *Engine) hooks(ctx context.Context, p *Pass, rendered render.Release) outcome.Outcome {
	if p.Initialized() {
		if err := e.CleanUpHooks(ctx, p.Owner, rendered.Hooks, p.hookToken(), p.Now); err != nil {
			logf.FromContext(ctx).Error(err, "a finished hook stays until the next pass")
		}
		return p.Initialize(outcome.Continue{})
	}
	uid, token := p.Object.GetUID(), p.hookToken()
	if o := e.Memory.hooksPause(uid, token, p.Now); p.hooksFailed() && Stop(o) {
		return p.Initialize(o)
	}
	o := p.Initialize(e.Hooks(ctx, p.Owner, rendered.Hooks, token, p.hooksFailed(), p.Now))
	if fail, ok := o.(outcome.Fail); ok && fail.Reason == v2alpha1.ReasonHooksFailed {
		e.Memory.hooksFailed(uid, token, fail.Err, p.Now)
	}
	if !Stop(o) {
		e.Memory.hooksDone(uid)
		p.Next.HooksVersion, p.Next.HooksGeneration, p.hooksRan = p.Next.TargetVersion, p.Object.GetGeneration(), true
	}
	return o
}

// applyAll applies the release, the Secrets it generates first. Its version is recorded only when every object is there.
func (e *Engine) applyAll(ctx context.Context, p *Pass, in plan.Inputs, rendering Rendering, steps Steps) (apply.ChangeSet, outcome.Outcome) {
	var changes apply.ChangeSet
	rendering, o := e.Generate(ctx, p.Owner, rendering)
	if !Stop(o) {
		var applied apply.ChangeSet
		rendering, changes = leave(rendering, p.Owner, e.Memory.Contested(p.Object.GetUID(), p.digest(in), p.Now))
		applied, o = e.Apply(ctx, p.Owner, rendering)
		changes = append(changes, applied...)
	}
	e.account(ctx, p, changes, e.Memory.Drifted(p.Object.GetUID(), p.digest(in), changes))
	p.Available = o
	if Stop(o) {
		e.remember(p, Applied{Digest: p.digest(in), Changes: changes, Outcome: o})
		return changes, o
	}
	p.Applied = true
	p.Next.Version, p.Next.GitLabVersion = p.Next.TargetVersion, rendering.AppVersion
	if steps.GitLabVersion != "" {
		p.Next.GitLabVersion = steps.GitLabVersion
	}
	return changes, o
}

// leave takes the objects that are left to another writer out of a rendering and says so of each.
func leave(rendering Rendering, owner apply.Owner, contested []object.Ref) (Rendering, apply.ChangeSet) {
	var left apply.ChangeSet
	rendering.Objects = slices.DeleteFunc(slices.Clone(rendering.Objects), func(o *unstructured.Unstructured) bool {
		ref := object.RefOf(o)
		inside := ref
		if inside.Namespace == "" {
			inside.Namespace = owner.Release.Namespace
		}
		at := slices.IndexFunc(contested, func(c object.Ref) bool { return c.Same(ref) || c.Same(inside) })
		if at >= 0 {
			left = append(left, apply.Change{Ref: contested[at], Action: apply.Skipped, Reason: "another writer changes it again and again"})
		}
		return at >= 0
	})
	return rendering, left
}

// prune deletes what the release no longer renders. Its failures are logged and tried again; they fail nothing.
func (e *Engine) prune(ctx context.Context, p *Pass, rendered render.Release, changes apply.ChangeSet) {
	if p.Partial {
		return
	}
	keep := changes.Refs()
	for _, h := range rendered.Hooks {
		ref := object.RefOf(h.Object)
		if ref.Namespace == "" {
			ref.Namespace = p.Object.GetNamespace()
		}
		keep = append(keep, ref)
	}
	result := e.Prune(ctx, p.Owner, keep, p.Next.RenderedKinds)
	e.accountPruned(ctx, p, result.Changes)
	if err := Failures(result.Changes); err != nil {
		logf.FromContext(ctx).Error(err, "the prune could not look at everything, or not delete it; a later pass tries again")
	}
	p.unpruned = slices.ContainsFunc(result.Changes.Failed(), func(c apply.Change) bool { return c.Transient })
	applied := make([]string, 0, len(changes))
	for _, c := range changes {
		if c.Action != apply.Skipped {
			applied = append(applied, object.KindKey(c.Ref.GVK))
		}
	}
	p.Next.RenderedKinds = union(union(e.Kinds(rendered), applied), result.Remaining)
}

// union returns what is in one of the lists or both, sorted.
func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// remember lets the next passes be free, unless this one left something for the next to do.
func (e *Engine) remember(p *Pass, a Applied) {
	a.At, a.More = p.Now, p.hooksRan || p.Partial || p.unpruned
	p.remembered = true
	for _, ref := range e.Memory.Remember(p.Object.GetUID(), a) {
		e.Events.Eventf(p.Object, nil, corev1.EventTypeWarning, v2alpha1.EventDriftContested, "Apply",
			"%s is changed by another writer again and again; the Operator stops repairing it at once and looks again in five minutes", ref)
	}
}

// Look says whether the workloads are rolled out. Where the version of the instance moved and nothing that is rendered
// depends on it, what is applied is that of the new version too.
func (e *Engine) Look(ctx context.Context, p *Pass, workloads []object.Ref, steps Steps) outcome.Outcome {
	if steps.GitLabVersion != "" {
		p.Next.GitLabVersion = steps.GitLabVersion
	}
	if steps.Workloads != nil {
		workloads = steps.Workloads
	}
	if p.failed != nil {
		p.Available = p.failed
		return p.failed
	}
	p.Available = e.Judge(ctx, e.Metadata, p.Object.GetUID(), workloads)
	return p.Available
}

// LookAtRunning judges the workloads of a running release in a pass that ended before it came to them, so that Available
// does not stay at what it was before a spec was refused or a hook began. Where they cannot be listed it stays; where
// there is none left, the release is not available.
func (e *Engine) LookAtRunning(ctx context.Context, p *Pass, steps Steps) {
	workloads, err := e.Running(ctx, p.Owner)
	if err != nil {
		logf.FromContext(ctx).Error(err, "whether the workloads are rolled out is not known; Available stays as it was")
		return
	}
	if len(workloads) == 0 && len(steps.Workloads) == 0 {
		p.Available = notReady("no Deployment and no StatefulSet of the release is there")
		return
	}
	e.Look(ctx, p, workloads, steps)
}

// ErrGone says that a resource went away under its pass, so that nothing may be applied for it any more.
var ErrGone = errors.New("the resource is gone")

// WriteStatus writes the status of a resource ahead of the end of its pass: after carries what is to be recorded, and
// something is. The resource version of before moves along. It fails with ErrGone where there is no resource any more.
func WriteStatus[T client.Object](ctx context.Context, c client.Client, before, after T) error {
	written, err := status.Write(ctx, c, before, after)
	if err != nil {
		return fmt.Errorf("write the status ahead: %w", err)
	}
	if !written {
		return fmt.Errorf("write the status ahead: %w", ErrGone)
	}
	before.SetResourceVersion(after.GetResourceVersion())
	return nil
}
