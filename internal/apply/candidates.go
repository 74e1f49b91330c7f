package apply

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// standing is what a prune makes of one object it found.
type standing int

const (
	// notOurs: it carries our labels, but we did not put it there.
	notOurs standing = iota
	// protected: it is ours and is never deleted.
	protected
	// wanted: it is in the keep set.
	wanted
	// leaving: it is being deleted already.
	leaving
	// orphaned: it is ours and nothing wants it any more.
	orphaned
)

// judge decides what a prune makes of an object, and says why when it protects it.
func judge(owner Owner, manager string, namespaced bool, keep keepSet, m *metav1.PartialObjectMetadata) (standing, string) {
	if !ours(owner, manager, namespaced, m) {
		return notOurs, ""
	}
	if why, never := protectedBy(owner, m); never {
		return protected, why
	}
	switch {
	case keep.has(m, namespaced, owner.Release.Namespace):
		return wanted, ""
	case m.GetDeletionTimestamp() != nil:
		return leaving, ""
	}
	return orphaned, ""
}

// protectedBy adds to what is never pruned what was never applied and the namespace the owner itself lives in.
func protectedBy(owner Owner, m *metav1.PartialObjectMetadata) (why string, yes bool) {
	if why, never := object.NeverApplied(m); never {
		return why, true
	}
	if m.GroupVersionKind().GroupKind() == (schema.GroupKind{Kind: "Namespace"}) && m.GetName() == owner.Release.Namespace {
		return "it is the namespace " + owner.String() + " itself lives in", true
	}
	return object.NeverPruned(m)
}

// ours reports whether an object that carries the release's name and namespace labels was put there for this owner.
//
// Labels alone are not enough: controllers copy them from an object to those they derive from it (a Service's to its
// EndpointSlices and Endpoints), and deleting such a copy would start a fight. So a controller other than the owner
// decides against it; and a namespaced object the owner does not control must have been written by our field manager,
// as far as the object still records who wrote it. An object without the third label, from before it existed, counts
// only if the owner controls it.
func ours(owner Owner, manager string, namespaced bool, m *metav1.PartialObjectMetadata) bool {
	labelled, _ := releaseLabels(m)
	if m.GetUID() == owner.Object.GetUID() || labelled.Name != owner.Release.Name || labelled.Namespace != owner.Release.Namespace {
		return false
	}
	if controller := metav1.GetControllerOf(m); controller != nil {
		return controller.UID == owner.Object.GetUID() && (labelled.Kind == "" || labelled.Kind == owner.Release.Kind)
	}
	if labelled.Kind != owner.Release.Kind {
		return false
	}
	return !namespaced || len(m.GetManagedFields()) == 0 || writtenBy(m, manager)
}

// writtenBy reports whether the field manager wrote any of the object's fields.
func writtenBy(m *metav1.PartialObjectMetadata, manager string) bool {
	return slices.ContainsFunc(m.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == manager })
}

// keepSet is what a prune must not delete.
type keepSet struct{ refs []object.Ref }

// has reports whether the object is in the set, whatever API version it is named in there. The namespace of a
// cluster-scoped object does not count, and a namespaced one named without it is in the owner's.
func (k keepSet) has(m *metav1.PartialObjectMetadata, namespaced bool, home string) bool {
	return slices.ContainsFunc(k.refs, func(ref object.Ref) bool {
		return ref.GVK.GroupKind() == m.GroupVersionKind().GroupKind() && sameName(ref, m, namespaced, home)
	})
}

// aliases returns the entries of the set with the object's kind and name in another group: the same object may be
// served there too (as Ingress was in two groups), which only its UID can tell.
func (k keepSet) aliases(m *metav1.PartialObjectMetadata, namespaced bool, home string) []object.Ref {
	var out []object.Ref
	for _, ref := range k.refs {
		gvk := m.GroupVersionKind()
		if ref.GVK.Kind == gvk.Kind && ref.GVK.Group != gvk.Group && sameName(ref, m, namespaced, home) {
			ref.Namespace = m.GetNamespace()
			out = append(out, ref)
		}
	}
	return out
}

func sameName(ref object.Ref, m *metav1.PartialObjectMetadata, namespaced bool, home string) bool {
	if ref.Name != m.GetName() {
		return false
	}
	return !namespaced || ref.Namespace == m.GetNamespace() || ref.Namespace == "" && m.GetNamespace() == home
}

// group is one kind of the record, in every version it was recorded in.
type group struct {
	gk   schema.GroupKind
	keys []string
}

// groups parses a record of kinds. A key that is no "<apiVersion>/<Kind>" names nothing a cluster could serve and is
// dropped, and so are kinds that are never applied or never pruned: there is nothing to look for.
func groups(kinds []string) []group {
	var out []group
	for _, key := range slices.Sorted(slices.Values(kinds)) {
		gvk, ok := object.ParseKind(key)
		if !ok || object.IsRBAC(gvk) || object.IsDefinition(gvk) || object.NeverPrunedKind(gvk.GroupKind()) {
			continue
		}
		at := slices.IndexFunc(out, func(g group) bool { return g.gk == gvk.GroupKind() })
		switch {
		case at < 0:
			out = append(out, group{gk: gvk.GroupKind(), keys: []string{key}})
		case !slices.Contains(out[at].keys, key):
			out[at].keys = append(out[at].keys, key)
		}
	}
	return out
}
