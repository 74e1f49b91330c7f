package v2alpha1_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// Every field a sample uses has its place in the types, and comes out as it went in: nothing is added or lost.
func TestASampleSurvivesTheTypes(t *testing.T) {
	names, err := filepath.Glob("../../../config/samples/gitlabcore_*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no samples were found: %v", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
			var written map[string]any
			if err := yaml.Unmarshal(document, &written); err != nil {
				t.Fatalf("decode %s: %v", name, err)
			}
			if written["kind"] != v2alpha1.KindGitLabCore {
				continue
			}
			var typed v2alpha1.GitLabCore
			if err := yaml.UnmarshalStrict(document, &typed); err != nil {
				t.Fatalf("decode %s into the types: %v", name, err)
			}
			if diff := cmp.Diff(written, asMap(t, typed.DeepCopy())); diff != "" {
				t.Errorf("%s changes on its way through the types:\n%s", name, diff)
			}
		}
	}
}

func asMap(t *testing.T, object *v2alpha1.GitLabCore) map[string]any {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "status")
	return out
}

func TestAddToSchemeCanBeCalledTwice(t *testing.T) {
	scheme := runtime.NewScheme()
	for range 2 {
		if err := v2alpha1.AddToScheme(scheme); err != nil {
			t.Fatal(err)
		}
	}
	object, err := scheme.New(v2alpha1.GroupVersion.WithKind(v2alpha1.KindGitLabCore))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := object.(*v2alpha1.GitLabCore); !ok {
		t.Errorf("the scheme makes a %T", object)
	}
	if !scheme.Recognizes(v2alpha1.GroupVersion.WithKind(v2alpha1.KindGitLabCore + "List")) {
		t.Error("the scheme does not know the list")
	}
	if !scheme.Recognizes(metav1.SchemeGroupVersion.WithKind("Status")) && !scheme.Recognizes(v2alpha1.GroupVersion.WithKind("ListOptions")) {
		t.Error("the scheme does not know the options of a request")
	}
}

func TestAValuesReferenceWithoutAKeyReadsTheDefaultOne(t *testing.T) {
	if got := (v2alpha1.ValuesReference{}).Key(); got != "values.yaml" {
		t.Errorf("the key is %q", got)
	}
	if got := (v2alpha1.ValuesReference{ValuesKey: "smtp.yaml"}).Key(); got != "smtp.yaml" {
		t.Errorf("the key is %q", got)
	}
}
