package apply

import (
	"encoding/base64"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// place is what the cluster and the options say about one object.
type place struct {
	namespaced bool
	guarded    bool
}

// prepare returns the object as it is sent: a copy with its nulls dropped, in the namespace its kind demands, with the
// release labels and, where one is possible and wanted, the owner's controller reference.
func prepare(u *unstructured.Unstructured, owner Owner, at place) *unstructured.Unstructured {
	out := u.DeepCopy()
	object.DropNulls(out)
	dropServerFields(out)
	switch {
	case !at.namespaced:
		unstructured.RemoveNestedField(out.Object, "metadata", "namespace")
	case out.GetNamespace() == "":
		out.SetNamespace(owner.Release.Namespace)
	}
	object.StampRelease(out, owner.Release)
	setController(out, owner, at)
	switch out.GroupVersionKind().GroupKind() {
	case schema.GroupKind{Group: "batch", Kind: "Job"}:
		// A Job that removes itself would be made again by the next pass, and run again, for ever.
		unstructured.RemoveNestedField(out.Object, "spec", "ttlSecondsAfterFinished")
	case schema.GroupKind{Kind: "Secret"}:
		foldStringData(out)
	}
	return out
}

// dropServerFields removes what only the API server may say, which some charts carry over from a dump.
func dropServerFields(u *unstructured.Unstructured) {
	for _, field := range []string{"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "deletionTimestamp", "selfLink"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
}

// outlivesOwner reports whether deleting the owner must leave the object, so that it gets no owner reference.
func outlivesOwner(u *unstructured.Unstructured, at place) bool {
	claim := schema.GroupKind{Kind: "PersistentVolumeClaim"}
	return at.guarded || object.Kept(u) || u.GroupVersionKind().GroupKind() == claim
}

// setController makes the owner the object's controller where Kubernetes allows it: in the owner's own namespace. A
// controller reference the chart wrote gives way, since an object has one controller at most.
func setController(u *unstructured.Unstructured, owner Owner, at place) {
	if !at.namespaced || u.GetNamespace() != owner.Release.Namespace || outlivesOwner(u, at) {
		return
	}
	refs := []metav1.OwnerReference{*metav1.NewControllerRef(owner.Object, owner.GVK)}
	for _, ref := range u.GetOwnerReferences() {
		if ref.UID != owner.Object.GetUID() && (ref.Controller == nil || !*ref.Controller) {
			refs = append(refs, ref)
		}
	}
	u.SetOwnerReferences(refs)
}

// foldStringData moves a Secret's stringData into its data. The API server does the same on every write, but records
// our ownership under stringData, so that a key the chart drops later would stay in the Secret.
func foldStringData(u *unstructured.Unstructured) {
	text, ok := u.Object["stringData"].(map[string]any)
	if !ok {
		return
	}
	for _, value := range text {
		if _, ok := value.(string); !ok {
			return // the API server says what is wrong with it
		}
	}
	data, ok := u.Object["data"].(map[string]any)
	if !ok {
		data = map[string]any{}
	}
	for key, value := range text {
		if s, ok := value.(string); ok {
			data[key] = base64.StdEncoding.EncodeToString([]byte(s))
		}
	}
	if len(data) > 0 {
		u.Object["data"] = data
	}
	delete(u.Object, "stringData")
}

// sameContent reports whether two reads of one object differ only in what the API server keeps for itself: a write
// that restored nothing is then not called a change.
func sameContent(a, b *unstructured.Unstructured) bool {
	if a.GetResourceVersion() == b.GetResourceVersion() {
		return true
	}
	return equalTrees(strip(a), strip(b))
}

// strip returns the object without bookkeeping and status.
func strip(u *unstructured.Unstructured) map[string]any {
	out := runtime.DeepCopyJSON(u.Object)
	for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(out, "metadata", field)
	}
	delete(out, "status")
	return out
}

// groupOf returns the group of an apiVersion: empty for "v1".
func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}
