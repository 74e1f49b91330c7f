package schema

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	helmchart "helm.sh/helm/v3/pkg/chart"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// Charts and values of a few names, so that everything meets everything: subcharts, aliases, conditions, tags, globals,
// imports, nulls and maps where none belong.
func names() []string {
	return []string{"a", "b", "sub", "twin", "deep", "global", "enabled", "exports", "tags"}
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case n < 4 && depth > 0:
		return randomTree(r, depth-1)
	case n < 6:
		return r.IntN(2) == 0
	case n == 6:
		return nil
	case n == 7:
		return []any{"x", float64(r.IntN(3))}
	default:
		return float64(r.IntN(3))
	}
}

func randomTree(r *rand.Rand, depth int) map[string]any {
	tree := map[string]any{}
	for range r.IntN(5) {
		tree[names()[r.IntN(len(names()))]] = randomValue(r, depth)
	}
	return tree
}

// withGlobals makes globals likely, three levels deep, with nulls and switches.
func withGlobals(r *rand.Rand, tree map[string]any) map[string]any {
	scalar := func() any { return []any{nil, true, false, "x"}[r.IntN(4)] }
	for _, at := range [][]string{{"global"}, {"sub", "global"}, {"twin", "global"}, {"sub", "deep", "global"}} {
		if r.IntN(2) == 0 {
			continue
		}
		parent := tree
		for _, key := range at {
			if _, ok := parent[key].(map[string]any); !ok {
				parent[key] = map[string]any{}
			}
			parent = parent[key].(map[string]any)
		}
		for range 1 + r.IntN(3) {
			switch r.IntN(4) {
			case 0:
				parent["a"] = map[string]any{"enabled": scalar(), "b": scalar()}
			case 1:
				parent["a"] = map[string]any{"b": map[string]any{"enabled": scalar(), "a": scalar()}}
			case 2:
				parent["b"] = map[string]any{"a": scalar()}
			default:
				parent["b"] = scalar()
			}
		}
	}
	return tree
}

func randomDependency(r *rand.Rand, name string) *helmchart.Dependency {
	d := &helmchart.Dependency{Name: name, Version: "*", Repository: ""}
	switch r.IntN(6) {
	case 0:
		d.Condition = name + ".enabled"
	case 1:
		d.Condition = "global.a.enabled,a.b"
	case 2:
		d.Condition = "global.a.b.enabled"
	case 3:
		d.Tags = []string{"a", "b"}[:1+r.IntN(2)]
	}
	switch r.IntN(5) {
	case 0:
		d.ImportValues = []any{map[string]any{"child": "a", "parent": "b"}}
	case 1:
		d.ImportValues = []any{"a"}
	}
	return d
}

func randomChart(r *rand.Rand, schemas func() string) made {
	leaf := func(name string) made {
		return made{name: name, values: withGlobals(r, randomTree(r, 3)), schema: schemas()}
	}
	sub := leaf("sub")
	sub.charts = []made{leaf("deep")}
	if r.IntN(3) > 0 {
		sub.deps = []*helmchart.Dependency{randomDependency(r, "deep")}
		if r.IntN(2) == 0 {
			sub.deps[0].Alias = "b"
		}
	}
	root := leaf("root")
	root.charts = []made{sub, leaf("a")}
	if r.IntN(4) > 0 {
		root.deps = []*helmchart.Dependency{randomDependency(r, "sub"), randomDependency(r, "a")}
		if r.IntN(2) == 0 {
			root.deps = append(root.deps, randomDependency(r, "sub"))
			root.deps[2].Alias = "twin"
		}
	}
	return root
}

func TestValuesOfEveryChartEqualHelmsOnRandomCharts(t *testing.T) {
	quiet(t)
	var same, refusals, touching int
	for seed := range uint64(200) {
		r := source(seed)
		c := randomChart(r, func() string { return "" }).chart(t)
		k := NewChecker()
		for range 6 {
			given := withGlobals(r, randomTree(r, 3))
			if r.IntN(2) == 0 { // globals at the top alone, as people mostly write them
				given = map[string]any{"global": given["global"], "b": given["b"]}
			}
			p, planErr := k.plan(c)
			if planErr != nil {
				t.Fatal(planErr)
			}
			faults := p.check(freeFormValues(given))
			v := p.variant(given)
			var got map[string]any
			if v.root != nil {
				coalescer := coalescer{memo: v.memo, whole: true, touched: v.touches(given)}
				if len(coalescer.touched) > 0 {
					touching++
				}
				got = coalescer.release(v.root, values.DeepCopy(given))
			}
			// Helm loads subcharts that Chart.yaml does not list in random order, and writes globals from one into
			// the next: any of its results will do.
			var diff string
			for range 12 {
				want, err := helmValues(t, c, values.DeepCopy(given))
				switch {
				case (err != nil) != refused(faults):
					diff = fmt.Sprintf("Helm says %v, we say %v", err, lines(faults))
				case err != nil:
					diff = ""
					refusals++
				default:
					diff = cmp.Diff(want, got)
				}
				if diff == "" {
					break
				}
			}
			if diff != "" {
				t.Fatalf("seed %d: Helm (-) and we (+) differ for %s:\n%s", seed, jsonText(given), diff)
			}
			same++
		}
	}
	if same < 100 || refusals < 100 || touching < 200 {
		t.Errorf("only %d accepted and %d refused cases, %d with a few globals: the generator is too tame", same, refusals, touching)
	}
}
