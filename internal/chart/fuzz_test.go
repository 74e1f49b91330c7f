package chart_test

import (
	"testing"
	"testing/fstest"

	"github.com/portcullis-operator/portcullis/internal/chart"
)

// FuzzArchive: no bytes take the process down, and what is accepted keeps to the limits and loads or says why not.
func FuzzArchive(f *testing.F) {
	f.Add(tgz(f, small("gitlab", "gitlab", "10.4.1")...))
	f.Add(tgz(f, entry{name: "x/Chart.yaml", body: "a: &a [*a]"}))
	f.Add(tgz(f, append(small("x", "x", "1.0.0"), entry{name: "x/charts/a.tgz", body: string(tgz(f, small("y", "y", "1.0.0")...))})...))
	f.Add([]byte("\x1f\x8b"))
	limits := chart.Limits{Packed: 1 << 20, Unpacked: 4 << 20, File: 1 << 20, Files: 64, Nesting: 2, Name: 100}
	f.Fuzz(func(t *testing.T, packed []byte) {
		catalogue, problems := chart.OpenCatalogue(fstest.MapFS{"a.tgz": {Data: packed}}, limits)
		for _, p := range problems {
			if p.Sentence == "" || p.Entry != "a.tgz" || p.Cause == nil {
				t.Fatalf("a problem that says nothing: %+v", p)
			}
		}
		for _, ref := range catalogue.Refs() {
			c, err := catalogue.Open(ref)
			if err != nil {
				t.Fatal(err)
			}
			var sum int64
			for _, file := range c.Files() {
				sum += int64(len(file.Data))
				if int64(len(file.Data)) > limits.File || len(file.Name) > limits.Name {
					t.Fatalf("%s is past the limits", file.Name)
				}
			}
			if sum > limits.Unpacked || len(c.Files()) > limits.Files {
				t.Fatalf("%d bytes in %d files are past the limits", sum, len(c.Files()))
			}
			if again, err := chart.FromFiles(c.Files(), limits); err != nil || again.Digest != c.Digest {
				t.Fatalf("the files do not make the same chart: %v", err)
			}
			_, _ = c.Helm()
		}
	})
}
