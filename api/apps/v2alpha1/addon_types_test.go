package v2alpha1_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// Every field a sample uses has its place in the types, and comes out as it went in: nothing is added or lost.
func TestTheSampleOfAnAddOnSurvivesTheTypes(t *testing.T) {
	for name, typed := range map[string]any{"siphon": &v2alpha1.Siphon{}, "orbit": &v2alpha1.Orbit{}} {
		data, err := os.ReadFile("../../../config/samples/" + name + "_v2alpha1.yaml")
		if err != nil {
			t.Fatal(err)
		}
		var written, got map[string]any
		if err := yaml.Unmarshal(data, &written); err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(data, typed); err != nil {
			t.Fatalf("decode %s into the types: %v", name, err)
		}
		out, err := json.Marshal(typed)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		delete(got, "status")
		if diff := cmp.Diff(written, got); diff != "" {
			t.Errorf("%s changes on its way through the types:\n%s", name, diff)
		}
	}
}

func TestTheVersionOfAnAddOnReadsAsAVersionOfAnyKind(t *testing.T) {
	ref := &v2alpha1.VersionReference{Kind: v2alpha1.VersionReferenceConfigMap, Name: "versions", Key: "siphon"}
	tests := map[string]struct {
		given v2alpha1.StaticVersion
		want  v2alpha1.VersionSpec
	}{
		"written": {
			v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, Version: "1.18.0"},
			v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: "1.18.0"},
		},
		"in a ConfigMap": {
			v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, VersionRef: ref},
			v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, VersionRef: ref},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.given.Spec()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
