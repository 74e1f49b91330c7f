package values_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// FuzzDecode: no document takes the process down, every error is one of ours, and what is read is what Helm reads.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "a: 1", "a: {b: [1, 2]}", "a: &x {b: 1}\nc: *x", "- 1", "a: 0400\n22: x", nested(101), "a: *b", "{\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := values.Decode(data)
		if err != nil {
			_, syntax := errors.AsType[*values.SyntaxError](err)
			_, shape := errors.AsType[*values.NotMapError](err)
			_, deep := errors.AsType[*values.NestingError](err)
			if !syntax && !shape && !deep {
				t.Fatalf("an error of no kind of ours: %v", err)
			}
			return
		}
		want, err := chartutil.ReadValues(data)
		if err != nil {
			t.Fatalf("we read what Helm refuses: %v", err)
		}
		if diff := cmp.Diff(want.AsMap(), got); diff != "" {
			t.Fatalf("Helm (-) and Decode (+) differ:\n%s", diff)
		}
		if values.Digest(got) != values.Digest(values.DeepCopy(got)) {
			t.Fatal("a copy has another digest")
		}
	})
}

// FuzzMerge: any two documents merge as Helm merges them, and everything asked of the result is answered.
func FuzzMerge(f *testing.F) {
	f.Add([]byte("a: {b: 1}"), []byte("a: {b: null, c: [1]}"))
	f.Add([]byte("a: {b: {}}"), []byte("a: text"))
	f.Add([]byte("password: hidden-text"), []byte("a: {}"))
	f.Fuzz(func(t *testing.T, low, high []byte) {
		lower, err := values.Decode(low)
		if err != nil {
			return
		}
		upper, err := values.Decode(high)
		if err != nil {
			return
		}
		quietLog(t)
		e := values.Merge(
			values.ReferenceTree("spec.chart.valuesFrom[0]", "Secret s", true, lower),
			values.Tree(values.FreeForm, "spec.chart.values", upper),
		)
		want := chartutil.MergeTables(values.DeepCopy(upper), values.DeepCopy(lower))
		if diff := cmp.Diff(want, e.Values()); diff != "" {
			t.Fatalf("Helm (-) and ours (+) differ:\n%s", diff)
		}
		for _, leaf := range e.Leaves() {
			if leaf.Origin.Field == "" {
				t.Fatalf("%s has no field", leaf.Path)
			}
			if value, ok := e.Lookup(leaf.Path); !ok || !cmp.Equal(value, leaf.Value) {
				t.Fatalf("%s is a leaf and cannot be looked up", leaf.Path)
			}
			_ = leaf.Text()
		}
		for _, s := range e.Shadows() {
			if s.Field() == "" || s.Message() == "" {
				t.Fatalf("the shadow at %s says nothing", s.Path)
			}
		}
		_ = e.Secrets().Clean(string(high))
	})
}
