// Package gitlabsecrets reconciles GitLabSecrets resources: what is declared and missing is made, what is there stays.
//
// Floor 5. No rule lives here: what happens to a unit is said by secretgen, which sees the declared Secrets as they are
// at this moment, never through a cache. The one idea is that a write is only ever made on the very state it was
// decided on, guarded by the API server; whatever was made elsewhere meanwhile wins.
//
//	as a pass left it? ──yes──► nothing to ask
//	gather (live) ──► decide ──► nothing to do ─────────────────────────────────────────────┐
//	                     └► confirm the resource, decide again ► forge ► write ► decide again ► report
//	                                                                └ unfinished: come back when it is done
package gitlabsecrets

import (
	"context"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/outcome"
)

// Manager is the field manager of every Secret this reconciler writes.
const Manager = "gitlabsecrets-controller"

// Reconciler makes the Secrets that GitLabSecrets resources declare.
type Reconciler struct {
	// Client reads and writes without a cache: a decision on an old state could make a value that is there.
	Client client.Client
	// Cached reads GitLabSecrets. What it says is confirmed before anything is written.
	Cached client.Reader
	// Names knows the versions of Secrets, without their content, and may lag; nil makes every pass a full one.
	Names client.Reader
	// Forge makes what takes long, away from the workers.
	Forge *Forge
	// Events tells people what happened.
	Events events.EventRecorder
	// Random is the source of every value.
	Random io.Reader
	// Now is the clock.
	Now func() time.Time

	told   memory
	rested rest
}

// Reconcile looks at one resource. It never waits for a key to be made: the forge wakes it. It holds no finalizer, since
// the Secrets stay when the resource goes.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	resource := &v2alpha1.GitLabSecrets{}
	err := r.Cached.Get(ctx, req.NamespacedName, resource)
	if apierrors.IsNotFound(err) || (err == nil && !resource.DeletionTimestamp.IsZero()) {
		r.Forge.Forget(req.NamespacedName)
		r.told.forget(req.NamespacedName)
		r.rested.forget(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("read GitLabSecrets %s: %w", req.NamespacedName, err)
	}
	if r.atRest(ctx, resource) {
		return ctrl.Result{RequeueAfter: interval}, nil
	}
	p := &pass{resource: resource, now: r.Now()}
	return r.report(ctx, p, r.perform(ctx, p))
}

// perform takes the pass through its stages and returns the outcome it ends with.
func (r *Reconciler) perform(ctx context.Context, p *pass) outcome.Outcome {
	if o := r.gather(ctx, p); stop(o) {
		return o
	}
	if !p.work() {
		r.Forge.Forget(client.ObjectKeyFromObject(p.resource))
		return p.verdict(failures{})
	}
	if o := r.confirm(ctx, p); stop(o) {
		return o
	}
	made, o := r.make(p)
	if stop(o) {
		return o
	}
	failed := r.write(ctx, p, p.changes(made))
	p.decide()
	r.Forge.Retain(p.resource, p.plan.Work())
	return p.verdict(failed)
}

// stop reports whether an outcome ends the pass.
func stop(o outcome.Outcome) bool {
	_, goOn := o.(outcome.Continue)
	return !goOn
}
