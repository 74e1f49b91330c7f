package gitlabcore_test

import (
	"context"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// BenchmarkUnchangedPass is row 4 of the speed table: an unchanged pass against the first pass of the same resource, in
// one run. It prints the share, and what the unchanged pass rendered and wrote, which must be nothing.
func BenchmarkUnchangedPass(b *testing.B) {
	w = newWorld(b)
	ctx := context.Background()
	namespace, err := w.namespace(ctx)
	if err != nil {
		b.Fatal(err)
	}
	if err := w.live.Create(ctx, small(namespace)); err != nil {
		b.Fatal(err)
	}
	c, counts := counting(w.live)
	r := w.reconciler(c, time.Now)
	pass := func(req ctrl.Request) time.Duration {
		start := time.Now()
		if _, err := r.Reconcile(ctx, req); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	first := pass(request(namespace))
	pass(request(namespace))
	writes, renders := counts.writes.Load(), w.renders.Load()
	var unchanged time.Duration
	n := 0
	for b.Loop() {
		unchanged += pass(request(namespace))
		n++
	}
	b.ReportMetric(100*float64(unchanged)/float64(n)/float64(first), "%-of-first-pass")
	b.ReportMetric(float64(counts.writes.Load()-writes), "writes")
	b.ReportMetric(float64(w.renders.Load()-renders), "renders")
}
