// Package siphon reconciles Siphon resources: wait for the instance, make the plan, publish the tables, perform, report.
//
// Floor 5. No rule lives here: what a Siphon asks of its instance is said by plan, and everything that happens to a
// release by the engine. Its own are the list of replicated tables and the names it reports to an Orbit.
package siphon

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
)

// Manager is the field manager of everything this reconciler applies.
const Manager = "siphon-controller"

// Reconciler brings Siphon resources to what they ask for.
type Reconciler struct {
	// Cached reads the resources themselves.
	Cached client.Reader
	// Reviewer is the check the webhook makes too.
	Reviewer *admit.Reviewer
	// Engine performs plans.
	Engine *release.Engine
	// Tables reads the image that holds the list of replicated tables.
	Tables Tables
	// Now is the clock.
	Now func() time.Time
}

// pass is one look at one Siphon.
type pass struct {
	*release.Pass
	siphon *v2alpha1.Siphon
	// next becomes the status, but for what every release reports.
	next v2alpha1.SiphonStatus
	// tables is the condition of the tables; nil leaves it as it was.
	tables *metav1.Condition
}

// Reconcile looks at one resource. It never waits for anything in the cluster: the instance wakes it by a watch, and it
// looks again after 30 seconds at the latest.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	siphon := &v2alpha1.Siphon{}
	if err := r.Cached.Get(ctx, req.NamespacedName, siphon); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("read Siphon %s: %w", req.NamespacedName, err)
	}
	owner := release.OwnerOf(plan.OfSiphon(siphon), v2alpha1.KindSiphon)
	if !siphon.DeletionTimestamp.IsZero() {
		gone, result, err := r.Engine.Remove(ctx, owner, siphon, v2alpha1.FinalizerSiphon, siphon.Status.RenderedKinds, r.Now())
		if gone {
			r.farewell(siphon)
		}
		return result, err
	}
	if again, err := r.Engine.Hold(ctx, siphon, v2alpha1.FinalizerSiphon); again || err != nil {
		return ctrl.Result{RequeueAfter: release.FirstRetry}, err
	}
	p := &pass{siphon: siphon, next: *siphon.Status.DeepCopy(), Pass: r.Engine.Begin(owner, siphon, siphon.Status.ReleaseStatus, r.Now())}
	o := r.perform(ctx, p)
	if p.Available == nil && p.Ran() {
		r.Engine.Look(ctx, p.Pass, pipeline(siphon), release.Steps{})
	}
	return r.report(ctx, p, o)
}

// perform takes the pass through its stages and returns the outcome it ends with.
func (r *Reconciler) perform(ctx context.Context, p *pass) outcome.Outcome {
	in, o := release.GatherAddOn(ctx, p.Pass, r.Reviewer.Facts, plan.OfSiphon(p.siphon), r.Reviewer.Settings)
	if release.Stop(o) {
		return o
	}
	steps := r.steps(p, in.Neighbours.GitLabCore.Object.Status.GitLabVersion)
	if workloads, same := r.Engine.Unchanged(ctx, p.Pass, in); same && !p.tablesDue() {
		p.Initialize(outcome.Continue{})
		return r.Engine.Look(ctx, p.Pass, workloads, steps)
	}
	review, err := r.Reviewer.Plan(ctx, in)
	if err != nil {
		return outcome.Fail{Reason: v2alpha1.ReasonRenderFailed, Err: err}
	}
	p.Next.EffectiveValuesDigest = review.Plan.ValuesDigest()
	if o = review.Outcome(p.Ran()); release.Stop(o) {
		return p.Initialize(o)
	}
	o = r.Engine.Perform(ctx, p.Pass, review.Plan, steps)
	if p.Applied {
		p.next.Publication, p.next.ReplicationSlot, p.next.StreamName = derive.Publication, derive.ReplicationSlot, derive.StreamName
	}
	return o
}

// steps are what a Siphon does beside what every kind does.
func (r *Reconciler) steps(p *pass, gitLabVersion string) release.Steps {
	return release.Steps{
		GitLabVersion: gitLabVersion,
		First: func(ctx context.Context, _ *release.Pass, rendering release.Rendering) (release.Rendering, changes, outcome.Outcome) {
			rendering, o := r.publish(ctx, p, gitLabVersion, rendering)
			return rendering, nil, o
		},
		Record: func(ctx context.Context, ahead v2alpha1.ReleaseStatus) error {
			after := p.siphon.DeepCopy()
			after.Status.ReleaseStatus = ahead
			return release.WriteStatus(ctx, r.Engine.Client, p.siphon, after)
		},
		Workloads: pipeline(p.siphon),
	}
}

// pipeline are the producer and the consumer. The reconciler role of the chart says at once that it is ready, so it
// tells nothing about them.
func pipeline(siphon *v2alpha1.Siphon) []object.Ref {
	producer, consumer, _ := derive.SiphonDeployments(siphon.Name)
	deployment := appsv1.SchemeGroupVersion.WithKind("Deployment")
	return []object.Ref{
		{GVK: deployment, Namespace: siphon.Namespace, Name: producer}, {GVK: deployment, Namespace: siphon.Namespace, Name: consumer},
	}
}

// report writes the status, once, tells people what changed, and says when to look again.
func (r *Reconciler) report(ctx context.Context, p *pass, o outcome.Outcome) (ctrl.Result, error) {
	words := release.Words{
		Done:      fmt.Sprintf("Siphon chart %s runs beside GitLab %s", p.Next.Version, p.Next.GitLabVersion),
		Rendered:  fmt.Sprintf("chart %s is rendered", p.Next.TargetVersion),
		RolledOut: "the producer and the consumer are rolled out",
	}
	if p.tables != nil {
		words.Own = append(words.Own, *p.tables)
	}
	after := p.siphon.DeepCopy()
	after.Status = p.next
	after.Status.ReleaseStatus = p.Status(o, words)
	written, result, err := release.Report(ctx, r.Engine, p.Pass, p.siphon, after, o)
	if written {
		r.Engine.Warn(p.Pass, after, after.Status.Conditions, v2alpha1.ConditionInitialized, v2alpha1.EventConfigError,
			v2alpha1.ReasonRenderFailed, v2alpha1.ReasonAdmissionRefused, v2alpha1.ReasonDuplicateObject, v2alpha1.ReasonChartVersionUnavailable)
	}
	return result, err
}

// farewell says what a deleted Siphon leaves behind. A slot that nobody reads keeps PostgreSQL from freeing its disk.
func (r *Reconciler) farewell(siphon *v2alpha1.Siphon) {
	slot := siphon.Status.ReplicationSlot
	if slot == "" {
		return
	}
	r.Engine.Events.Eventf(siphon, nil, corev1.EventTypeNormal, v2alpha1.EventReplicationSlotRetained, "Remove",
		"replication slot %s and publication %s stay in PostgreSQL, and the stream in NATS: drop the slot if no Siphon comes back, or PostgreSQL keeps its write-ahead log until its disk is full",
		slot, siphon.Status.Publication)
}
