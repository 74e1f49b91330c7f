package values_test

import (
	"io"
	"log"
	"testing"

	"github.com/google/go-cmp/cmp"
	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// kinds are the layers of a resource, lowest first.
func kinds() []values.LayerKind {
	return []values.LayerKind{values.Derived, values.Reference, values.FreeForm, values.Override}
}

// helmFiles merges trees the way «helm -f a -f b ...» does, with Helm's own function that keeps nulls.
func helmFiles(trees []map[string]any) map[string]any {
	merged := map[string]any{}
	for _, tree := range trees {
		merged = chartutil.MergeTables(values.DeepCopy(tree), merged)
	}
	return merged
}

func layersOf(trees []map[string]any) []values.Layer {
	layers := make([]values.Layer, len(trees))
	for i, tree := range trees {
		layers[i] = values.Tree(kinds()[i], "field", tree)
	}
	return layers
}

func TestMergeEqualsHelmOnRandomTrees(t *testing.T) {
	quietLog(t)
	for seed := range 400 {
		r := source(seed)
		trees := make([]map[string]any, 1+r.IntN(4))
		for i := range trees {
			trees[i] = randomTree(r, 3)
		}
		want := helmFiles(trees)
		got := values.Merge(layersOf(trees)...).Values()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: Helm's result (-) and ours (+) differ:\n%s", seed, diff)
		}
		for _, ch := range []*helmchart.Chart{randomChart(r), randomChart(r)} {
			wantWhole, wantErr := chartutil.CoalesceValues(ch, want)
			gotWhole, gotErr := chartutil.CoalesceValues(ch, got)
			if (wantErr == nil) != (gotErr == nil) {
				t.Fatalf("seed %d: Helm refuses one of the two: %v, %v", seed, wantErr, gotErr)
			}
			if diff := cmp.Diff(wantWhole, gotWhole); diff != "" {
				t.Fatalf("seed %d: coalesced with a chart, Helm's result (-) and ours (+) differ:\n%s", seed, diff)
			}
		}
	}
}

// randomChart makes a chart with random defaults and one subchart under a name the trees use.
func randomChart(r interface {
	IntN(int) int
	Uint64() uint64
}) *helmchart.Chart {
	seeded := source(int(r.Uint64() >> 40))
	parent := &helmchart.Chart{Metadata: &helmchart.Metadata{Name: "parent"}, Values: randomTree(seeded, 3)}
	parent.AddDependency(&helmchart.Chart{Metadata: &helmchart.Metadata{Name: "b"}, Values: randomTree(seeded, 2)})
	return parent
}

func TestCoalescingTooEarlyWouldBringTheDefaultBack(t *testing.T) {
	ch := &helmchart.Chart{
		Metadata: &helmchart.Metadata{Name: "gitlab"},
		Values:   map[string]any{"limits": map[string]any{"cpu": "1", "memory": "2Gi"}},
	}
	lower := map[string]any{"limits": map[string]any{"cpu": "4"}}
	upper := map[string]any{"limits": map[string]any{"cpu": nil}}

	merged := values.Merge(values.Tree(values.Reference, "a", lower), values.Tree(values.FreeForm, "b", upper))
	if value, ok := merged.Lookup(values.Path{"limits", "cpu"}); !ok || value != nil {
		t.Fatalf("between layers a null replaces and is kept; found %v, there: %v", value, ok)
	}
	whole, err := chartutil.CoalesceValues(ch, merged.Values())
	if err != nil {
		t.Fatal(err)
	}
	want := chartutil.Values{"limits": map[string]any{"memory": "2Gi"}}
	if diff := cmp.Diff(want, whole); diff != "" {
		t.Errorf("the null must delete the chart's default (-want +got):\n%s", diff)
	}

	early := chartutil.CoalesceTables(values.DeepCopy(upper), values.DeepCopy(lower))
	whole, err = chartutil.CoalesceValues(ch, early)
	if err != nil {
		t.Fatal(err)
	}
	if limits, ok := whole["limits"].(map[string]any); !ok || limits["cpu"] != "1" {
		t.Errorf("coalescing between layers no longer brings the default back (found %v): this test guards nothing now", whole)
	}
}

func TestDecodeReadsWhatHelmReads(t *testing.T) {
	for name, text := range map[string]string{
		"a large number becomes a float":        "n: 1000000\n",
		"an octal is read as YAML 1.1":          "mode: 0400\n",
		"the key n means false, as for kubectl": "n: 1\n",
		"yes is true":                           "a: yes\n",
		"numbers as keys become strings":        "tcp: {22: ssh}\n",
		"anchors are followed":                  "a: &x {b: 1}\nc: *x\n",
		"only the first document counts":        "a: 1\n---\nb: 2\n",
		"nothing at all":                        "",
		"a null document":                       "null\n",
	} {
		t.Run(name, func(t *testing.T) {
			want, err := chartutil.ReadValues([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := values.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.AsMap(), got); diff != "" {
				t.Errorf("Helm (-) and Decode (+) differ:\n%s", diff)
			}
		})
	}
}

// quietLog silences Helm's warnings about the clashes the random trees are full of.
func quietLog(tb testing.TB) {
	tb.Helper()
	before := log.Writer()
	log.SetOutput(io.Discard)
	tb.Cleanup(func() { log.SetOutput(before) })
}
