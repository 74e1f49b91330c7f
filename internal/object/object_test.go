package object_test

import (
	"maps"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/portcullis-operator/portcullis/internal/object"
)

var acme = object.Release{Name: "acme", Namespace: "prod", Kind: "gitlabcore"}

func TestStampRelease(t *testing.T) {
	tests := map[string]struct {
		metadata any
		want     map[string]any
	}{
		"an object without labels gets the three": {
			metadata: map[string]any{"name": "x"},
			want:     map[string]any{},
		},
		"labels that are null are no obstacle": {
			metadata: map[string]any{"name": "x", "labels": nil},
			want:     map[string]any{},
		},
		"the chart's own labels stay, one of a wrong type included": {
			metadata: map[string]any{"name": "x", "labels": map[string]any{"app": "web", "replicas": int64(3)}},
			want:     map[string]any{"app": "web", "replicas": int64(3)},
		},
		"a release label the chart wrote is replaced": {
			metadata: map[string]any{"labels": map[string]any{object.LabelReleaseName: "evil"}},
			want:     map[string]any{},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"metadata": test.metadata}}
			object.StampRelease(u, acme)
			want := maps.Clone(test.want)
			for key, value := range acme.Labels() {
				want[key] = value
			}
			got, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "labels")
			if diff := cmp.Diff(any(want), got); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReleaseOfReadsBackWhatWasStamped(t *testing.T) {
	u := made("v1", "ConfigMap", "x")
	if _, ok := object.ReleaseOf(u); ok {
		t.Error("an object without labels belongs to no release")
	}
	object.StampRelease(u, acme)
	if got, ok := object.ReleaseOf(u); !ok || got != acme {
		t.Errorf("ReleaseOf = %v, %v; want %v", got, ok, acme)
	}
	u.SetLabels(map[string]string{object.LabelReleaseName: "acme", object.LabelReleaseNamespace: "prod"})
	if got, ok := object.ReleaseOf(u); !ok || got.Kind != "" {
		t.Errorf("ReleaseOf without the third label = %+v, %v; want an empty kind", got, ok)
	}
	u.SetLabels(map[string]string{object.LabelReleaseName: "acme"})
	if _, ok := object.ReleaseOf(u); ok {
		t.Error("a name without a namespace names no release")
	}
}

// tree returns a random tree with nulls in maps and lists.
func tree(random *rand.Rand, depth int) any {
	switch choice := random.IntN(6); {
	case choice == 0:
		return nil
	case choice < 3 && depth > 0:
		m := map[string]any{}
		for i := range random.IntN(4) {
			m[strconv.Itoa(i)] = tree(random, depth-1)
		}
		return m
	case choice < 5 && depth > 0:
		list := []any{}
		for range random.IntN(4) {
			list = append(list, tree(random, depth-1))
		}
		return list
	}
	return int64(random.IntN(9))
}

// count returns how many nulls are map entries, how many are items of lists, and how many other leaves there are.
func count(value any) (entries, items, leaves int) {
	add := func(child any, null *int) {
		if child == nil {
			*null++
			return
		}
		e, i, l := count(child)
		entries, items, leaves = entries+e, items+i, leaves+l
	}
	switch v := value.(type) {
	case map[string]any:
		for _, child := range v {
			add(child, &entries)
		}
	case []any:
		for _, child := range v {
			add(child, &items)
		}
	default:
		leaves++
	}
	return entries, items, leaves
}

func TestDropNullsTakesEveryNullEntryAndNothingElse(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	seen := 0
	for range 2000 {
		given := map[string]any{"spec": tree(random, 5)}
		entries, items, leaves := count(given)
		seen += entries
		u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(given)}
		object.DropNulls(u)
		gotEntries, gotItems, gotLeaves := count(u.Object)
		if gotEntries != 0 || gotItems != items || gotLeaves != leaves {
			t.Fatalf("%v became %v: %d null entries (want 0), %d null items (want %d), %d leaves (want %d)",
				given, u.Object, gotEntries, gotItems, items, gotLeaves, leaves)
		}
		once := runtime.DeepCopyJSON(u.Object)
		object.DropNulls(u)
		if diff := cmp.Diff(once, u.Object); diff != "" {
			t.Fatalf("dropping twice changed something:\n%s", diff)
		}
	}
	if seen == 0 {
		t.Fatal("the generator made no null entry, so this test showed nothing")
	}
}

func TestFingerprint(t *testing.T) {
	base := func() *metav1.ObjectMeta {
		return &metav1.ObjectMeta{
			UID: "1", Generation: 4, ResourceVersion: "10",
			Labels: map[string]string{"a": "1", "b": "2"}, Annotations: map[string]string{"c": "3"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "GitLabCore", Name: "acme", UID: "9"}},
		}
	}
	now := metav1.Now()
	tests := map[string]struct {
		change func(*metav1.ObjectMeta)
		same   bool
	}{
		"nothing changed":                                      {func(*metav1.ObjectMeta) {}, true},
		"a status write moves the resourceVersion":             {func(m *metav1.ObjectMeta) { m.ResourceVersion = "11" }, true},
		"managed fields carry times":                           {func(m *metav1.ObjectMeta) { m.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "x"}} }, true},
		"somebody edited the spec":                             {func(m *metav1.ObjectMeta) { m.Generation = 5 }, false},
		"somebody edited a label":                              {func(m *metav1.ObjectMeta) { m.Labels["a"] = "9" }, false},
		"somebody removed a label":                             {func(m *metav1.ObjectMeta) { delete(m.Labels, "a") }, false},
		"somebody edited an annotation":                        {func(m *metav1.ObjectMeta) { m.Annotations["c"] = "9" }, false},
		"an annotation moved among the labels":                 {func(m *metav1.ObjectMeta) { m.Labels["c"], m.Annotations = "3", nil }, false},
		"somebody removed the owner":                           {func(m *metav1.ObjectMeta) { m.OwnerReferences = nil }, false},
		"the object was deleted and made again by hand":        {func(m *metav1.ObjectMeta) { m.UID = types.UID("2") }, false},
		"the object is being deleted":                          {func(m *metav1.ObjectMeta) { m.DeletionTimestamp = &now }, false},
		"the kind has no generation, so the version must hold": {func(m *metav1.ObjectMeta) { m.Generation = 0 }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			changed := base()
			test.change(changed)
			if same := object.Fingerprint(base()) == object.Fingerprint(changed); same != test.same {
				t.Errorf("fingerprints equal = %v, want %v", same, test.same)
			}
		})
	}
	old, written := base(), base()
	old.Generation, written.Generation, written.ResourceVersion = 0, 0, "11"
	if object.Fingerprint(old) == object.Fingerprint(written) {
		t.Error("without a generation, a new resourceVersion is a change")
	}
}

func TestFingerprintOfAKindWithAStatusAndNoGeneration(t *testing.T) {
	entry := func(manager, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Subresource: subresource, Operation: metav1.ManagedFieldsOperationUpdate,
			FieldsV1: metav1.NewFieldsV1(fields),
		}
	}
	base := func() *metav1.ObjectMeta {
		return &metav1.ObjectMeta{UID: "1", ResourceVersion: "10", ManagedFields: []metav1.ManagedFieldsEntry{
			entry("us", "", `{"f:spec":{"f:minReplicas":{},"f:maxReplicas":{}}}`), entry("kube-controller-manager", "status", `{"f:status":{}}`),
		}}
	}
	tests := map[string]struct {
		change func(*metav1.ObjectMeta)
		same   bool
	}{
		"its status is written again": {func(m *metav1.ObjectMeta) {
			m.ResourceVersion, m.ManagedFields[1] = "11", entry("kube-controller-manager", "status", `{"f:status":{"f:currentReplicas":{}}}`)
		}, true},
		"somebody took a field over": {func(m *metav1.ObjectMeta) {
			m.ResourceVersion, m.ManagedFields[0] = "11", entry("us", "", `{"f:spec":{"f:minReplicas":{}}}`)
			m.ManagedFields = append(m.ManagedFields, entry("kubectl-edit", "", `{"f:spec":{"f:maxReplicas":{}}}`))
		}, false},
		"somebody edited a label":           {func(m *metav1.ObjectMeta) { m.Labels = map[string]string{"a": "1"} }, false},
		"nobody knows who set what":         {func(m *metav1.ObjectMeta) { m.ManagedFields = nil }, false},
		"it was made again by hand":         {func(m *metav1.ObjectMeta) { m.UID = "2" }, false},
		"its status has not been written":   {func(m *metav1.ObjectMeta) { m.ManagedFields = m.ManagedFields[:1] }, false},
		"another status is written besides": {func(m *metav1.ObjectMeta) { m.ManagedFields = append(m.ManagedFields, entry("x", "status", `{}`)) }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			changed := base()
			test.change(changed)
			if same := object.Fingerprint(base()) == object.Fingerprint(changed); same != test.same {
				t.Errorf("fingerprints equal = %v, want %v", same, test.same)
			}
		})
	}
}

func TestEveryRecordedKindReadsBack(t *testing.T) {
	for _, gvk := range []schema.GroupVersionKind{
		{Version: "v1", Kind: "ConfigMap"}, {Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "gateway.networking.k8s.io", Version: "v1alpha2", Kind: "TCPRoute"},
	} {
		if got, ok := object.ParseKind(object.KindKey(gvk)); !ok || got != gvk {
			t.Errorf("ParseKind(%q) = %v, %v", object.KindKey(gvk), got, ok)
		}
	}
	for _, key := range []string{"", "/", "ConfigMap", "v1/", "/ConfigMap", "a/b/c/D"} {
		if got, ok := object.ParseKind(key); ok {
			t.Errorf("ParseKind(%q) = %v", key, got)
		}
	}
}
