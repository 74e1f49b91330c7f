package chart_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"testing"
	"testing/fstest"

	"github.com/portcullis-operator/portcullis/internal/chart"
)

// entry is one tar entry of a test archive; an empty Type is a regular file.
type entry struct {
	name, body string
	kind       byte
	link       string
}

// tgz packs entries as they are, names included.
func tgz(tb testing.TB, entries ...entry) []byte {
	tb.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(e.body)), Linkname: e.link}
		if e.kind != 0 {
			header.Typeflag, header.Size = e.kind, 0
		}
		if e.kind == tar.TypeXGlobalHeader {
			header = &tar.Header{Typeflag: e.kind, PAXRecords: map[string]string{"comment": "a commit"}}
		}
		if err := archive.WriteHeader(header); err != nil {
			tb.Fatal(err)
		}
		if header.Size > 0 {
			if _, err := archive.Write([]byte(e.body)); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := archive.Close(); err != nil {
		tb.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func meta(name, version string) string {
	return "apiVersion: v2\nname: " + name + "\nversion: " + version + "\nappVersion: v" + version + "\n"
}

// small returns the entries of a chart with one value and one template, below the folder.
func small(folder, name, version string) []entry {
	return []entry{
		{name: folder + "/Chart.yaml", body: meta(name, version)},
		{name: folder + "/values.yaml", body: "replicas: 1000000\n"},
		{name: folder + "/templates/a.yaml", body: "a: {{ .Values.replicas }}\n"},
	}
}

// folder puts entries into a file system.
func folder(fsys fstest.MapFS, entries ...entry) fstest.MapFS {
	for _, e := range entries {
		fsys[e.name] = &fstest.MapFile{Data: []byte(e.body)}
	}
	return fsys
}

func open(tb testing.TB, fsys fstest.MapFS) *chart.Catalogue {
	tb.Helper()
	catalogue, problems := chart.OpenCatalogue(fsys, chart.DefaultLimits())
	for _, p := range problems {
		tb.Errorf("unexpected problem: %v", p.Error())
	}
	return catalogue
}
