// Package release performs plans: it runs the hooks, applies what was rendered, prunes what no longer is, judges the
// workloads, and knows when there is nothing to do.
//
// Floor 4, an engine. It puts the effects of the floors below together for any chart-backed kind and knows none of
// them. Each stage returns its value and an outcome, so that a reconciler is a straight list of stages.
package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/render/hookexec"
)

// Engine performs plans. It may be used by several passes at once.
type Engine struct {
	// Client reads and writes without a cache.
	Client client.Client
	// Manager is the field manager of everything applied.
	Manager string
	// Renderer renders again what looks up live objects.
	Renderer plan.Renderer
	// Memory is what this process applied; see Memory.
	Memory *Memory
	// Metadata reads the metadata of applied objects from the drift cache; nil makes every pass a full one.
	Metadata client.Reader
	// Drift watches what was applied; nil watches nothing.
	Drift *Drift
	// Events tells people what happened.
	Events events.EventRecorder
}

// Hooks runs the pre-install hooks of a release as far as they go without waiting. Retry says that the last pass
// reported them failed.
func (e *Engine) Hooks(ctx context.Context, owner apply.Owner, hooks []render.Hook, token string, retry bool, now time.Time) outcome.Outcome {
	return hookexec.Step(ctx, e.Client, e.run(owner, token, retry, now), hooks)
}

// CleanUpHooks deletes the hooks whose policy says so. It belongs into a pass after the one that recorded them done, so
// that a crash in between never runs them again.
func (e *Engine) CleanUpHooks(ctx context.Context, owner apply.Owner, hooks []render.Hook, token string, now time.Time) error {
	if err := hookexec.Cleanup(ctx, e.Client, e.run(owner, token, false, now), hooks); err != nil {
		return fmt.Errorf("clean up hooks: %w", err)
	}
	return nil
}

func (e *Engine) run(owner apply.Owner, token string, retry bool, now time.Time) hookexec.Run {
	return hookexec.Run{
		Release: owner.Release,
		Owner:   *metav1.NewControllerRef(owner.Object, owner.GVK),
		Manager: e.Manager,
		Event:   "pre-install",
		Token:   token,
		Retry:   retry,
		Now:     now,
		Reasons: hookexec.Reasons{Running: v2alpha1.ReasonHooksRunning, Failed: v2alpha1.ReasonHooksFailed, Unapplied: v2alpha1.ReasonApplyFailed},
	}
}

// Kinds returns the kinds a release may own, as they are recorded before the first of its objects is applied.
func (e *Engine) Kinds(rendered render.Release) []string {
	objects := slices.Clone(rendered.Objects)
	for _, h := range rendered.Hooks {
		objects = append(objects, h.Object)
	}
	engine := apply.Engine{Client: e.Client, Manager: e.Manager}
	return engine.Kinds(objects)
}

// Apply applies the objects of a release in their order. An object that fails stops no other; the outcome names all
// that did. A failure that only a change of the object or the cluster can mend is retried too, since the change may
// be one this process is not told about.
func (e *Engine) Apply(ctx context.Context, owner apply.Owner, rendering Rendering) (apply.ChangeSet, outcome.Outcome) {
	engine := apply.Engine{Client: e.Client, Manager: e.Manager}
	changes := engine.Apply(ctx, owner, rendering.Objects, apply.Options{Guarded: rendering.Guarded})
	failed := changes.Failed()
	if len(failed) == 0 {
		return changes, outcome.Continue{}
	}
	findings := make([]string, 0, len(failed))
	causes := make([]error, 0, len(failed))
	for _, c := range failed {
		findings = append(findings, c.Err.Error())
		causes = append(causes, c.Err)
	}
	return changes, outcome.Fail{Reason: v2alpha1.ReasonApplyFailed, Err: &ApplyError{text: condition.Join(findings), causes: causes}}
}

// ApplyError says which objects of a release did not apply, all of them, each with its cause.
type ApplyError struct {
	text   string
	causes []error
}

// Error names the objects, as many as a condition has room for.
func (e *ApplyError) Error() string { return e.text }

// Unwrap returns the cause of each object, for errors.Is and errors.As.
func (e *ApplyError) Unwrap() []error { return e.causes }

// Prune deletes what the release owns and no longer renders, and returns the kinds a later prune has to look at again.
// It never fails a pass: what could not be listed or deleted stays in the record.
func (e *Engine) Prune(ctx context.Context, owner apply.Owner, keep []object.Ref, kinds []string) apply.PruneResult {
	engine := apply.Engine{Client: e.Client, Manager: e.Manager}
	return engine.Prune(ctx, owner, keep, kinds)
}

// Failures joins the errors of a change set, for a log line.
func Failures(changes apply.ChangeSet) error {
	failed := changes.Failed()
	errs := make([]error, 0, len(failed))
	for _, c := range failed {
		errs = append(errs, c.Err)
	}
	return errors.Join(errs...)
}
