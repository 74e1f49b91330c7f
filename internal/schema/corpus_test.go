package schema

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// corpusChart is one public chart, or subchart, as a chart of its own: its schema and its default values.
type corpusChart struct {
	name     string
	schema   []byte
	defaults map[string]any
	chart    *chart.Chart
}

// corpus reads the charts of the folder SCHEMA_CORPUS names, or of the place beside the checkout where they usually lie.
func corpus(tb testing.TB) []corpusChart {
	tb.Helper()
	root := os.Getenv("SCHEMA_CORPUS")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data", "schemas")
	}
	found, err := fs.Glob(os.DirFS(root), "*/values.schema.json")
	if err != nil || len(found) == 0 {
		tb.Skip("no public schemas to compare with: set SCHEMA_CORPUS to a folder that holds <chart>/values.schema.json and values.yaml")
	}
	var out []corpusChart
	for _, name := range found {
		folder := filepath.Dir(name)
		schema, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			tb.Fatal(err)
		}
		defaults, err := os.ReadFile(filepath.Join(root, folder, "values.yaml"))
		if err != nil {
			tb.Fatal(err)
		}
		c := corpusChart{name: folder, schema: schema}
		if err := yaml.Unmarshal(defaults, &c.defaults); err != nil {
			tb.Fatal(err)
		}
		c.chart, err = chart.FromFiles([]chart.File{
			{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: corpus\nversion: 1.0.0\n")},
			{Name: "values.yaml", Data: defaults}, {Name: "values.schema.json", Data: schema},
		}, chart.DefaultLimits())
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// beyondHelm lists what Helm cannot check without a network: the intended differences of the corpus.
func beyondHelm(name string) bool { return strings.HasSuffix(name, "--charts_openbao") }

func TestDefaultsOfTheCorpusPass(t *testing.T) {
	for _, c := range corpus(t) {
		if faults := check(t, NewChecker(), c.chart, freeFormValues(nil)); len(faults) != 0 {
			t.Errorf("%s: %v", c.name, lines(faults))
		}
		if compiled := compile(c.schema); len(compiled.gaps) != 0 {
			t.Errorf("%s: not checked in full: %v", c.name, compiled.gaps)
		}
	}
}

// mutations changes one place of the defaults at a time: another type, a key too many, a null.
func mutations(defaults map[string]any) []map[string]any {
	var out []map[string]any
	var walk func(at []string, node map[string]any)
	set := func(at []string, value any) {
		tree := map[string]any{}
		plant(tree, at[:len(at)-1])
		parent, _ := lookup(tree, at[:len(at)-1])
		parent.(map[string]any)[at[len(at)-1]] = value
		out = append(out, tree)
	}
	walk = func(at []string, node map[string]any) {
		set(join(at, "surplusKey"), "x")
		for _, key := range sortedKeys(node) {
			here := join(at, key)
			for _, other := range []any{nil, "text", 7.5, true, []any{map[string]any{}}, map[string]any{"surplusKey": 1.0}} {
				set(here, other)
			}
			if below, ok := node[key].(map[string]any); ok {
				walk(here, below)
			}
		}
	}
	walk(nil, defaults)
	return out
}

func TestVerdictEqualsHelmsOnMutatedDefaultsOfTheCorpus(t *testing.T) {
	quiet(t)
	const each = 40 // Helm compiles every time: all of them would take many minutes
	for _, c := range corpus(t) {
		if beyondHelm(c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			k := NewChecker()
			all := mutations(c.defaults)
			random := rand.New(rand.NewPCG(1, uint64(len(all))))
			var valid, invalid int
			for range each {
				given := maps.Clone(all[random.IntN(len(all))])
				_, err := helmValues(t, c.chart, values.DeepCopy(given))
				faults := check(t, k, c.chart, freeFormValues(given))
				if refused(faults) != (err != nil) {
					t.Fatalf("%s: Helm says %v, we say %v", jsonText(given), err, lines(faults))
				}
				for _, f := range faults {
					if f.Field == "" || f.Message == "" {
						t.Errorf("%s: a fault that says nothing: %+v", jsonText(given), f)
					}
				}
				if err == nil {
					valid++
				} else {
					invalid++
				}
			}
			if valid == 0 || invalid == 0 && len(c.schema) > 10_000 {
				t.Errorf("%d valid and %d invalid cases: the mutations are out of balance", valid, invalid)
			}
		})
	}
}

func TestOpenBaoIsCheckedWithoutANetwork(t *testing.T) {
	for _, c := range corpus(t) {
		if !beyondHelm(c.name) {
			continue
		}
		faults := check(t, NewChecker(), c.chart, freeFormValues(decode(t, "{resources: {limits: 5}, securityContext: {runAsUser: x}}")))
		fields := map[string]bool{}
		for _, f := range faults {
			fields[f.Field] = true
		}
		want := map[string]bool{"spec.chart.values.resources.limits": true, "spec.chart.values.securityContext.runAsUser": true}
		if diff := cmp.Diff(want, fields); diff != "" {
			t.Errorf("fields with a fault (-want +got):\n%s", diff)
		}
	}
}
