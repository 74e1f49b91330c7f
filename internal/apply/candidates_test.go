package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/portcullis-operator/portcullis/internal/object"
)

const fieldManager = "gitlabcore-controller"

// acme is the owner of these tests.
var acme = Owner{
	Release: object.Release{Name: "acme", Namespace: "prod", Kind: "gitlabcore"},
	Object:  &metav1.ObjectMeta{Namespace: "prod", Name: "acme", UID: "owner"},
	GVK:     schema.GroupVersionKind{Group: "apps.gitlab.com", Version: "v2alpha1", Kind: "GitLabCore"},
}

// listed returns a ConfigMap of acme's as a prune finds it, changed.
func listed(change func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "prod", Name: "x", UID: "x", Labels: acme.Release.Labels(),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(acme.Object, acme.GVK)},
			ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: fieldManager}},
		},
	}
	change(m)
	return m
}

func controlledBy(m *metav1.PartialObjectMetadata, uid types.UID) {
	m.OwnerReferences[0].UID = uid
}

func TestJudge(t *testing.T) {
	now := metav1.Now()
	keep := keepSet{refs: []object.Ref{{GVK: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Name: "wanted"}}}
	tests := map[string]struct {
		cluster bool
		change  func(*metav1.PartialObjectMetadata)
		want    standing
	}{
		"nothing wants it":      {change: func(*metav1.PartialObjectMetadata) {}, want: orphaned},
		"the keep set wants it": {change: func(m *metav1.PartialObjectMetadata) { m.Name = "wanted" }, want: wanted},
		"it is being deleted":   {change: func(m *metav1.PartialObjectMetadata) { m.DeletionTimestamp = &now }, want: leaving},
		"it is a claim":         {change: func(m *metav1.PartialObjectMetadata) { m.Kind = "PersistentVolumeClaim" }, want: protected},
		"it is a Secret":        {change: func(m *metav1.PartialObjectMetadata) { m.Kind = "Secret" }, want: protected},
		"it carries the keep policy": {change: func(m *metav1.PartialObjectMetadata) {
			m.Annotations = map[string]string{"helm.sh/resource-policy": "keep"}
		}, want: protected},
		"it is the owner itself": {change: func(m *metav1.PartialObjectMetadata) { m.UID = "owner" }, want: notOurs},
		"it is a role, which was never ours to apply": {
			change: func(m *metav1.PartialObjectMetadata) { m.APIVersion, m.Kind = "rbac.authorization.k8s.io/v1", "Role" }, want: protected,
		},
		"it is the namespace the owner lives in": {cluster: true, want: protected, change: func(m *metav1.PartialObjectMetadata) {
			m.Kind, m.Namespace, m.Name, m.OwnerReferences = "Namespace", "", "prod", nil
		}},
		"it is another namespace of the release": {cluster: true, want: orphaned, change: func(m *metav1.PartialObjectMetadata) {
			m.Kind, m.Namespace, m.Name, m.OwnerReferences = "Namespace", "", "extra", nil
		}},
		"its labels name another release": {
			change: func(m *metav1.PartialObjectMetadata) { m.Labels[object.LabelReleaseName] = "other" }, want: notOurs,
		},
		"its labels name another kind of one name": {want: notOurs, change: func(m *metav1.PartialObjectMetadata) {
			m.Labels[object.LabelReleaseKind], m.OwnerReferences = "siphon", nil
		}},
		"its labels name another kind though this owner controls it": {
			change: func(m *metav1.PartialObjectMetadata) { m.Labels[object.LabelReleaseKind] = "siphon" }, want: notOurs,
		},
		"it has two labels, from before, and this owner controls it": {
			change: func(m *metav1.PartialObjectMetadata) { delete(m.Labels, object.LabelReleaseKind) }, want: orphaned,
		},
		"it has two labels and no owner": {want: notOurs, change: func(m *metav1.PartialObjectMetadata) {
			delete(m.Labels, object.LabelReleaseKind)
			m.OwnerReferences = nil
		}},
		"it has two labels and an earlier owner": {want: notOurs, change: func(m *metav1.PartialObjectMetadata) {
			delete(m.Labels, object.LabelReleaseKind)
			controlledBy(m, "earlier")
		}},
		"another controller made it with copied labels": {change: func(m *metav1.PartialObjectMetadata) { controlledBy(m, "service") }, want: notOurs},
		"somebody made it with copied labels and no owner": {want: notOurs, change: func(m *metav1.PartialObjectMetadata) {
			m.OwnerReferences, m.ManagedFields = nil, []metav1.ManagedFieldsEntry{{Manager: "endpoints"}}
		}},
		"we wrote it, and its owner reference was lost": {change: func(m *metav1.PartialObjectMetadata) { m.OwnerReferences = nil }, want: orphaned},
		"it no longer records who wrote it": {want: orphaned, change: func(m *metav1.PartialObjectMetadata) {
			m.OwnerReferences, m.ManagedFields = nil, nil
		}},
		"it is cluster-scoped, so its labels decide": {cluster: true, want: orphaned, change: func(m *metav1.PartialObjectMetadata) {
			m.Namespace, m.OwnerReferences, m.ManagedFields = "", nil, []metav1.ManagedFieldsEntry{{Manager: "older-operator"}}
		}},
		"it is cluster-scoped with two labels": {cluster: true, want: notOurs, change: func(m *metav1.PartialObjectMetadata) {
			m.Namespace, m.OwnerReferences = "", nil
			delete(m.Labels, object.LabelReleaseKind)
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, why := judge(acme, fieldManager, !test.cluster, keep, listed(test.change))
			if got != test.want {
				t.Errorf("standing %d, want %d", got, test.want)
			}
			if (why != "") != (test.want == protected) {
				t.Errorf("reason %q: protected objects have one, no others do", why)
			}
		})
	}
}

func TestKeepSet(t *testing.T) {
	route := schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"}
	tests := map[string]struct {
		ref        object.Ref
		apiVersion string
		namespaced bool
		has, alias bool
	}{
		"the same object":                      {object.Ref{GVK: route, Namespace: "prod", Name: "x"}, "networking.k8s.io/v1", true, true, false},
		"recorded in another version":          {object.Ref{GVK: route, Namespace: "prod", Name: "x"}, "networking.k8s.io/v1beta1", true, true, false},
		"named without its namespace":          {object.Ref{GVK: route, Name: "x"}, "networking.k8s.io/v1", true, true, false},
		"in another namespace":                 {object.Ref{GVK: route, Namespace: "far", Name: "x"}, "networking.k8s.io/v1", true, false, false},
		"of another name":                      {object.Ref{GVK: route, Namespace: "prod", Name: "y"}, "networking.k8s.io/v1", true, false, false},
		"cluster-scoped, written with one":     {object.Ref{GVK: route, Namespace: "far", Name: "x"}, "networking.k8s.io/v1", false, true, false},
		"in another group, perhaps the same":   {object.Ref{GVK: route, Namespace: "prod", Name: "x"}, "extensions/v1beta1", true, false, true},
		"in another group, surely another one": {object.Ref{GVK: route, Namespace: "prod", Name: "y"}, "extensions/v1beta1", true, false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := listed(func(m *metav1.PartialObjectMetadata) { m.APIVersion, m.Kind = test.apiVersion, "Ingress" })
			keep := keepSet{refs: []object.Ref{test.ref}}
			if got := keep.has(m, test.namespaced, "prod"); got != test.has {
				t.Errorf("has = %v, want %v", got, test.has)
			}
			if got := len(keep.aliases(m, test.namespaced, "prod")) > 0; got != test.alias {
				t.Errorf("alias = %v, want %v", got, test.alias)
			}
		})
	}
}

func TestGroups(t *testing.T) {
	got := groups([]string{
		"v1/ConfigMap", "apps/v1/Deployment", "apps/v1beta1/Deployment", "apps/v1/Deployment", "v1/Secret", "v1/PersistentVolumeClaim",
		"rbac.authorization.k8s.io/v1/Role", "apiextensions.k8s.io/v1/CustomResourceDefinition",
		"", "/", "ConfigMap", "v1/", "/ConfigMap", "a/b/c/D",
	})
	want := []group{
		{gk: schema.GroupKind{Group: "apps", Kind: "Deployment"}, keys: []string{"apps/v1/Deployment", "apps/v1beta1/Deployment"}},
		{gk: schema.GroupKind{Kind: "ConfigMap"}, keys: []string{"v1/ConfigMap"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(group{})); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}
