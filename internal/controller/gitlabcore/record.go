package gitlabcore

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/status"
)

// removalPatience is how long a deletion is held back while the prune of cluster-scoped objects fails; removalRetry is
// how soon it is tried again. After that the resource goes: a cleanup must never block a deletion.
const (
	removalPatience = time.Minute
	removalRetry    = 5 * time.Second
)

// remove prunes what no owner reference takes along and lets the resource go. It neither resolves nor renders a chart.
func (r *Reconciler) remove(ctx context.Context, core *v2alpha1.GitLabCore) (ctrl.Result, error) {
	r.Engine.Memory.Forget(core.UID)
	if !controllerutil.ContainsFinalizer(core, v2alpha1.FinalizerGitLabCore) {
		return ctrl.Result{}, nil
	}
	result := r.Engine.Prune(ctx, owner(core), nil, core.Status.RenderedKinds)
	if err := release.Failures(result.Changes); err != nil {
		if r.Now().Sub(core.DeletionTimestamp.Time) < removalPatience {
			logf.FromContext(ctx).Info("an object of the release could not be deleted; trying again", "cause", err.Error())
			return ctrl.Result{RequeueAfter: removalRetry}, nil
		}
		logf.FromContext(ctx).Error(err, "the resource is deleted although an object of its release could not be")
	}
	before := core.DeepCopy()
	controllerutil.RemoveFinalizer(core, v2alpha1.FinalizerGitLabCore)
	err := r.Client.Patch(ctx, core, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("let go of GitLabCore %s/%s: %w", core.Namespace, core.Name, err)
	}
	return ctrl.Result{}, nil
}

// writeKinds records kinds ahead of the first apply. It is the one status write besides the last, and only when the
// set grows.
func (r *Reconciler) writeKinds(ctx context.Context, core *v2alpha1.GitLabCore, kinds []string) error {
	after := core.DeepCopy()
	after.Status.RenderedKinds = kinds
	if _, err := status.Write(ctx, r.Client, core, after); err != nil {
		return fmt.Errorf("record the kinds of GitLabCore %s/%s before applying them: %w", core.Namespace, core.Name, err)
	}
	core.Status.RenderedKinds = kinds
	core.ResourceVersion = after.ResourceVersion
	return nil
}

// tell sends the events of a pass: each once, when what it tells of begins.
func (r *Reconciler) tell(p *pass, after *v2alpha1.GitLabCore) {
	if from, to := p.core.Status.TargetVersion, after.Status.TargetVersion; to != "" && from != to && from != "" {
		r.Events.Eventf(after, nil, corev1.EventTypeNormal, v2alpha1.EventTargetVersionChanged, "Resolve",
			"the target version changed from %s to %s", from, to)
	}
	r.tellTurn(p, after, v2alpha1.ConditionInitialized, v2alpha1.EventConfigError,
		v2alpha1.ReasonRenderFailed, v2alpha1.ReasonAdmissionRefused, v2alpha1.ReasonValuesReferenceInvalid)
	r.tellTurn(p, after, v2alpha1.ConditionUpgradeable, v2alpha1.EventDowngradeRefused, v2alpha1.ReasonDowngradeRefused)
}

// tellTurn sends a warning when a condition turns False for one of the reasons, or stays so with another message.
func (r *Reconciler) tellTurn(p *pass, after *v2alpha1.GitLabCore, conditionType, event string, reasons ...string) {
	was := apimeta.FindStatusCondition(p.core.Status.Conditions, conditionType)
	is := apimeta.FindStatusCondition(after.Status.Conditions, conditionType)
	if is == nil || is.Status != metav1.ConditionFalse {
		return
	}
	if was != nil && was.Reason == is.Reason && was.Message == is.Message {
		return
	}
	for _, reason := range reasons {
		if is.Reason == reason {
			r.Events.Eventf(after, nil, corev1.EventTypeWarning, event, "Reconcile", "%s", is.Message)
		}
	}
}
