// Package orbit reconciles Orbit resources: wait for the instance and the Siphon, make the plan, perform it, report.
//
// Floor 5. No rule lives here: what an Orbit asks of its neighbours and which options are refused is said by plan and
// rules, and everything that happens to a release by the engine. It reads no Secret: every credential reaches the pods
// as a mounted key.
package orbit

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// Manager is the field manager of everything this reconciler applies.
const Manager = "orbit-controller"

// Reconciler brings Orbit resources to what they ask for.
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

// Reconcile looks at one resource. It never waits for anything in the cluster: a neighbour that is not ready yet wakes
// it by a watch, and it looks again after 30 seconds at the latest.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	orbit := &v2alpha1.Orbit{}
	if err := r.Cached.Get(ctx, req.NamespacedName, orbit); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("read Orbit %s: %w", req.NamespacedName, err)
	}
	owner := release.OwnerOf(plan.OfOrbit(orbit), v2alpha1.KindOrbit)
	if !orbit.DeletionTimestamp.IsZero() {
		_, result, err := r.Engine.Remove(ctx, owner, orbit, v2alpha1.FinalizerOrbit, orbit.Status.RenderedKinds, r.Now())
		return result, err
	}
	if again, err := r.Engine.Hold(ctx, orbit, v2alpha1.FinalizerOrbit); again || err != nil {
		return ctrl.Result{RequeueAfter: release.FirstRetry}, err
	}
	p := r.Engine.Begin(owner, orbit, orbit.Status.ReleaseStatus, r.Now())
	after := orbit.DeepCopy()
	o := r.perform(ctx, p, orbit, &after.Status)
	after.Status.ReleaseStatus = p.Status(o, words(p))
	written, result, err := release.Report(ctx, r.Engine, p, orbit, after, o)
	if written {
		r.Engine.Warn(p, after, after.Status.Conditions, v2alpha1.ConditionInitialized, v2alpha1.EventConfigError,
			v2alpha1.ReasonRenderFailed, v2alpha1.ReasonAdmissionRefused, v2alpha1.ReasonValueRefused, v2alpha1.ReasonNoIndexerPool,
			v2alpha1.ReasonDuplicateObject, v2alpha1.ReasonChartVersionUnavailable, v2alpha1.ReasonGitLabTooOld,
			v2alpha1.ReasonGitLabMismatch, v2alpha1.ReasonSiphonUsesCredentials)
	}
	return result, err
}

// perform takes the pass through its stages and returns the outcome it ends with.
func (r *Reconciler) perform(ctx context.Context, p *release.Pass, orbit *v2alpha1.Orbit, status *v2alpha1.OrbitStatus) outcome.Outcome {
	in, o := release.GatherAddOn(ctx, p, r.Reviewer.Facts, plan.OfOrbit(orbit), r.Reviewer.Settings)
	if release.Stop(o) {
		return o
	}
	steps := r.steps(in, orbit)
	if workloads, same := r.Engine.Unchanged(ctx, p, in); same {
		p.Initialize(outcome.Continue{})
		return r.Engine.Look(ctx, p, workloads, steps)
	}
	review, err := r.Reviewer.Plan(ctx, in)
	if err != nil {
		return outcome.Fail{Reason: v2alpha1.ReasonRenderFailed, Err: err}
	}
	p.Next.EffectiveValuesDigest = review.Plan.ValuesDigest()
	if o = review.Outcome(p.Ran(), rules.OptionRefused, rules.NoIndexerPool, rules.DuplicateObject); release.Stop(o) {
		return p.Initialize(named(o, review.Verdict))
	}
	if o = indexes(*review.Plan.Rendered, in.Target); release.Stop(o) {
		return p.Initialize(o)
	}
	o = r.Engine.Perform(ctx, p, review.Plan, steps)
	if p.Applied {
		status.GRPCEndpoint, status.CASecretRef = derive.Endpoint(orbit, review.Plan.Effective)
	}
	return o
}

// steps are what an Orbit does beside what every kind does.
func (r *Reconciler) steps(in plan.Inputs, orbit *v2alpha1.Orbit) release.Steps {
	return release.Steps{
		GitLabVersion: in.Neighbours.GitLabCore.Object.Status.GitLabVersion,
		Record: func(ctx context.Context, ahead v2alpha1.ReleaseStatus) error {
			after := orbit.DeepCopy()
			after.Status.ReleaseStatus = ahead
			return release.WriteStatus(ctx, r.Engine.Client, orbit, after)
		},
	}
}

// words are what the conditions of an Orbit say.
func words(p *release.Pass) release.Words {
	return release.Words{
		Done:      fmt.Sprintf("Orbit chart %s runs beside GitLab %s", p.Next.Version, p.Next.GitLabVersion),
		Rendered:  fmt.Sprintf("chart %s is rendered", p.Next.TargetVersion),
		RolledOut: "the webserver, the dispatcher and every indexer pool are rolled out",
		Unsure:    true,
	}
}
