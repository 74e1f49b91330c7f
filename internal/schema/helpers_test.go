package schema

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"testing"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// quiet silences Helm's log for tests whose values are full of clashes.
func quiet(tb testing.TB) {
	tb.Helper()
	before := log.Writer()
	log.SetOutput(io.Discard)
	tb.Cleanup(func() { log.SetOutput(before) })
}

// made is a chart to be written: a subchart's files lie below charts/<name>.
type made struct {
	name, version string
	values        map[string]any
	schema        string
	deps          []*helmchart.Dependency
	charts        []made
	templates     map[string]string
	comment       string // in values.yaml
}

func (m made) files(at string) []chart.File {
	version := m.version
	if version == "" {
		version = "1.0.0"
	}
	meta, err := yaml.Marshal(map[string]any{"apiVersion": "v2", "name": m.name, "version": version, "dependencies": m.deps})
	if err != nil {
		panic(err)
	}
	defaults, err := json.Marshal(m.values)
	if err != nil {
		panic(err)
	}
	files := []chart.File{{Name: at + "Chart.yaml", Data: meta}}
	if m.values != nil {
		files = append(files, chart.File{Name: at + "values.yaml", Data: append([]byte(m.comment), defaults...)})
	}
	for name, text := range m.templates {
		files = append(files, chart.File{Name: at + "templates/" + name, Data: []byte(text)})
	}
	if m.schema != "" {
		files = append(files, chart.File{Name: at + "values.schema.json", Data: []byte(m.schema)})
	}
	for _, sub := range m.charts {
		files = append(files, sub.files(at+"charts/"+sub.name+"/")...)
	}
	return files
}

func (m made) chart(tb testing.TB) *chart.Chart {
	tb.Helper()
	c, err := chart.FromFiles(m.files(""), chart.DefaultLimits())
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func freeFormValues(tree map[string]any) values.Effective {
	return values.Merge(values.Tree(values.FreeForm, "spec.chart.values", tree))
}

// helmValues is what Helm hands to templates, or its refusal.
func helmValues(tb testing.TB, c *chart.Chart, given map[string]any) (map[string]any, error) {
	tb.Helper()
	loaded, err := c.Helm()
	if err != nil {
		tb.Fatal(err)
	}
	if err := chartutil.ProcessDependenciesWithMerge(loaded, given); err != nil {
		return nil, err
	}
	top, err := chartutil.ToRenderValues(loaded, given, chartutil.ReleaseOptions{}, nil)
	if err != nil {
		return nil, err
	}
	return top["Values"].(chartutil.Values), nil
}

func check(tb testing.TB, k *Checker, c *chart.Chart, e values.Effective) []rules.Fault {
	tb.Helper()
	faults, err := k.Check(c, e)
	if err != nil {
		tb.Fatal(err)
	}
	return faults
}

func refused(faults []rules.Fault) bool { return rules.Verdict{Faults: faults}.Refused() }

func lines(faults []rules.Fault) []string {
	out := []string{}
	for _, f := range faults {
		out = append(out, fmt.Sprintf("%s: %s: %s [%s]", f.Severity, f.Field, f.Message, f.Code))
	}
	return out
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func decode(tb testing.TB, text string) map[string]any {
	tb.Helper()
	tree, err := values.Decode([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return tree
}
