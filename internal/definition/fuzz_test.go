package definition_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// FuzzCheck holds the check to three promises on any pair of objects: it does not panic, it gives the same faults each
// time, and no message carries a Go type.
func FuzzCheck(f *testing.F) {
	for _, e := range examples(f) {
		fresh, _ := json.Marshal(e.Object.Object)
		old := []byte("null")
		if e.Old != nil {
			old, _ = json.Marshal(e.Old.Object)
		}
		f.Add(fresh, old)
	}
	set := ours(f)
	f.Fuzz(func(t *testing.T, freshJSON, oldJSON []byte) {
		fresh, old := object(freshJSON), object(oldJSON)
		faults := set.Check(fresh, old)
		if again := set.Check(fresh, old); !reflect.DeepEqual(faults, again) {
			t.Errorf("two checks differ:\n%v\n%v", faults, again)
		}
		for _, fault := range append(faults, set.Unknown(fresh)...) {
			sound(t, fault)
		}
		if fresh != nil {
			once := set.Default(fresh)
			if !reflect.DeepEqual(once, set.Default(once)) {
				t.Error("defaulting twice changes the object")
			}
		}
	})
}

func sound(t *testing.T, f rules.Fault) {
	t.Helper()
	if f.Message == "" || f.Code == "" {
		t.Errorf("a fault without code or message: %+v", f)
	}
	before, _, _ := strings.Cut(f.Message, " (found ")
	for _, mark := range []string{"map[", "interface {", "%!", "unstructured", "float64"} {
		if strings.Contains(before, mark) && !strings.Contains(f.Field, mark) {
			t.Errorf("a message speaks Go: %q", f.Message)
		}
	}
}

func object(data []byte) *unstructured.Unstructured {
	var content map[string]any
	if err := json.Unmarshal(data, &content); err != nil || content == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: content}
}
