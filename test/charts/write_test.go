package charts_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/portcullis-operator/portcullis/test/charts"
)

func TestAnArchiveHasTheSameBytesOnEveryRun(t *testing.T) {
	seen := map[string]string{}
	for _, c := range charts.All() {
		for _, version := range c.Versions() {
			first, err := c.Archive(version)
			if err != nil {
				t.Fatal(err)
			}
			second, err := c.Archive(version)
			if err != nil {
				t.Fatal(err)
			}
			name := c.Name() + " " + version
			if !bytes.Equal(first, second) {
				t.Errorf("chart %s is packed differently the second time", name)
			}
			if other := seen[string(first)]; other != "" {
				t.Errorf("charts %s and %s are the same", other, name)
			}
			seen[string(first)] = name
		}
	}
}

// Two runs in one second would not show a clock in the bytes, so the times are looked at themselves.
func TestAnArchiveCarriesNoClock(t *testing.T) {
	content, err := charts.Archive("10.4.1")
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if !unpacked.ModTime.IsZero() {
		t.Errorf("the archive is dated %s", unpacked.ModTime)
	}
	for entries := tar.NewReader(unpacked); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.ModTime.Unix() != 0 {
			t.Errorf("%s is dated %s", header.Name, header.ModTime)
		}
	}
}

func TestFolderAndArchiveHoldTheSameChart(t *testing.T) {
	dir := t.TempDir()
	if err := charts.WriteFolder(dir, "10.4.1"); err != nil {
		t.Fatal(err)
	}
	if err := charts.WriteArchives(dir, "10.4.1"); err != nil {
		t.Fatal(err)
	}
	folder, err := loader.LoadDir(filepath.Join(dir, "gitlab-10.4.1"))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := loader.LoadFile(filepath.Join(dir, "gitlab-10.4.1.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(archive), contents(folder)); diff != "" {
		t.Errorf("archive and folder differ (-archive +folder):\n%s", diff)
	}
}

func contents(c *chart.Chart) map[string]string {
	out := map[string]string{}
	for _, file := range c.Raw {
		out[file.Name] = string(file.Data)
	}
	return out
}

func TestAllVersionsAreWrittenWhenNoneIsNamed(t *testing.T) {
	dir := t.TempDir()
	var want []string
	for _, c := range charts.All() {
		if err := c.WriteArchives(dir); err != nil {
			t.Fatal(err)
		}
		for _, version := range c.Versions() {
			want = append(want, c.Name()+"-"+version+".tgz")
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("written archives (-want +got):\n%s", diff)
	}
}

func TestAVersionThatDoesNotExistIsRefused(t *testing.T) {
	if _, err := charts.Archive("10.9.9"); !errors.Is(err, charts.ErrUnknownVersion) {
		t.Errorf("Archive: want ErrUnknownVersion, got %v", err)
	}
	if err := charts.WriteArchives(t.TempDir(), "v10.4.1"); !errors.Is(err, charts.ErrUnknownVersion) {
		t.Errorf("WriteArchives: want ErrUnknownVersion, got %v", err)
	}
	if _, err := charts.Siphon().Archive("10.4.1"); !errors.Is(err, charts.ErrUnknownVersion) {
		t.Errorf("a version of another chart: want ErrUnknownVersion, got %v", err)
	}
	if err := charts.WriteFolder(t.TempDir(), ""); !errors.Is(err, charts.ErrUnknownVersion) {
		t.Errorf("WriteFolder: want ErrUnknownVersion, got %v", err)
	}
}

func TestApplicationVersionsFollowTheChart(t *testing.T) {
	want := map[string]string{"10.2.0": "19.2.0", "10.2.1": "19.2.1", "10.5.0": "19.5.0", "11.0.0": "20.0.0"}
	for version, app := range want {
		if got, err := charts.AppVersion(version); err != nil || got != app {
			t.Errorf("chart %s deploys %q (%v), want %s", version, got, err, app)
		}
		if got := load(t, version).AppVersion(); got != "v"+app {
			t.Errorf("Chart.yaml of %s says %s", version, got)
		}
	}
}
