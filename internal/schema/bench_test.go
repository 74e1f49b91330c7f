package schema

import (
	"testing"
	"time"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// helmVersion is the peer of the benchmark.
const helmVersion = "v3.22.0"

// BenchmarkSchemaCheck measures a whole warm Check of effective values, for each chart of the corpus, against Helm's own
// ValidateAgainstSchema on the coalesced values, in the same run. The ratio is what counts; times differ from machine to
// machine. Helm compiles the schema every time.
func BenchmarkSchemaCheck(b *testing.B) {
	var ours, helms float64
	for _, c := range corpus(b) {
		if beyondHelm(c.name) {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			o, h := compare(b, c)
			ours, helms = ours+o, helms+h
		})
	}
	b.Run("overall", func(b *testing.B) {
		for b.Loop() {
			_ = ours
		}
		b.ReportMetric(helms/ours, "x-helm-"+helmVersion)
		b.ReportMetric(0, "ns/op")
	})
}

// compare runs both sides in turn and takes the best of several rounds of each: other work on the machine only ever adds
// time. It returns seconds per check.
func compare(b *testing.B, c corpusChart) (ours, helms float64) {
	b.Helper()
	quiet(b)
	e := freeFormValues(someOf(c.defaults))
	k := NewChecker()
	if faults := check(b, k, c.chart, e); len(faults) > 0 {
		b.Fatalf("the values are meant to pass: %v", lines(faults))
	}
	if err := k.Warm(c.chart); err != nil {
		b.Fatal(err)
	}
	loaded := &helmchart.Chart{Metadata: &helmchart.Metadata{Name: "corpus"}, Schema: c.schema, Values: c.defaults}
	coalesced, err := chartutil.CoalesceValues(loaded, e.Values())
	if err != nil {
		b.Fatal(err)
	}
	ours, helms = 1e9, 1e9
	for b.Loop() {
		helms = min(helms, best(5, func() { _ = chartutil.ValidateAgainstSchema(loaded, coalesced) }))
		ours = min(ours, best(50, func() { _, _ = k.Check(c.chart, e) }))
	}
	b.ReportMetric(ours*1e6, "us/check")
	b.ReportMetric(helms*1e6, "us/helm")
	b.ReportMetric(helms/ours, "x-helm-"+helmVersion)
	b.ReportMetric(0, "ns/op")
	return ours, helms
}

// someOf picks eight leaves spread over the defaults, as a person sets a few values of a chart.
func someOf(defaults map[string]any) map[string]any {
	out := map[string]any{}
	leaves := freeFormValues(defaults).Leaves()
	for i := 0; i < len(leaves); i += 1 + len(leaves)/8 {
		leaf := leaves[i]
		if leaf.Value != nil {
			plant(out, leaf.Path[:len(leaf.Path)-1])
			parent, _ := lookup(out, leaf.Path[:len(leaf.Path)-1])
			parent.(map[string]any)[leaf.Path[len(leaf.Path)-1]] = leaf.Value
		}
	}
	return out
}

func best(rounds int, work func()) float64 {
	fastest := 1e9
	for range rounds {
		start := time.Now()
		work()
		fastest = min(fastest, time.Since(start).Seconds())
	}
	return fastest
}
