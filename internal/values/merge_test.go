package values_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/values"
)

func TestEveryLeafHasOneOriginAndNoneIsLost(t *testing.T) {
	for seed := range 1000 {
		r := source(seed)
		trees := []map[string]any{randomTree(r, 3), randomTree(r, 3), randomTree(r, 3), randomTree(r, 3)}
		before := []map[string]any{}
		for _, tree := range trees {
			before = append(before, values.DeepCopy(tree))
		}
		e := values.Merge(layersOf(trees)...)

		got := map[string]any{}
		for _, leaf := range e.Leaves() {
			if _, twice := got[leaf.Path.String()]; twice {
				t.Fatalf("seed %d: %s is listed twice", seed, leaf.Path)
			}
			got[leaf.Path.String()] = leaf.Value
			if diff := cmp.Diff(leaf.Origin, e.Origin(leaf.Path)); diff != "" {
				t.Fatalf("seed %d: %s has two origins:\n%s", seed, leaf.Path, diff)
			}
			assertSetBy(t, seed, leaf, trees)
		}
		assertWritten(t, seed, e)
		want := map[string]any{}
		flatten(nil, e.Values(), want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: leaves of the tree (-) and of the list (+) differ:\n%s", seed, diff)
		}
		if diff := cmp.Diff(before, trees); diff != "" {
			t.Fatalf("seed %d: merging changed its input:\n%s", seed, diff)
		}
		if diff := cmp.Diff(e.Leaves(), values.Merge(layersOf(trees)...).Leaves()); diff != "" {
			t.Fatalf("seed %d: merging twice gives two results:\n%s", seed, diff)
		}
	}
}

// assertWritten checks that the written part of a tree is that of its leaves which a person wrote as values.
func assertWritten(t *testing.T, seed int, e values.Effective) {
	t.Helper()
	want, got := map[string]any{}, map[string]any{}
	for _, leaf := range e.Leaves() {
		if leaf.Origin.Kind == values.FreeForm || leaf.Origin.Kind == values.Reference {
			want[leaf.Path.String()] = leaf.Value
		}
	}
	flatten(nil, e.Written(), got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("seed %d: the leaves a person wrote (-) and Written (+) differ:\n%s", seed, diff)
	}
}

// assertSetBy checks that the layer an origin names really holds that value, and that no higher layer has any there.
func assertSetBy(t *testing.T, seed int, leaf values.Leaf, trees []map[string]any) {
	t.Helper()
	if m, ok := leaf.Value.(map[string]any); ok && len(m) == 0 {
		return // an empty map may be written by several layers
	}
	for i, kind := range kinds() {
		value, ok := at(trees[i], leaf.Path)
		if kind == leaf.Origin.Kind && (!ok || !cmp.Equal(value, leaf.Value)) {
			t.Fatalf("seed %d: %s is said to be %s, which has %v there", seed, leaf.Path, kind, value)
		}
		if kind > leaf.Origin.Kind && ok {
			t.Fatalf("seed %d: %s is said to be %s, though %s sets it too", seed, leaf.Path, leaf.Origin.Kind, kind)
		}
	}
}

func at(tree map[string]any, p values.Path) (any, bool) {
	var value any = tree
	for _, key := range p {
		m, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = m[key]; !ok {
			return nil, false
		}
	}
	return value, true
}

func flatten(p values.Path, value any, into map[string]any) {
	m, ok := value.(map[string]any)
	if !ok || (len(m) == 0 && len(p) > 0) {
		into[p.String()] = value
		return
	}
	for key, child := range m {
		flatten(append(append(values.Path{}, p...), key), child, into)
	}
}

func TestWhatMergeReturnsIsTheCallersOwn(t *testing.T) {
	input := map[string]any{"a": map[string]any{"list": []any{map[string]any{"b": int64(1)}}}}
	layer := values.Tree(values.FreeForm, "f", input)
	e := values.Merge(layer)

	input["a"].(map[string]any)["list"].([]any)[0].(map[string]any)["b"] = "changed"
	got := e.Values()
	got["a"].(map[string]any)["list"].([]any)[0].(map[string]any)["b"] = "changed"
	value, _ := e.Lookup(values.Path{"a", "list"})
	value.([]any)[0] = "changed"
	e.Leaves()[0].Value.([]any)[0] = "changed"

	want := map[string]any{"a": map[string]any{"list": []any{map[string]any{"b": float64(1)}}}}
	if diff := cmp.Diff(want, values.Merge(layer).Values()); diff != "" {
		t.Errorf("the layer changed with its input (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, e.Values()); diff != "" {
		t.Errorf("the tree changed with what it returned (-want +got):\n%s", diff)
	}
}

func TestABuiltLayerIsClosed(t *testing.T) {
	b := values.NewBuilder(values.Derived)
	b.Set("spec.a", 1, "x")
	layer := b.Layer()
	b.Set("spec.b", 2, "x")
	b.Set("spec.b", 2, "y")
	if diff := cmp.Diff(map[string]any{"x": float64(1)}, values.Merge(layer).Values()); diff != "" {
		t.Errorf("a later Set changed the layer (-want +got):\n%s", diff)
	}
}

func TestNumbersAreFloatsHoweverTheyCame(t *testing.T) {
	b := values.NewBuilder(values.Derived)
	for key, n := range map[string]any{"a": 5432, "b": int32(5432), "c": int64(5432), "d": float32(5432), "e": uint16(5432)} {
		b.Set("spec.port", n, key)
	}
	for key, value := range values.Merge(b.Layer()).Values() {
		if value != float64(5432) {
			t.Errorf("%s is %T, want float64", key, value)
		}
	}
	one, other := map[string]any{"n": 1, "m": "x"}, map[string]any{"m": "x", "n": 1.0}
	if values.Digest(one) != values.Digest(other) {
		t.Error("the digest depends on the type of a number or the order of keys")
	}
	if values.Digest(one) == values.Digest(map[string]any{"n": 2, "m": "x"}) {
		t.Error("the digest does not depend on the values")
	}
}

func TestTheZeroTreeIsEmpty(t *testing.T) {
	var e values.Effective
	if len(e.Values()) != 0 || len(e.Written()) != 0 || len(e.Leaves()) != 0 || len(e.Shadows()) != 0 {
		t.Error("the zero tree holds something")
	}
	if o := e.Origin(values.Path{"a"}); o.Kind != values.ChartDefault {
		t.Errorf("origin is %v, want the chart default", o)
	}
	if got := e.Secrets().Clean("a text"); got != "a text" {
		t.Errorf("got %q", got)
	}
	if _, ok := e.Lookup(values.Path{"a"}); ok {
		t.Error("the zero tree has a value")
	}
}
