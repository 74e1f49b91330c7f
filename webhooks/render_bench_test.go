package webhooks

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
	"testing/fstest"
	"time"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/render/sandbox"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// realChart is the archive of a published GitLab chart to measure besides our own.
var realChart = flag.String("real-chart", "", "archive of a published GitLab chart to admit with as well")

// renderWorker is the argument on which this test program is a render process, as the manager is.
const renderWorker = "render-worker"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == renderWorker {
		os.Exit(sandbox.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// BenchmarkAdmissionWithRender is row 3 of the speed table: the whole check of a GitLabCore, its render in a warm process
// of its own included, against what `helm template` does inside for the same chart and the same values: load the archive
// and render it without a cluster. Every check is about another object, so nothing is answered from memory.
func BenchmarkAdmissionWithRender(b *testing.B) {
	ours, err := charts.Archive("10.4.1")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("fixture", func(b *testing.B) { againstHelm(b, ours) })
	if *realChart == "" {
		return
	}
	published, err := os.ReadFile(*realChart)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("published", func(b *testing.B) { againstHelm(b, published) })
}

func againstHelm(b *testing.B, archive []byte) {
	b.Helper()
	loaded, err := loader.LoadArchive(bytes.NewReader(archive))
	if err != nil {
		b.Fatal(err)
	}
	pool := sandbox.New(sandbox.Config{Command: []string{os.Args[0], renderWorker}, Workers: 1, MemoryLimit: 768 << 20, Timeout: time.Minute})
	defer pool.Close()
	reviewer := reviewerOf(b, pool.Render)
	catalogue, problems := chart.OpenCatalogue(fstest.MapFS{"gitlab.tgz": &fstest.MapFile{Data: archive}}, chart.DefaultLimits())
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	reviewer.Facts = facts{catalogue: catalogue, served: render.BuiltIn("v1.37.2")}
	n := 0
	check := func() admit.Review {
		n++
		core := changed(b, map[string]any{
			"hostname":      fmt.Sprintf("gitlab-%d.example.com", n),
			"version":       map[string]any{"type": "Static", "version": loaded.Metadata.Version},
			"postgresql":    map[string]any{"host": "postgresql", "passwordSecretRef": map[string]any{"name": "s", "key": "k"}},
			"redis":         map[string]any{"host": "redis", "passwordSecretRef": map[string]any{"name": "s", "key": "k"}},
			"objectStorage": map[string]any{"connectionSecretRef": map[string]any{"name": "s", "key": "k"}},
			"chart": map[string]any{"values": map[string]any{
				"installCertmanager": false, "certmanager-issuer": map[string]any{"email": "a@example.com"},
			}},
		})
		review, err := reviewer.Review(b.Context(), admit.Request{New: core})
		if err != nil || review.Plan.Rendered == nil {
			b.Fatalf("not rendered: %v, %v", err, review.Verdict.Errors())
		}
		return review
	}
	values := check().Plan.Effective.Values()
	helms := func() {
		again, err := loader.LoadArchive(bytes.NewReader(archive))
		if err != nil {
			b.Fatal(err)
		}
		if err := helmTemplate(again, values); err != nil {
			b.Fatal(err)
		}
	}
	helms()
	var took, helm time.Duration
	for b.Loop() {
		start := time.Now()
		check()
		took += time.Since(start)
		start = time.Now()
		helms()
		helm += time.Since(start)
	}
	b.ReportMetric(took.Seconds()*1000/float64(b.N), "ms/check")
	b.ReportMetric(helm.Seconds()*1000/float64(b.N), "ms/helm")
	b.ReportMetric(float64(took)/float64(helm), "of-helm")
	b.ReportMetric(0, "ns/op")
}

// helmTemplate is what Helm does between the archive and the manifests: check the values against the schemas, which it
// compiles each time, and execute the templates.
func helmTemplate(c *helmchart.Chart, values map[string]any) error {
	if err := chartutil.ProcessDependenciesWithMerge(c, values); err != nil {
		return err
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.37.2", Major: "1", Minor: "37"}
	prepared, err := chartutil.ToRenderValues(c, values, chartutil.ReleaseOptions{Name: "gitlab", Namespace: "prod", Revision: 1, IsInstall: true}, capabilities)
	if err != nil {
		return err
	}
	_, err = engine.Render(c, prepared)
	return err
}
