package gitlabcore_test

import (
	"context"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// applied is a cache like the manager's.
func applied(ctx context.Context, tb testing.TB) client.Reader {
	tb.Helper()
	c, err := cache.New(w.Config, cache.Options{Scheme: w.Scheme})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	tb.Cleanup(cancel)
	go func() { _ = c.Start(ctx) }()
	if !c.WaitForCacheSync(ctx) {
		tb.Fatal("the cache does not fill")
	}
	return c
}

// BenchmarkUnchangedPass is row 4 of the speed table: an unchanged pass against the first pass of the same resource, in
// one run. It prints the share, and what the unchanged pass rendered, read and wrote, which must be nothing.
func BenchmarkUnchangedPass(b *testing.B) {
	w = start(b)
	ctx := context.Background()
	namespace := w.Namespace(ctx, b)
	if err := w.Live.Create(ctx, small(namespace)); err != nil {
		b.Fatal(err)
	}
	c, counts := world.Counting(w.Live)
	r := reconciler(c, time.Now)
	r.Engine.Metadata = applied(ctx, b)
	r.Cached = applied(ctx, b) // As in the manager, which reads its resources from its cache.
	pass := func(req ctrl.Request) time.Duration {
		start := time.Now()
		if _, err := r.Reconcile(ctx, req); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	first := pass(request(namespace))
	pass(request(namespace))
	if err := world.RollOut(ctx, w.Live, namespace); err != nil {
		b.Fatal(err)
	}
	for range 3 {
		// The first look at a kind fills the cache; the last of these passes is one at rest.
		pass(request(namespace))
		time.Sleep(time.Second)
	}
	reads, writes, renders := counts.Reads.Load(), counts.Writes.Load(), w.Renders.Load()
	var unchanged time.Duration
	n := 0
	for b.Loop() {
		unchanged += pass(request(namespace))
		n++
	}
	b.ReportMetric(100*float64(unchanged)/float64(n)/float64(first), "%-of-first-pass")
	b.ReportMetric(float64(counts.Reads.Load()-reads), "reads")
	b.ReportMetric(float64(counts.Writes.Load()-writes), "writes")
	b.ReportMetric(float64(w.Renders.Load()-renders), "renders")
}
