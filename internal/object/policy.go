package object

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// groupRBAC is the API group of roles and their bindings, which the cluster administrator provisions.
const groupRBAC = "rbac.authorization.k8s.io"

// IsRBAC reports whether a kind grants permissions.
func IsRBAC(gvk schema.GroupVersionKind) bool { return gvk.Group == groupRBAC }

// IsDefinition reports whether a kind defines other kinds. The group does not matter: nothing called a
// CustomResourceDefinition is ever ours to install.
func IsDefinition(gvk schema.GroupVersionKind) bool { return gvk.Kind == "CustomResourceDefinition" }

// NeverApplied reports whether an object is left to the cluster administrator, and why. It holds for rendered objects
// and hooks alike: the reconciler installs no definitions and no RBAC.
func NeverApplied(m Meta) (why string, yes bool) {
	gvk := m.GroupVersionKind()
	switch {
	case IsRBAC(gvk):
		return "roles and bindings are provisioned by the cluster administrator, never by the Operator", true
	case IsDefinition(gvk):
		return "definitions are installed by the cluster administrator, never by the Operator", true
	}
	return "", false
}

// NeverPrunedKind reports whether every object of a kind outlives its release, because it holds data or access to it.
func NeverPrunedKind(gk schema.GroupKind) bool {
	switch gk {
	case schema.GroupKind{Kind: "PersistentVolumeClaim"},
		schema.GroupKind{Kind: "PersistentVolume"},
		schema.GroupKind{Kind: "Secret"},
		schema.GroupKind{Group: "snapshot.storage.k8s.io", Kind: "VolumeSnapshot"}:
		return true
	}
	return false
}

// NeverPruned reports whether an object survives a prune and the deletion of its release, and why.
func NeverPruned(m Meta) (why string, yes bool) {
	if gvk := m.GroupVersionKind(); NeverPrunedKind(gvk.GroupKind()) {
		return "a " + gvk.Kind + " is never deleted by the Operator, because data may depend on it", true
	}
	if Kept(m) {
		return "its annotation " + AnnotationResourcePolicy + ": keep protects it", true
	}
	return "", false
}

// Kept reports whether the object carries helm.sh/resource-policy: keep. As in Helm, blanks and case do not matter.
func Kept(m Meta) bool {
	return strings.EqualFold(strings.TrimSpace(m.GetAnnotations()[AnnotationResourcePolicy]), "keep")
}
