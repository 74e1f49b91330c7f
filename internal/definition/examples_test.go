package definition_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/test/invalid"
)

// ours compiles the definitions of the product.
func ours(tb testing.TB) *definition.Set {
	tb.Helper()
	files, err := crd.Files()
	if err != nil {
		tb.Fatalf("read the definitions: %v", err)
	}
	set, err := definition.New(files...)
	if err != nil {
		tb.Fatalf("compile the definitions: %v", err)
	}
	return set
}

// told is a fault as the examples write it.
func told(faults []rules.Fault) []invalid.Fault {
	var out []invalid.Fault
	for _, f := range faults {
		out = append(out, invalid.Fault{Severity: f.Severity.String(), Code: string(f.Code), Field: f.Field, Message: f.Message})
	}
	return out
}

// examples reads the broken files of every kind.
func examples(tb testing.TB) []invalid.Example {
	tb.Helper()
	var out []invalid.Example
	for _, kind := range []string{"gitlabcore", "gitlabsecrets", "siphon", "orbit"} {
		found, err := invalid.Examples(kind)
		if err != nil {
			tb.Fatal(err)
		}
		if len(found) < 30 {
			tb.Fatalf("only %d examples of %s were found", len(found), kind)
		}
		out = append(out, found...)
	}
	return out
}

func TestEveryBrokenFileYieldsExactlyItsFaults(t *testing.T) {
	set := ours(t)
	for _, e := range examples(t) {
		t.Run(e.Name, func(t *testing.T) {
			checked, unknown := told(set.Check(e.Object, e.Old)), told(set.Unknown(e.Object))
			var wantChecked, wantUnknown []invalid.Fault
			switch e.Want.By {
			case invalid.Definition:
				wantChecked = e.Want.Faults
			case invalid.Strict:
				wantUnknown = e.Want.Faults
			case invalid.Rules:
			default:
				t.Fatalf("nobody is named %q", e.Want.By)
			}
			if diff := cmp.Diff(wantChecked, checked); diff != "" {
				t.Errorf("faults of the definition (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(wantUnknown, unknown); diff != "" {
				t.Errorf("unknown fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryStoredObjectOfAnExampleIsGood(t *testing.T) {
	set := ours(t)
	for _, e := range examples(t) {
		if e.Old == nil {
			continue
		}
		if faults := set.Check(e.Old, nil); len(faults) > 0 {
			t.Errorf("%s: the stored object has faults: %v", e.Name, faults)
		}
	}
}

func TestEverySampleIsGood(t *testing.T) {
	set := ours(t)
	for _, u := range samples(t) {
		if !set.Knows(u.GroupVersionKind()) {
			continue
		}
		if faults := append(set.Check(u, nil), set.Unknown(u)...); len(faults) > 0 {
			t.Errorf("%s has faults: %v", u.GetName(), faults)
		}
		if faults := set.Check(u, u); len(faults) > 0 {
			t.Errorf("%s updated to itself has faults: %v", u.GetName(), faults)
		}
		once := set.Default(u)
		if diff := cmp.Diff(once.Object, set.Default(once).Object); diff != "" {
			t.Errorf("defaulting %s twice changes it:\n%s", u.GetName(), diff)
		}
		if diff := cmp.Diff(u.Object, once.Object); diff != "" {
			t.Errorf("the definition writes a default into %s, which would look like something a person wrote:\n%s", u.GetName(), diff)
		}
	}
}

// samples reads every document of config/samples.
func samples(tb testing.TB) []*unstructured.Unstructured {
	tb.Helper()
	names, err := filepath.Glob("../../config/samples/*.yaml")
	if err != nil || len(names) == 0 {
		tb.Fatalf("no samples were found: %v", err)
	}
	var out []*unstructured.Unstructured
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
		for {
			u := &unstructured.Unstructured{}
			err := decoder.Decode(u)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				tb.Fatalf("decode %s: %v", name, err)
			}
			out = append(out, u)
		}
	}
	return out
}
