package object

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// StampRelease writes the three release labels into the object's metadata, over whatever stood there, and leaves every
// other label alone: one that is not text stays as it is, for the API server to refuse by name.
func StampRelease(u *unstructured.Unstructured, r Release) {
	if u.Object == nil {
		u.Object = map[string]any{}
	}
	metadata := child(u.Object, "metadata")
	labels := child(metadata, "labels")
	for key, value := range r.Labels() {
		labels[key] = value
	}
}

// child returns the map under key, putting an empty one there when there is none.
func child(parent map[string]any, key string) map[string]any {
	if m, ok := parent[key].(map[string]any); ok {
		return m
	}
	m := map[string]any{}
	parent[key] = m
	return m
}

// ReleaseOf returns the release an object says it belongs to; false when it names none. Kind is empty on an object
// labelled before the third label existed: whoever asks decides what that is worth.
func ReleaseOf(m Meta) (Release, bool) {
	labels := m.GetLabels()
	r := Release{
		Name:      labels[LabelReleaseName],
		Namespace: labels[LabelReleaseNamespace],
		Kind:      labels[LabelReleaseKind],
	}
	return r, r.Name != "" && r.Namespace != ""
}
