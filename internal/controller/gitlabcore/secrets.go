package gitlabcore

import (
	"context"
	"fmt"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/release"
)

// secrets applies the GitLabSecrets of the release ahead of everything else and waits until it is ready: every pod
// mounts Secrets it declares. What is left to apply comes back without it. A release without one goes on at once, as
// with charts whose Job makes the Secrets.
func (r *Reconciler) secrets(ctx context.Context, p *release.Pass, rendering release.Rendering) (release.Rendering, apply.ChangeSet, outcome.Outcome) {
	declared, rest := rendering, rendering
	declared.Objects, rest.Objects = nil, nil
	for _, o := range rendering.Objects {
		if o.GroupVersionKind() == v2alpha1.GroupVersion.WithKind(v2alpha1.KindGitLabSecrets) {
			declared.Objects = append(declared.Objects, o)
		} else {
			rest.Objects = append(rest.Objects, o)
		}
	}
	if len(declared.Objects) == 0 {
		return rest, nil, outcome.Continue{}
	}
	changes, o := r.Engine.Apply(ctx, p.Owner, declared)
	if release.Stop(o) {
		return rest, changes, o
	}
	for _, c := range changes {
		if o = awaited(c.Live); release.Stop(o) {
			return rest, changes, o
		}
	}
	return rest, changes, outcome.Continue{}
}

// secretsReady is what a pass with nothing to apply asks: whether the GitLabSecrets of the release still is ready. The
// cache is enough here, since the last full pass saw it ready and any change since then wakes the resource.
func (r *Reconciler) secretsReady(ctx context.Context, p *pass) outcome.Outcome {
	var list v2alpha1.GitLabSecretsList
	if err := r.Cached.List(ctx, &list, client.InNamespace(p.core.Namespace)); err != nil {
		return outcome.Fail{Reason: v2alpha1.ReasonDiscoveryFailed, Err: fmt.Errorf("list the GitLabSecrets of the release: %w", err)}
	}
	for i := range list.Items {
		if !metav1.IsControlledBy(&list.Items[i], p.core) {
			continue
		}
		if o := awaitedSecrets(&list.Items[i]); release.Stop(o) {
			return p.Initialize(o)
		}
	}
	return p.Initialize(outcome.Continue{})
}

func awaited(live *unstructured.Unstructured) outcome.Outcome {
	secrets := &v2alpha1.GitLabSecrets{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, secrets); err != nil {
		return outcome.Fail{Reason: v2alpha1.ReasonApplyFailed, Err: fmt.Errorf("read GitLabSecrets %s: %w", live.GetName(), err)}
	}
	return awaitedSecrets(secrets)
}

// awaitedSecrets waits until a GitLabSecrets is ready for the generation it has now. What it said of an earlier one
// counts for nothing, and one that is being deleted has no say any more.
func awaitedSecrets(secrets *v2alpha1.GitLabSecrets) outcome.Outcome {
	wait := outcome.Wait{Reason: v2alpha1.ReasonWaitingForSecrets, After: release.Interval}
	ready := apimeta.FindStatusCondition(secrets.Status.Conditions, v2alpha1.ConditionReady)
	switch {
	case !secrets.DeletionTimestamp.IsZero():
		wait.Message = fmt.Sprintf("GitLabSecrets %s is being deleted; it is made again when it is gone", secrets.Name)
	case ready == nil:
		wait.Message = fmt.Sprintf("the Secrets of GitLabSecrets %s are not made yet", secrets.Name)
	case ready.ObservedGeneration != secrets.Generation:
		wait.Message = fmt.Sprintf("GitLabSecrets %s changed and is not looked at yet; before the change it said: %s: %s",
			secrets.Name, ready.Reason, ready.Message)
	case ready.Status != metav1.ConditionTrue:
		wait.Message = fmt.Sprintf("GitLabSecrets %s is not ready: %s: %s", secrets.Name, ready.Reason, ready.Message)
	default:
		return outcome.Continue{}
	}
	return wait
}
