package tableset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/tableset"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

const tablesVolume = `{name: siphon-tables, image: {reference: "tables:v1", pullPolicy: IfNotPresent}}`

func TestSwap(t *testing.T) {
	const restored = `{name: siphon-tables, configMap: {name: acme-siphon-tables, items: [{key: a.yaml, path: a.yaml}, {key: main__b.yaml, path: main/b.yaml}]}}`
	keys := map[string]string{"main__b.yaml": "main/b.yaml", "a.yaml": "a.yaml"}
	for name, c := range map[string]struct {
		object, want string
		image        string
		swapped      int
	}{
		"a Deployment, its other volumes left alone": {
			object:  `{kind: Deployment, spec: {template: {spec: {volumes: [{name: config, configMap: {name: c}}, ` + tablesVolume + `, {name: other, image: {reference: "x:1"}}]}}}}`,
			want:    `{kind: Deployment, spec: {template: {spec: {volumes: [{name: config, configMap: {name: c}}, ` + restored + `, {name: other, image: {reference: "x:1"}}]}}}}`,
			image:   "tables:v1",
			swapped: 1,
		},
		"a CronJob": {
			object:  `{kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {volumes: [` + tablesVolume + `]}}}}}}`,
			want:    `{kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {volumes: [` + restored + `]}}}}}}`,
			image:   "tables:v1",
			swapped: 1,
		},
		"a Pod": {
			object:  `{kind: Pod, spec: {volumes: [` + tablesVolume + `]}}`,
			want:    `{kind: Pod, spec: {volumes: [` + restored + `]}}`,
			image:   "tables:v1",
			swapped: 1,
		},
		"a volume of that name that is no image": {
			object: `{kind: Deployment, spec: {template: {spec: {volumes: [{name: siphon-tables, configMap: {name: mine}}]}}}}`,
			want:   `{kind: Deployment, spec: {template: {spec: {volumes: [{name: siphon-tables, configMap: {name: mine}}]}}}}`,
		},
		"volumes of another shape": {
			object: `{kind: Deployment, spec: {template: {spec: {volumes: [null, text, {name: siphon-tables, image: text}]}}}}`,
			want:   `{kind: Deployment, spec: {template: {spec: {volumes: [null, text, {name: siphon-tables, image: text}]}}}}`,
		},
		"an object without pods": {object: `{kind: ConfigMap, data: {spec: x}}`, want: `{kind: ConfigMap, data: {spec: x}}`},
	} {
		t.Run(name, func(t *testing.T) {
			u := object(t, c.object)
			objects := []*unstructured.Unstructured{u}
			if got := tableset.Image(objects, tableset.Volume); got != c.image {
				t.Errorf("Image = %q, want %q", got, c.image)
			}
			image, swapped := tableset.Swap(objects, tableset.Volume, "acme-siphon-tables", keys)
			if image != c.image || swapped != c.swapped {
				t.Errorf("Swap = %q, %d, want %q, %d", image, swapped, c.image, c.swapped)
			}
			if diff := cmp.Diff(object(t, c.want).Object, u.Object); diff != "" {
				t.Errorf("object (-want +got):\n%s", diff)
			}
			if _, again := tableset.Swap(objects, tableset.Volume, "acme-siphon-tables", keys); again != 0 {
				t.Errorf("a second swap replaces %d", again)
			}
		})
	}
}

func TestSwapLeavesAnotherImageInPlace(t *testing.T) {
	pod := func(reference string) *unstructured.Unstructured {
		return object(t, `{kind: Pod, spec: {volumes: [{name: siphon-tables, image: {reference: "`+reference+`"}}]}}`)
	}
	first, other, same := pod("tables:v1"), pod("tables:v2"), pod("tables:v1")
	image, swapped := tableset.Swap([]*unstructured.Unstructured{first, other, same}, tableset.Volume, "c", map[string]string{"a": "a"})
	if image != "tables:v1" || swapped != 2 {
		t.Errorf("Swap = %q, %d", image, swapped)
	}
	if diff := cmp.Diff(pod("tables:v2").Object, other.Object); diff != "" {
		t.Errorf("the other image (-want +got):\n%s", diff)
	}
	items := func(u *unstructured.Unstructured) map[string]any {
		return u.Object["spec"].(map[string]any)["volumes"].([]any)[0].(map[string]any)["configMap"].(map[string]any)
	}
	items(first)["name"] = "changed"
	items(first)["items"].([]any)[0] = "changed"
	if diff := cmp.Diff(map[string]any{"name": "c", "items": []any{map[string]any{"key": "a", "path": "a"}}}, items(same)); diff != "" {
		t.Errorf("two objects share their volume (-want +got):\n%s", diff)
	}
}

func TestOtherTablesRollThePods(t *testing.T) {
	publish := func(content string) *unstructured.Unstructured {
		made, err := tableset.ConfigMap("tables", "team", "image:1", "sha256:1", map[string][]byte{"users.yml": []byte(content)})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	stamped := func(configMap *unstructured.Unstructured) (annotation, other string) {
		mounting := func(name string) *unstructured.Unstructured {
			return &unstructured.Unstructured{Object: map[string]any{"kind": "Deployment", "spec": map[string]any{"template": map[string]any{"spec": map[string]any{
				"volumes": []any{map[string]any{"name": tableset.Volume, "configMap": map[string]any{"name": name}}},
			}}}}}
		}
		objects := []*unstructured.Unstructured{mounting("tables"), mounting("another"), {Object: map[string]any{"kind": "Service"}}}
		if n, err := tableset.Stamp(objects, configMap); n != 1 || err != nil {
			t.Fatalf("stamped %d: %v", n, err)
		}
		annotation, _, _ = unstructured.NestedString(objects[0].Object, "spec", "template", "metadata", "annotations", tableset.AnnotationContent)
		other, _, _ = unstructured.NestedString(objects[1].Object, "spec", "template", "metadata", "annotations", tableset.AnnotationContent)
		return annotation, other
	}
	one, other := stamped(publish("table: users"))
	two, _ := stamped(publish("table: others"))
	if one == "" || one == two || other != "" {
		t.Errorf("%q, then %q; on pods of another ConfigMap %q", one, two, other)
	}
	if again, _ := stamped(publish("table: users")); again != one {
		t.Errorf("the same tables give %q and %q", one, again)
	}
}
