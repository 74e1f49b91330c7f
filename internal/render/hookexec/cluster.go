package hookexec

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/readiness"
)

// labelJobUID is on every pod of a Job and tells the pods of two Jobs of one name apart.
const labelJobUID = "batch.kubernetes.io/controller-uid"

// read returns the live object of a hook, and nil when there is none.
func (x executor) read(ctx context.Context, s step) (*unstructured.Unstructured, error) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(s.ref.GVK)
	err := x.client.Get(ctx, client.ObjectKey{Namespace: s.ref.Namespace, Name: s.ref.Name}, live)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read hook %s: %w", s.ref, err)
	}
	return live, nil
}

// remove deletes exactly the object that was looked at. One that is being deleted already, or is gone, is fine.
//
// What runs pods is deleted in the foreground: its name is free only when its pods are gone, so the pods of two runs
// never work side by side. Nothing hangs on the others.
func (x executor) remove(ctx context.Context, live *unstructured.Unstructured) error {
	if live.GetDeletionTimestamp() != nil {
		return nil
	}
	propagation := metav1.DeletePropagationBackground
	if g := live.GroupVersionKind().Group; g == "batch" || g == "apps" {
		propagation = metav1.DeletePropagationForeground
	}
	uid, version := live.GetUID(), live.GetResourceVersion()
	err := x.client.Delete(ctx, live, client.PropagationPolicy(propagation),
		client.Preconditions{UID: &uid, ResourceVersion: &version})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete hook %s: %w", object.RefOf(live), err)
	}
	return nil
}

// removeOwn deletes the live object of a hook if this very run created it and nothing protects it.
func (x executor) removeOwn(ctx context.Context, s step) error {
	live, err := x.read(ctx, s)
	if err != nil || live == nil {
		return err
	}
	if !x.run.ours(live) || live.GetAnnotations()[object.AnnotationHookRun] != x.run.Token || object.Kept(live) {
		return nil
	}
	return x.remove(ctx, live)
}

// cause says what holds up the pods of a hook. It is a help for the reader, not a judgement: where the pods cannot be
// read there is none. Logs are never read, since they may hold secrets.
func (x executor) cause(ctx context.Context, live *unstructured.Unstructured) string {
	switch gvk := live.GroupVersionKind(); {
	case isPod(gvk):
		return readiness.Cause(pods([]unstructured.Unstructured{*live}))
	case !isJob(gvk):
		return ""
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "PodList"})
	err := x.client.List(ctx, list, client.InNamespace(live.GetNamespace()),
		client.MatchingLabels{labelJobUID: string(live.GetUID())})
	if err != nil {
		return ""
	}
	return readiness.Cause(pods(list.Items))
}

// pods decodes what it can.
func pods(items []unstructured.Unstructured) []corev1.Pod {
	var out []corev1.Pod
	for _, item := range items {
		var pod corev1.Pod
		if runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, &pod) == nil {
			out = append(out, pod)
		}
	}
	return out
}
