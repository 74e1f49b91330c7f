// Package gitlabcore reconciles GitLabCore resources: gather the facts, make the plan, perform it, report once.
//
// Floor 5. No rule lives here: what is wrong with a resource is said by admit, what is applied by plan, and how it is
// applied by release.
//
//	gather ──► unchanged? ──yes──────────────────────────────────┐
//	   │no                                                       ▼
//	   └► plan ► look up ► record kinds ► hooks ► apply ► prune ► judge workloads ► report
package gitlabcore

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
)

// Manager is the field manager of everything this reconciler applies.
const Manager = "gitlabcore-controller"

// Reconciler brings GitLabCore resources to what they ask for.
type Reconciler struct {
	// Client reads and writes without a cache.
	Client client.Client
	// Cached reads the resources themselves.
	Cached client.Reader
	// Metadata reads the metadata of applied objects from the drift cache; nil makes every pass a full one.
	Metadata client.Reader
	// Reviewer is the check the webhook makes too.
	Reviewer *admit.Reviewer
	// Engine performs plans.
	Engine *release.Engine
	// Drift watches what was applied; nil watches nothing.
	Drift *release.Drift
	// Events tells people what happened.
	Events events.EventRecorder
	// Now is the clock.
	Now func() time.Time
}

// Reconcile looks at one resource. It never waits for anything in the cluster: what is not ready yet is looked at again
// when a watch wakes it, and after 30 seconds at the latest.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	core := &v2alpha1.GitLabCore{}
	if err := r.Cached.Get(ctx, req.NamespacedName, core); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("read GitLabCore %s: %w", req.NamespacedName, err)
	}
	if !core.DeletionTimestamp.IsZero() {
		return r.remove(ctx, core)
	}
	if err := r.hold(ctx, core); apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: firstRetry}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	p := newPass(core, r.Now())
	o := r.perform(ctx, p)
	if p.available == nil && p.ran() {
		r.judgeRunning(ctx, p)
	}
	return r.report(ctx, p, o)
}

// perform takes the pass through its stages and returns the outcome it ends with. Each stage notes in the pass what its
// conditions say.
func (r *Reconciler) perform(ctx context.Context, p *pass) outcome.Outcome {
	in, o := r.gather(ctx, p)
	if stop(o) {
		return o
	}
	if same, workloads := r.Engine.Memory.Unchanged(ctx, r.Metadata, p.core.UID, p.digest(in), p.now); same && p.initialized() {
		return r.judge(ctx, p, workloads)
	}
	pl, o := r.plan(ctx, p, in)
	if stop(o) {
		return o
	}
	rendering, o := r.Engine.Live(ctx, p.owner, pl.Request(), *pl.Rendered)
	if stop(o) {
		return p.initialize(o)
	}
	if o = r.record(ctx, p, rendering.Release); stop(o) {
		return o
	}
	if o = r.hooks(ctx, p, rendering.Release); stop(o) {
		return o
	}
	changes, o := r.apply(ctx, p, rendering)
	if stop(o) {
		return o
	}
	r.prune(ctx, p, rendering.Release, changes)
	r.remember(p, in, changes)
	return r.judge(ctx, p, release.Workloads(changes))
}

// stop reports whether an outcome ends the pass.
func stop(o outcome.Outcome) bool {
	_, goOn := o.(outcome.Continue)
	return !goOn
}

// hold sets the finalizer in the pass that first sees the resource: setting it moves no generation, so there may be no
// second one.
func (r *Reconciler) hold(ctx context.Context, core *v2alpha1.GitLabCore) error {
	if controllerutil.ContainsFinalizer(core, v2alpha1.FinalizerGitLabCore) {
		return nil
	}
	before := core.DeepCopy()
	controllerutil.AddFinalizer(core, v2alpha1.FinalizerGitLabCore)
	if err := r.Client.Patch(ctx, core, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("set the finalizer of GitLabCore %s/%s: %w", core.Namespace, core.Name, err)
	}
	return nil
}

// owner is the resource as the engine knows it.
func owner(core *v2alpha1.GitLabCore) apply.Owner {
	return apply.Owner{
		Release: plan.ReleaseOf(core),
		Object:  core,
		GVK:     v2alpha1.GroupVersion.WithKind(v2alpha1.KindGitLabCore),
	}
}
