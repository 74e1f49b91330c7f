package hookexec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/readiness"
	"github.com/portcullis-operator/portcullis/internal/render"
)

// Step takes the run as far as it goes without waiting. Each hook completes before the next begins: a Job and a Pod by
// their end, everything else by being created. Continue says that every hook is complete, Wait that one runs (or that
// its predecessor is still being deleted), Fail that one did not succeed or could not be run, Refuse that the chart
// holds a hook that is never run.
//
// Reads must be live: the client is one that does not answer from a cache. Objects that are not of this release are
// never changed or deleted. Messages may quote the API server's refusal; a caller that knows secrets masks them.
func Step(ctx context.Context, c client.Client, run Run, hooks []render.Hook) outcome.Outcome {
	steps, err := run.prepare(c, hooks)
	if refused := (*RefusedError)(nil); errors.As(err, &refused) {
		return outcome.Refuse{Reason: run.unapplied(), Message: err.Error()}
	}
	if err != nil {
		return run.fail(err)
	}
	x := executor{client: c, run: run}
	for i, s := range steps {
		o := x.settle(ctx, s)
		if _, done := o.(outcome.Continue); done {
			continue
		}
		if f, ok := o.(outcome.Fail); ok {
			f.Err = errors.Join(f.Err, x.afterFailure(ctx, f.Err, steps[:i], s))
			return f
		}
		return o
	}
	return outcome.Continue{}
}

// fail tells a hook that did not succeed from one that could not be run.
func (r Run) fail(err error) outcome.Outcome {
	if failure := (*FailedError)(nil); errors.As(err, &failure) {
		return outcome.Fail{Reason: r.Reasons.Failed, Err: err}
	}
	return outcome.Fail{Reason: r.unapplied(), Err: err}
}

func (r Run) unapplied() outcome.Reason { return cmp.Or(r.Reasons.Unapplied, r.Reasons.Failed) }

func (r Run) wait(message string) outcome.Outcome {
	return outcome.Wait{Reason: r.Reasons.Running, Message: message, After: pollInterval}
}

// executor binds a run to the cluster.
type executor struct {
	client client.Client
	run    Run
}

// settle looks at one hook and does the one next thing for it.
func (x executor) settle(ctx context.Context, s step) outcome.Outcome {
	live, err := x.read(ctx, s)
	switch {
	case err != nil:
		return x.run.fail(err)
	case live == nil:
		return x.create(ctx, s)
	case !x.run.ours(live):
		return x.run.fail(&ForeignError{Hook: s.ref, Owner: ownerOf(live), Release: x.run.Release})
	case live.GetAnnotations()[object.AnnotationHookRun] == x.run.Token:
		return x.judge(ctx, s, live)
	case s.keeps() || object.Kept(live):
		return outcome.Continue{}
	}
	// Whatever its policy says, an object of an earlier run has to make room: the hook could never run again.
	return x.replace(ctx, s, live)
}

// judge says how far a hook of this run has come.
func (x executor) judge(ctx context.Context, s step, live *unstructured.Unstructured) outcome.Outcome {
	state, message := judge(live)
	if state == readiness.Complete {
		return outcome.Continue{}
	}
	if live.GetDeletionTimestamp() != nil {
		return x.run.wait(fmt.Sprintf("%s is being deleted before it runs again", s.ref))
	}
	if state == readiness.Failed && x.run.Retry {
		return x.replace(ctx, s, live)
	}
	message = readiness.Explain(message, x.cause(ctx, live))
	left := x.run.timeout() - x.run.Now.Sub(live.GetCreationTimestamp().Time)
	switch {
	case state == readiness.Failed:
		return x.run.fail(&FailedError{Hook: s.ref, Event: x.run.Event, Message: message})
	case left <= 0:
		return x.run.fail(&FailedError{Hook: s.ref, Event: x.run.Event, Message: message, TimedOut: x.run.timeout()})
	}
	return outcome.Wait{
		Reason:  x.run.Reasons.Running,
		Message: fmt.Sprintf("%s hook: %s", x.run.Event, message),
		After:   min(pollInterval, left),
	}
}

func judge(live *unstructured.Unstructured) (readiness.State, string) {
	switch gvk := live.GroupVersionKind(); {
	case isJob(gvk):
		return readiness.JudgeJob(live)
	case isPod(gvk):
		return readiness.JudgePod(live)
	}
	return readiness.Complete, ""
}

// create makes the hook. When the answer is lost, the next Step finds the object by its token.
func (x executor) create(ctx context.Context, s step) outcome.Outcome {
	created := s.object.DeepCopy()
	err := x.client.Create(ctx, created, client.FieldOwner(x.run.Manager))
	if apierrors.IsAlreadyExists(err) {
		return x.run.wait(fmt.Sprintf("%s appeared while it was being created", s.ref))
	}
	if err != nil {
		return x.run.fail(fmt.Errorf("create hook %s: %w", s.ref, err))
	}
	return x.judge(ctx, s, created)
}

// replace deletes what an earlier run left and creates the hook as soon as that is gone.
func (x executor) replace(ctx context.Context, s step, live *unstructured.Unstructured) outcome.Outcome {
	if err := x.remove(ctx, live); err != nil {
		return x.run.fail(err)
	}
	left, err := x.read(ctx, s)
	switch {
	case err != nil:
		return x.run.fail(err)
	case left != nil:
		return x.run.wait(fmt.Sprintf("%s of an earlier run is being deleted", s.ref))
	}
	return x.create(ctx, s)
}

// afterFailure deletes what the policies name once a hook has failed: the failed one, and of those that succeeded
// before it the ones that are deleted on success. A Job that only ran out of time and is not to be deleted goes on
// running, so what it needs stays, too.
func (x executor) afterFailure(ctx context.Context, cause error, succeeded []step, failed step) error {
	var failure *FailedError
	if !errors.As(cause, &failure) || (failure.TimedOut > 0 && !failed.has(hookFailed)) {
		return nil
	}
	var errs []error
	if failed.has(hookFailed) {
		errs = append(errs, x.removeOwn(ctx, failed))
	}
	for _, s := range slices.Backward(succeeded) {
		if s.has(hookSucceeded) {
			errs = append(errs, x.removeOwn(ctx, s))
		}
	}
	return errors.Join(errs...)
}

// Cleanup deletes the hooks of this run that are to be deleted once all have succeeded, in reverse order. It is called in
// a pass after the status has recorded the run, so that a crash in between never runs a hook a second time. It is
// idempotent, goes on after an error, and returns all errors joined.
func Cleanup(ctx context.Context, c client.Client, run Run, hooks []render.Hook) error {
	steps, err := run.prepare(c, hooks)
	if err != nil {
		return err
	}
	x := executor{client: c, run: run}
	var errs []error
	for _, s := range slices.Backward(steps) {
		if s.has(hookSucceeded) {
			errs = append(errs, x.removeOwn(ctx, s))
		}
	}
	return errors.Join(errs...)
}

// ownerOf says to whom a live object belongs.
func ownerOf(live *unstructured.Unstructured) string {
	release, named := object.ReleaseOf(live)
	controller := metav1.GetControllerOf(live)
	switch {
	case controller != nil:
		return controller.Kind + " " + controller.Name
	case named:
		return release.String()
	}
	return "no release"
}
