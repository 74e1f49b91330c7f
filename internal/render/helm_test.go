package render

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// realChart is the archive of a published GitLab chart to try besides our own.
var realChart = flag.String("real-chart", "", "archive of a published GitLab chart to render as well")

// fixture returns a version of the chart under test/charts.
func fixture(tb testing.TB, version string) *chart.Chart {
	tb.Helper()
	files, err := charts.Files(version)
	if err != nil {
		tb.Fatal(err)
	}
	texts := map[string]string{}
	for name, data := range files {
		texts[name] = string(data)
	}
	return chartOf(tb, texts)
}

// published returns the chart of the flag, or skips the test.
func published(tb testing.TB) *chart.Chart {
	tb.Helper()
	if *realChart == "" {
		tb.Skip("no -real-chart given")
	}
	file, err := os.Open(*realChart)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	buffered, err := loader.LoadArchiveFiles(file)
	if err != nil {
		tb.Fatal(err)
	}
	var files []chart.File
	for _, f := range buffered {
		files = append(files, chart.File{Name: f.Name, Data: f.Data})
	}
	c, err := chart.FromFiles(files, chart.DefaultLimits())
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func gitlabValues(tb testing.TB) map[string]any {
	tb.Helper()
	values, err := chartutil.ReadValuesFile("testdata/gitlab-values.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	return values
}

// helmRender is what Helm itself makes of a request, with the steps of its install.
func helmRender(tb testing.TB, req Request, c *helmchart.Chart) ([]releaseutil.Manifest, []string) {
	tb.Helper()
	caps, err := req.Capabilities.helm()
	if err != nil {
		tb.Fatal(err)
	}
	if err := chartutil.ProcessDependenciesWithMerge(c, req.Values); err != nil {
		tb.Fatal(err)
	}
	options := chartutil.ReleaseOptions{Name: req.Release.Name, Namespace: req.Release.Namespace, Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValuesWithSchemaValidation(c, req.Values, options, caps, true)
	if err != nil {
		tb.Fatal(err)
	}
	files, err := engine.RenderWithClientProvider(c, values, newRecorder(req.Found))
	if err != nil {
		tb.Fatal(err)
	}
	for name := range files {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(files, name)
		}
	}
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		tb.Fatal(err)
	}
	var names []string
	for _, hook := range hooks {
		if !strings.Contains(hook.Events[0].String(), "test") {
			names = append(names, hook.Kind+" "+hook.Name)
		}
	}
	return manifests, names
}

// compare holds the objects of a release to Helm's: the same ones, with the same content, in the same order.
func compare(t *testing.T, req Request) {
	t.Helper()
	req.Found = alive(t, req)
	release, err := Render(t.Context(), req)
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	c, err := req.Chart.Helm()
	if err != nil {
		t.Fatal(err)
	}
	manifests, hooks := helmRender(t, req, c)
	var want []*unstructured.Unstructured
	for _, m := range manifests {
		var content map[string]any
		if err := yaml.Unmarshal([]byte(m.Content), &content); err != nil {
			t.Fatal(err)
		}
		if content == nil {
			continue
		}
		items, err := flatten(content)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			u := &unstructured.Unstructured{Object: item}
			object.DropNulls(u)
			object.StampRelease(u, req.Release)
			want = append(want, u)
		}
	}
	object.SortInstall(want)
	if diff := cmp.Diff(lines(t, want), lines(t, release.Objects)); diff != "" {
		t.Errorf("objects (-helm +ours):\n%s", diff)
	}
	var ours []string
	for _, hook := range release.Hooks {
		ours = append(ours, hook.Object.GetKind()+" "+hook.Object.GetName())
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(hooks)), slices.Sorted(slices.Values(ours))); diff != "" {
		t.Errorf("hooks (-helm +ours):\n%s", diff)
	}
	t.Logf("%d objects, %d hooks, %d definitions, application %s", len(release.Objects), len(release.Hooks), len(release.Definitions), release.AppVersion)
}

// alive returns what lookup would find if the release were applied. Without it a chart makes new random values on every
// render and no two are equal.
func alive(t *testing.T, req Request) map[LookupKey]map[string]any {
	t.Helper()
	release, err := Render(t.Context(), req)
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	found := map[LookupKey]map[string]any{}
	for _, key := range release.Lookups {
		for _, u := range release.Objects {
			if u.GetKind() == key.Kind && u.GetName() == key.Name {
				found[key] = u.Object
			}
		}
	}
	return found
}

// lines prints each object as JSON, in which the type of a number does not show.
func lines(t *testing.T, objects []*unstructured.Unstructured) []string {
	t.Helper()
	var out []string
	for _, u := range objects {
		data, err := json.Marshal(u.Object)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(data))
	}
	return out
}

func TestObjectsEqualHelmsOwn(t *testing.T) {
	t.Run("our chart with one of everything", func(t *testing.T) { compare(t, requestFor(beacon(t), nil)) })
	for _, version := range charts.Versions() {
		t.Run("the GitLab chart of the tests, "+version, func(t *testing.T) {
			compare(t, requestFor(fixture(t, version), gitlabValues(t)))
		})
	}
	t.Run("a published GitLab chart", func(t *testing.T) { compare(t, requestFor(published(t), gitlabValues(t))) })
}

// BenchmarkRender compares a render of ours, parsed chart at hand, with what Helm needs for the same.
func BenchmarkRender(b *testing.B) {
	for _, name := range []string{"fixture", "published"} {
		b.Run(name+"/ours", func(b *testing.B) {
			c := benchmarked(b, name)
			prepared, err := Prepare(c)
			if err != nil {
				b.Fatal(err)
			}
			req := requestFor(c, gitlabValues(b))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := prepared.Render(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/helm", func(b *testing.B) {
			c := benchmarked(b, name)
			b.ReportAllocs()
			for b.Loop() {
				fresh, err := c.Helm()
				if err != nil {
					b.Fatal(err)
				}
				helmRender(b, requestFor(c, gitlabValues(b)), fresh)
			}
		})
	}
}

func benchmarked(b *testing.B, name string) *chart.Chart {
	b.Helper()
	if name == "published" {
		return published(b)
	}
	return fixture(b, "10.4.1")
}
