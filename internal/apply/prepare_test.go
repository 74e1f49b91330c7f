package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// manifest reads a manifest as a render hands it over.
func manifest(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatalf("manifest: %v", err)
	}
	return u
}

func TestPrepareSetsNamespaceAndController(t *testing.T) {
	namespaced := place{namespaced: true}
	tests := map[string]struct {
		manifest      string
		at            place
		wantNamespace string
		wantOwners    []string
	}{
		"a namespaced object without a namespace goes to the owner's": {
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}", namespaced, "prod", []string{"owner"},
		},
		"a namespaced object elsewhere can have no owner here": {
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: far}}", namespaced, "far", nil,
		},
		"a cluster-scoped object loses its namespace": {
			"{apiVersion: v1, kind: GatewayClass, metadata: {name: x, namespace: prod}}", place{}, "", nil,
		},
		"a kept object outlives the owner": {
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: x, annotations: {helm.sh/resource-policy: keep}}}", namespaced, "prod", nil,
		},
		"a claim outlives the owner": {
			"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: x}}", namespaced, "prod", nil,
		},
		"a guarded Secret outlives the owner": {
			"{apiVersion: v1, kind: Secret, metadata: {name: x}}", place{namespaced: true, guarded: true}, "prod", nil,
		},
		"a controller the chart wrote gives way, another owner stays": {
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: x, ownerReferences: [" +
				"{apiVersion: v1, kind: A, name: a, uid: a, controller: true}, {apiVersion: v1, kind: B, name: b, uid: b}]}}",
			namespaced, "prod", []string{"owner", "b"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			given := manifest(t, test.manifest)
			before := given.DeepCopy()
			got := prepare(given, acme, test.at)
			if diff := cmp.Diff(before.Object, given.Object); diff != "" {
				t.Errorf("the given object changed:\n%s", diff)
			}
			if got.GetNamespace() != test.wantNamespace {
				t.Errorf("namespace %q, want %q", got.GetNamespace(), test.wantNamespace)
			}
			var owners []string
			for _, ref := range got.GetOwnerReferences() {
				owners = append(owners, string(ref.UID))
			}
			if diff := cmp.Diff(test.wantOwners, owners); diff != "" {
				t.Errorf("owners (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(acme.Release.Labels(), got.GetLabels()); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrepareSendsOnlyWhatIsMeant(t *testing.T) {
	tests := map[string]struct{ manifest, want string }{
		"nulls go from maps and stay in lists": {
			"{apiVersion: v1, kind: A, spec: {a: null, b: [null, {c: null, d: 1}]}}",
			"{apiVersion: v1, kind: A, spec: {b: [null, {d: 1}]}}",
		},
		"a Job loses its time to live": {
			"{apiVersion: batch/v1, kind: Job, spec: {ttlSecondsAfterFinished: 5, backoffLimit: 1}}",
			"{apiVersion: batch/v1, kind: Job, spec: {backoffLimit: 1}}",
		},
		"the Jobs of a CronJob keep theirs": {
			"{apiVersion: batch/v1, kind: CronJob, spec: {jobTemplate: {spec: {ttlSecondsAfterFinished: 5}}}}",
			"{apiVersion: batch/v1, kind: CronJob, spec: {jobTemplate: {spec: {ttlSecondsAfterFinished: 5}}}}",
		},
		"a Secret's text is sent as data, over data of the same key": {
			"{apiVersion: v1, kind: Secret, data: {a: b2xk, b: Yg==}, stringData: {a: new}}",
			"{apiVersion: v1, kind: Secret, data: {a: bmV3, b: Yg==}}",
		},
		"a Secret's text of a wrong type is left for the API server to refuse": {
			"{apiVersion: v1, kind: Secret, stringData: {a: 5}}",
			"{apiVersion: v1, kind: Secret, stringData: {a: 5}}",
		},
		"what only the API server may say is dropped": {
			"{apiVersion: v1, kind: A, metadata: {uid: u, resourceVersion: '1', generation: 2, managedFields: [], creationTimestamp: x}}",
			"{apiVersion: v1, kind: A, metadata: {}}",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, want := prepare(manifest(t, test.manifest), acme, place{}), manifest(t, test.want)
			delete(got.Object["metadata"].(map[string]any), "labels")
			if _, has := want.Object["metadata"]; !has {
				want.Object["metadata"] = map[string]any{}
			}
			if diff := cmp.Diff(want.Object, got.Object); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKeepExisting(t *testing.T) {
	tests := map[string]struct{ live, desired, want string }{
		"an existing key keeps its value":               {"{a: old}", "{a: new}", "{a: old}"},
		"a missing key is added":                        {"{a: old}", "{a: new, b: new}", "{a: old, b: new}"},
		"a key we own is stated though no longer asked": {"{owned: old, b: old}", "{b: new}", "{owned: old, b: old}"},
		"a key of somebody else is not stated":          {"{theirs: old}", "{b: new}", "{b: new}"},
		"an empty value is a value":                     {"{a: ''}", "{a: new}", "{a: ''}"},
		"a Secret without data gains it all":            {"null", "{a: new}", "{a: new}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stored := manifest(t, "{apiVersion: v1, kind: Secret, type: Opaque, metadata: {name: s, resourceVersion: '7'}, data: "+test.live+"}")
			stored.SetManagedFields([]metav1.ManagedFieldsEntry{
				{Manager: fieldManager, Operation: "Apply", FieldsV1: fields(`{"f:data":{".":{},"f:owned":{}},"f:type":{}}`)},
				{Manager: "other", Operation: "Apply", FieldsV1: fields(`{"f:data":{"f:theirs":{}}}`)},
			})
			desired := manifest(t, "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: "+test.desired+"}")
			keepExisting(desired, stored, fieldManager)
			want := manifest(t, "{data: "+test.want+"}").Object["data"]
			if diff := cmp.Diff(want, desired.Object["data"]); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
			if desired.GetResourceVersion() != "7" {
				t.Error("the write must fail when the Secret changed since it was read")
			}
		})
	}
}

func fields(raw string) *metav1.FieldsV1 {
	f := &metav1.FieldsV1{}
	f.SetRawString(raw)
	return f
}
