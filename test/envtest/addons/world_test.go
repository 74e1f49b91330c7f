// Package addons_test takes the Siphon and Orbit reconcilers through their lives against a real API server, with the
// stand-in charts rendered in process. No controller runs there: the specs write the status of the instance an add-on
// builds on, and roll out its workloads themselves.
package addons_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/test/charts"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// catalogue holds the charts a manager of this suite comes with: every Siphon and Orbit chart, and a GitLab chart on
// either side of 10.4.
func catalogue(tb testing.TB) *chart.Catalogue {
	tb.Helper()
	folder := world.Archives(tb, charts.GitLab(), "10.3.0", "10.4.0")
	for _, c := range []charts.Chart{charts.Siphon(), charts.Orbit()} {
		maps.Copy(folder, world.Archives(tb, c, c.Versions()...))
	}
	return world.Catalogue(tb, folder)
}

// withPool holds an Orbit chart with one pool of another name in place of its own two.
func withPool(tb testing.TB, pool string) *chart.Catalogue {
	tb.Helper()
	files, err := charts.Orbit().Files("4.1.0")
	if err != nil {
		tb.Fatal(err)
	}
	folder := fstest.MapFS{}
	for name, content := range files {
		if name == "values.yaml" {
			before, rest, found := strings.Cut(string(content), "    sdlc:\n")
			_, after, closed := strings.Cut(rest, "\n\n")
			if !found || !closed {
				tb.Fatal("the chart has no pools where they were looked for")
			}
			content = []byte(before + "    " + pool + ": {}\n\n" + after)
		}
		folder["orbit/"+name] = &fstest.MapFile{Data: content}
	}
	return world.Catalogue(tb, folder)
}

// oneLine makes a message readable in a failure.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }
