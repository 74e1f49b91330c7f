package chart_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/portcullis-operator/portcullis/internal/chart"
)

func one(tb testing.TB, fsys fstest.MapFS) *chart.Chart {
	tb.Helper()
	catalogue := open(tb, fsys)
	refs := catalogue.Refs()
	if len(refs) != 1 {
		tb.Fatalf("want one chart, found %v", refs)
	}
	c, err := catalogue.Open(refs[0])
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestEqualFilesHaveOneDigestInEveryForm(t *testing.T) {
	entries := small("gitlab", "gitlab", "10.4.1")
	fromFolder := one(t, folder(fstest.MapFS{}, entries...))
	reversed := slices.Clone(entries)
	slices.Reverse(reversed)
	fromArchive := one(t, fstest.MapFS{"a.tgz": {Data: tgz(t, reversed...)}})
	fromFiles, err := chart.FromFiles(fromFolder.Files(), chart.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if fromFolder.Digest != fromArchive.Digest || fromFolder.Digest != fromFiles.Digest {
		t.Errorf("digests differ: folder %s, archive %s, files %s", fromFolder.Digest, fromArchive.Digest, fromFiles.Digest)
	}
	entries[1].body = "replicas: 1000001\n"
	if changed := one(t, folder(fstest.MapFS{}, entries...)); changed.Digest == fromFolder.Digest {
		t.Error("a changed value left the digest as it was")
	}
	if diff := cmp.Diff(fromArchive.Files(), fromFiles.Files()); diff != "" {
		t.Errorf("files differ:\n%s", diff)
	}
}

func TestEveryHelmChartIsFresh(t *testing.T) {
	packed := one(t, fstest.MapFS{"a.tgz": {Data: tgz(t, small("gitlab", "gitlab", "10.4.1")...)}})
	fromFiles, err := chart.FromFiles(packed.Files(), chart.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*chart.Chart{"packed": packed, "from files": fromFiles} {
		t.Run(name, func(t *testing.T) {
			first, err := c.Helm()
			if err != nil {
				t.Fatal(err)
			}
			if got := first.Values["replicas"]; got != float64(1000000) {
				t.Errorf("replicas is %v (%T), want a float64 as Helm reads it", got, got)
			}
			first.Values["replicas"] = "spent"
			first.Metadata.Name = "spent"
			first.Templates[0].Data[0] = 'X'
			second, err := c.Helm()
			if err != nil {
				t.Fatal(err)
			}
			if second.Values["replicas"] != float64(1000000) || second.Name() != "gitlab" || second.Templates[0].Data[0] != 'a' {
				t.Error("a chart that was spent came back")
			}
		})
	}
}

func TestHelmignoreIsHonouredAsHelmDoes(t *testing.T) {
	root := t.TempDir()
	fsys := fstest.MapFS{}
	folder(fsys, small("c", "gitlab", "10.4.1")...)
	folder(
		fsys, entry{name: "c/.helmignore", body: "# comment\n*.bak\n/docs\nci/\ntemplates/skip.yaml\n"},
		entry{name: "c/notes.bak", body: "x"}, entry{name: "c/templates/deep.bak", body: "x"}, entry{name: "c/docs/a.md", body: "x"},
		entry{name: "c/files/docs/b.md", body: "x"}, entry{name: "c/ci/values.yaml", body: "x"},
		entry{name: "c/templates/skip.yaml", body: "x"}, entry{name: "c/templates/.swp", body: "x"},
		entry{name: "c/files/bom.txt", body: "\xEF\xBB\xBFtext"}, entry{name: "c/.hidden", body: "x"},
	)
	if err := os.CopyFS(root, fsys); err != nil {
		t.Fatal(err)
	}
	want, err := loader.LoadDir(filepath.Join(root, "c"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range one(t, fsys).Files() {
		got = append(got, f.Name+"="+string(f.Data))
	}
	if diff := cmp.Diff(rawFiles(want), got); diff != "" {
		t.Errorf("files of the folder, Helm (-) and ours (+):\n%s", diff)
	}
}

func rawFiles(c *helmchart.Chart) []string {
	var out []string
	for _, f := range c.Raw {
		out = append(out, f.Name+"="+string(f.Data))
	}
	slices.Sort(out)
	return out
}

func TestSubchartsInEveryFormAreLoaded(t *testing.T) {
	inner := tgz(t, small("redis", "redis", "2.0.0")...)
	entries := append(
		small("gitlab", "gitlab", "10.4.1"),
		entry{name: "gitlab/charts/redis-2.0.0.tgz", body: string(inner)},
		entry{name: "gitlab/charts/openbao/Chart.yaml", body: meta("openbao", "0.5.0")},
		entry{name: "gitlab/charts/openbao/charts/redis-2.0.0.tgz", body: string(inner)},
		entry{name: "gitlab/charts/_README.md", body: "not a chart"},
	)
	loaded, err := one(t, fstest.MapFS{"a.tgz": {Data: tgz(t, entries...)}}).Helm()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, sub := range loaded.Dependencies() {
		names = append(names, sub.ChartFullPath())
		for _, deeper := range sub.Dependencies() {
			names = append(names, deeper.ChartFullPath())
		}
	}
	slices.Sort(names)
	want := []string{"gitlab/charts/openbao", "gitlab/charts/openbao/charts/redis", "gitlab/charts/redis"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("subcharts (-want +got):\n%s", diff)
	}
}

func TestABrokenValuesFileIsAProblemOfTheChart(t *testing.T) {
	entries := small("gitlab", "gitlab", "10.4.1")
	entries[1].body = "a: [\n"
	_, err := one(t, folder(fstest.MapFS{}, entries...)).Helm()
	if !errors.Is(err, chart.ErrUnreadable) || !strings.Contains(err.Error(), "gitlab 10.4.1") {
		t.Errorf("got %v, want an unreadable chart that is named", err)
	}
}
