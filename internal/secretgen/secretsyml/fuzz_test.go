package secretsyml_test

import (
	"bytes"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"

	"github.com/portcullis-operator/portcullis/internal/secretgen/secretsyml"
)

// declared are the fields every fuzz run declares.
func declared() map[string]secretsyml.Value {
	return map[string]secretsyml.Value{
		"db_key_base": {Shape: secretsyml.Scalar, Text: "0123456789"},
		"signing_key": {Shape: secretsyml.PEM, Text: "-----BEGIN X-----\nAAAA\n-----END X-----\n"},
		"primary_key": {Shape: secretsyml.List, Text: "abc"},
	}
}

// FuzzFill: whatever parses keeps every value nobody declared, every declared one that was there, and every comment;
// what is written reads back with all fields present, so a second run has nothing to write.
func FuzzFill(f *testing.F) {
	for _, c := range fills() {
		f.Add([]byte(c.text))
	}
	for _, c := range refusals() {
		f.Add([]byte(c.text))
	}
	f.Add([]byte("production: &p\n  db_key_base: x\nstaging: *p\n"))
	f.Add([]byte("production:\n  a: !!binary aGk=\n  ? {b: c}\n  : - d\n  ? |\n    long\n  : e\n"))
	f.Add([]byte("production:\n  a: |2-\n     x\n  b: >+\n    y\n\n  c: \"\\x00\\u2028\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := secretsyml.Read(text, "production")
		if err != nil {
			if _, ok := errors.AsType[*secretsyml.ProblemError](err); !ok {
				t.Fatalf("an error of no kind of ours: %v", err)
			}
			return
		}
		for name := range declared() {
			if file.Field(name) == secretsyml.Foreign {
				return
			}
		}
		for _, name := range []string{"db_key_base", "signing_key", "primary_key"} {
			file.Set(name, declared()[name])
		}
		written, err := file.Write()
		if err != nil {
			if p, ok := errors.AsType[*secretsyml.ProblemError](err); !ok || p.Reason != secretsyml.NotRewritable {
				t.Fatalf("an error of no kind of ours: %v", err)
			}
			return
		}
		checkForm(t, written)
		checkKept(t, text, written)
		again, err := secretsyml.Read(written, "production")
		if err != nil {
			t.Fatalf("what is written is refused: %v\n%s", err, written)
		}
		for name := range declared() {
			if state := again.Field(name); state != secretsyml.Present {
				t.Fatalf("%s is in state %d after it was filled:\n%s", name, state, written)
			}
		}
	})
}

func checkForm(t *testing.T, written []byte) {
	t.Helper()
	if !bytes.HasSuffix(written, []byte("\n")) {
		t.Fatalf("no newline at the end:\n%s", written)
	}
	if bytes.HasPrefix(written, []byte("---")) || bytes.Contains(written, []byte("\n---\n")) || bytes.HasSuffix(written, []byte("\n...\n")) {
		t.Fatalf("document marks:\n%s", written)
	}
}

// checkKept compares what a reader that knows nothing of this package sees before and after.
func checkKept(t *testing.T, before, after []byte) {
	t.Helper()
	var was, is map[any]any
	if yaml.Unmarshal(before, &was) != nil || was == nil {
		return
	}
	if err := yaml.Unmarshal(after, &is); err != nil {
		t.Fatalf("what is written does not decode: %v\n%s", err, after)
	}
	had, _ := was["production"].(map[string]any)
	has, _ := is["production"].(map[string]any)
	for name, value := range declared() {
		if old, ok := had[name]; ok && old != nil && !isEmpty(old) {
			continue
		}
		var want any = value.Text
		if value.Shape == secretsyml.List {
			want = []any{value.Text}
		}
		if diff := cmp.Diff(want, has[name]); has != nil && diff != "" {
			t.Fatalf("%s is not what was set:\n%s\n%s", name, diff, after)
		}
	}
	if hasAnchors(before) {
		return
	}
	strip(was)
	strip(is)
	if len(had) == 0 && len(is) != len(was) {
		delete(is, "production")
		delete(was, "production")
	}
	if diff := cmp.Diff(was, is, cmpopts.EquateNaNs()); diff != "" {
		t.Fatalf("an undeclared value changed:\n%s\nbefore:\n%s\nafter:\n%s", diff, before, after)
	}
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	case map[any]any:
		return len(v) == 0
	}
	return false
}

// strip takes the declared fields out.
func strip(root map[any]any) {
	switch env := root["production"].(type) {
	case map[string]any:
		maps.DeleteFunc(env, func(k string, _ any) bool { _, ok := declared()[k]; return ok })
	case map[any]any:
		maps.DeleteFunc(env, func(k, _ any) bool { s, _ := k.(string); _, ok := declared()[s]; return ok })
	}
}

// hasAnchors says whether a field added in one place may show in another, as the file's own aliases ask for.
func hasAnchors(text []byte) bool { return bytes.ContainsAny(text, "&") }
