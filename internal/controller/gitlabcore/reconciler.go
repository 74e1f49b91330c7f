// Package gitlabcore reconciles GitLabCore resources: gather the facts, make the plan, perform it, report once.
//
// Floor 5. No rule lives here: what is wrong with a resource is said by admit, what is applied by plan, and how it is
// applied by release.
//
//	gather ──► unchanged? ──yes──────────────────────────────────┐
//	   │no                                                       ▼
//	   └► plan ► look up ► record kinds ► secrets ► hooks ► apply ► prune ► judge workloads ► report
package gitlabcore

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
)

// Manager is the field manager of everything this reconciler applies.
const Manager = "gitlabcore-controller"

// Reconciler brings GitLabCore resources to what they ask for.
type Reconciler struct {
	// Cached reads the resources themselves.
	Cached client.Reader
	// Reviewer is the check the webhook makes too.
	Reviewer *admit.Reviewer
	// Engine performs plans.
	Engine *release.Engine
	// Now is the clock.
	Now func() time.Time
}

// pass is one look at one GitLabCore.
type pass struct {
	*release.Pass
	core *v2alpha1.GitLabCore
	// upgrading says whether the version the resource asks for can be gone to.
	upgrading outcome.Outcome
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
	owner := release.OwnerOf(plan.OfCore(core), v2alpha1.KindGitLabCore)
	if !core.DeletionTimestamp.IsZero() {
		_, result, err := r.Engine.Remove(ctx, owner, core, v2alpha1.FinalizerGitLabCore, core.Status.RenderedKinds, r.Now())
		return result, err
	}
	if again, err := r.Engine.Hold(ctx, core, v2alpha1.FinalizerGitLabCore); again || err != nil {
		return ctrl.Result{RequeueAfter: release.FirstRetry}, err
	}
	p := &pass{core: core, Pass: r.Engine.Begin(owner, core, core.Status.ReleaseStatus, r.Now())}
	o := r.perform(ctx, p)
	if p.Available == nil && p.Ran() {
		r.Engine.LookAtRunning(ctx, p.Pass, release.Steps{})
	}
	return r.report(ctx, p, o)
}

// perform takes the pass through its stages and returns the outcome it ends with. Each stage notes in the pass what its
// conditions say.
func (r *Reconciler) perform(ctx context.Context, p *pass) outcome.Outcome {
	in, o := r.gather(ctx, p)
	if release.Stop(o) {
		return o
	}
	if workloads, same := r.Engine.Unchanged(ctx, p.Pass, in); same {
		if o = r.secretsReady(ctx, p); release.Stop(o) {
			return o
		}
		return r.Engine.Look(ctx, p.Pass, workloads, release.Steps{})
	}
	pl, o := r.plan(ctx, p, in)
	if release.Stop(o) {
		return o
	}
	return r.Engine.Perform(ctx, p.Pass, pl, release.Steps{
		First: r.secrets,
		Record: func(ctx context.Context, ahead v2alpha1.ReleaseStatus) error {
			after := p.core.DeepCopy()
			after.Status.ReleaseStatus = ahead
			return release.WriteStatus(ctx, r.Engine.Client, p.core, after)
		},
	})
}
