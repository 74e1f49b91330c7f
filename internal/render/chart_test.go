package render

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	helmchart "helm.sh/helm/v3/pkg/chart"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/object"
)

// testRelease is the release most tests render.
func testRelease() object.Release {
	return object.Release{Name: "pharos", Namespace: "alexandria", Kind: "gitlabcore"}
}

// beacon is the chart under testdata with one of everything the rules of a render speak of.
func beacon(tb testing.TB) *chart.Chart {
	tb.Helper()
	files := map[string]string{}
	root := os.DirFS("testdata/beacon/chart")
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		files[name] = string(data)
		return err
	})
	if err != nil {
		tb.Fatalf("reading the test chart: %v", err)
	}
	return chartOf(tb, files)
}

// chartOf makes a chart of files. A Chart.yaml is added where there is none.
func chartOf(tb testing.TB, files map[string]string) *chart.Chart {
	tb.Helper()
	if _, ok := files["Chart.yaml"]; !ok {
		files["Chart.yaml"] = "apiVersion: v2\nname: small\nversion: 1.0.0\nappVersion: \"7\"\n"
	}
	var list []chart.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, chart.File{Name: path.Clean(name), Data: []byte(files[name])})
	}
	c, err := chart.FromFiles(list, chart.DefaultLimits())
	if err != nil {
		tb.Fatalf("making the test chart: %v", err)
	}
	return c
}

// oneTemplate makes a chart of a single template, templates/t.yaml.
func oneTemplate(tb testing.TB, lines ...string) *chart.Chart {
	tb.Helper()
	return chartOf(tb, map[string]string{"templates/t.yaml": strings.Join(lines, "\n")})
}

// requestFor is a request against a plain cluster.
func requestFor(c *chart.Chart, values map[string]any) Request {
	return Request{Release: testRelease(), Chart: c, Values: values, Capabilities: BuiltIn("v1.37.2")}
}

// picture is what a chart holds, as a value that can be compared.
func picture(c *helmchart.Chart) map[string]any {
	subcharts := map[string]any{}
	for _, sub := range c.Dependencies() {
		subcharts[sub.Name()] = picture(sub)
	}
	return map[string]any{
		"metadata": *c.Metadata, "templates": c.Templates, "values": c.Values, "files": c.Files, "raw": c.Raw, "subcharts": subcharts,
	}
}
