package release

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/readiness"
)

// Workloads returns the Deployments and StatefulSets among what was applied: what readiness is judged by.
func Workloads(changes apply.ChangeSet) []object.Ref {
	var out []object.Ref
	for _, c := range changes {
		if c.Ref.GVK.Group == "apps" && (c.Ref.GVK.Kind == "Deployment" || c.Ref.GVK.Kind == "StatefulSet") {
			out = append(out, c.Ref)
		}
	}
	return out
}

// Running returns the Deployments and StatefulSets of a release as the cluster has them, whoever applied them and
// whenever: what readiness is judged by in a pass that applies nothing.
func (e *Engine) Running(ctx context.Context, owner apply.Owner) ([]object.Ref, error) {
	var out []object.Ref
	for _, kind := range []string{"Deployment", "StatefulSet"} {
		gvk := appsv1.SchemeGroupVersion.WithKind(kind)
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(kind + "List"))
		err := e.Client.List(ctx, list, client.InNamespace(owner.Release.Namespace), client.MatchingLabels(owner.Release.Labels()))
		if err != nil {
			return nil, fmt.Errorf("list every %s of %s: %w", kind, owner.Release, err)
		}
		for _, o := range list.Items {
			out = append(out, object.Ref{GVK: gvk, Namespace: o.Namespace, Name: o.Name})
		}
	}
	return out, nil
}

// Readiness judges the live workloads in their order and names the first that is not rolled out, with a cause when one
// of its pods gives one. A workload that is not ready is a wait: it gets ready, or says why not, without the resource
// being changed.
func (e *Engine) Readiness(ctx context.Context, workloads []object.Ref) outcome.Outcome {
	for _, ref := range workloads {
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(ref.GVK)
		err := e.Client.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, live)
		if apierrors.IsNotFound(err) {
			return notReady(readiness.Missing(ref))
		}
		if err != nil {
			return outcome.Fail{Reason: v2alpha1.ReasonWorkloadsNotReady, Err: fmt.Errorf("read %s: %w", ref, err)}
		}
		if ready, message := readiness.Judge(live); !ready {
			return notReady(readiness.Explain(message, e.cause(ctx, live)))
		}
	}
	return outcome.Continue{}
}

func notReady(message string) outcome.Outcome {
	return outcome.Wait{Reason: v2alpha1.ReasonWorkloadsNotReady, Message: message, After: Interval}
}

// cause asks the pods of a workload what holds it up. It only adds to a message, so an error of it is no news.
func (e *Engine) cause(ctx context.Context, workload *unstructured.Unstructured) string {
	raw, found, err := unstructured.NestedMap(workload.Object, "spec", "selector")
	if err != nil || !found {
		return ""
	}
	var written metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &written); err != nil {
		return ""
	}
	selector, err := metav1.LabelSelectorAsSelector(&written)
	if err != nil {
		return ""
	}
	var pods corev1.PodList
	if err := e.Client.List(ctx, &pods, client.InNamespace(workload.GetNamespace()), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return ""
	}
	return readiness.Cause(pods.Items)
}
