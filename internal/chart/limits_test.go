package chart_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/portcullis-operator/portcullis/internal/chart"
)

func TestUnsafeArchivesAreRefused(t *testing.T) {
	base := small("gitlab", "gitlab", "10.4.1")
	for name, tc := range map[string]struct {
		entry entry
		want  error
	}{
		"a path out of the chart":            {entry{name: "gitlab/../../etc/passwd", body: "x"}, chart.ErrUnsafeName},
		"a path through a dot":               {entry{name: "gitlab/./a", body: "x"}, chart.ErrUnsafeName},
		"a base folder named dot":            {entry{name: "./a", body: "x"}, chart.ErrUnsafeName},
		"a base folder named dot dot":        {entry{name: "../a", body: "x"}, chart.ErrUnsafeName},
		"an absolute path":                   {entry{name: "/etc/passwd", body: "x"}, chart.ErrUnsafeName},
		"an absolute path after the folder":  {entry{name: "gitlab//etc/passwd", body: "x"}, chart.ErrUnsafeName},
		"a Windows drive":                    {entry{name: `gitlab\c:\a`, body: "x"}, chart.ErrUnsafeName},
		"a Windows path out of the chart":    {entry{name: `gitlab\..\a`, body: "x"}, chart.ErrUnsafeName},
		"a folder out of the chart":          {entry{name: "gitlab/../x/", kind: tar.TypeDir}, chart.ErrUnsafeName},
		"a control character":                {entry{name: "gitlab/a\nb", body: "x"}, chart.ErrUnsafeName},
		"a file beside the folder":           {entry{name: "Chart.yaml", body: "x"}, chart.ErrUnsafeName},
		"a name that never ends":             {entry{name: "gitlab/" + strings.Repeat("a", 2000), body: "x"}, chart.ErrTooLarge},
		"a symbolic link":                    {entry{name: "gitlab/a", kind: tar.TypeSymlink, link: "/etc/passwd"}, chart.ErrNoFile},
		"a hard link":                        {entry{name: "gitlab/a", kind: tar.TypeLink, link: "gitlab/Chart.yaml"}, chart.ErrNoFile},
		"a device":                           {entry{name: "gitlab/a", kind: tar.TypeChar}, chart.ErrNoFile},
		"a pipe":                             {entry{name: "gitlab/a", kind: tar.TypeFifo}, chart.ErrNoFile},
		"a file that is there twice":         {base[1], chart.ErrDuplicate},
		"a file of more than 8 MiB":          {entry{name: "gitlab/a", body: strings.Repeat("a", 8<<20+1)}, chart.ErrTooLarge},
		"a broken archive of a subchart":     {entry{name: "gitlab/charts/a.tgz", body: "x"}, chart.ErrUnreadable},
		"an unsafe archive of a subchart":    {entry{name: "gitlab/charts/a.tgz", body: string(tgz(t, entry{name: "a/../b"}))}, chart.ErrUnsafeName},
		"a broken archive deeper inside":     {entry{name: "gitlab/charts/b/charts/a.tgz", body: "x"}, chart.ErrUnreadable},
		"archives nested without end":        {entry{name: "gitlab/charts/a.tgz", body: nestedArchives(t, 10)}, chart.ErrTooLarge},
		"a bomb inside a subchart's archive": {entry{name: "gitlab/charts/a.tgz", body: string(bomb(t, 300<<20))}, chart.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := chart.OpenCatalogue(fstest.MapFS{"a.tgz": {Data: tgz(t, append(base[:3:3], tc.entry)...)}}, chart.DefaultLimits())
			if len(problems) != 1 || !errors.Is(&problems[0], tc.want) {
				t.Fatalf("got %v, want one problem caused by: %v", problems, tc.want)
			}
		})
	}
}

func TestAGlobalHeaderAndFoldersAreNoFiles(t *testing.T) {
	entries := append([]entry{{name: "pax_global_header", kind: tar.TypeXGlobalHeader}, {name: "gitlab/", kind: tar.TypeDir}},
		small("gitlab", "gitlab", "10.4.1")...)
	if got := len(one(t, fstest.MapFS{"a.tgz": {Data: tgz(t, entries...)}}).Files()); got != 3 {
		t.Errorf("found %d files, want 3", got)
	}
}

func TestALinkInAFolderIsRefused(t *testing.T) {
	fsys := folder(fstest.MapFS{}, small("c", "gitlab", "10.4.1")...)
	fsys["c/templates/b.yaml"] = &fstest.MapFile{Mode: 0o777 | 1<<27} // fs.ModeSymlink
	_, problems := chart.OpenCatalogue(fsys, chart.DefaultLimits())
	if len(problems) != 1 || !errors.Is(&problems[0], chart.ErrNoFile) {
		t.Errorf("got %v, want one problem about a link", problems)
	}
}

func TestTooManyFilesAreRefused(t *testing.T) {
	limits := chart.DefaultLimits()
	limits.Files = 2
	_, problems := chart.OpenCatalogue(fstest.MapFS{"a.tgz": {Data: tgz(t, small("x", "gitlab", "1.0.0")...)}}, limits)
	if len(problems) != 1 || !errors.Is(&problems[0], chart.ErrTooLarge) {
		t.Errorf("got %v, want one problem about the number of files", problems)
	}
}

func TestABombIsGivenUpEarly(t *testing.T) {
	limits := chart.Limits{Packed: 1 << 20, Unpacked: 4 << 20, File: 1 << 20, Files: 20_000, Nesting: 2, Name: 1024}
	for name, packed := range map[string][]byte{
		"one file that claims 2 GiB":   bomb(t, 2<<30),
		"many files at the limit":      manyFiles(t, 100, 1<<20),
		"many empty files":             manyFiles(t, 25_000, 0),
		"long names that nobody keeps": longNames(t, 30),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, problems := chart.OpenCatalogue(fstest.MapFS{"bomb.tgz": {Data: packed}}, limits)
			runtime.ReadMemStats(&after)
			if len(problems) != 1 || !errors.Is(&problems[0], chart.ErrTooLarge) {
				t.Errorf("got %v, want one problem about size", problems)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 40 {
				t.Errorf("%d MiB were allocated before it was given up", used)
			}
		})
	}
}

// bomb is an archive whose single file claims so many bytes; 16 MiB of them are there.
func bomb(tb testing.TB, size int64) []byte {
	tb.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	if err := tar.NewWriter(zipped).WriteHeader(&tar.Header{Name: "x/a", Typeflag: tar.TypeReg, Size: size}); err != nil {
		tb.Fatal(err)
	}
	if _, err := io.CopyN(zipped, zeros{}, 16<<20); err != nil {
		tb.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// longNames is an archive of folders whose extended headers are large and say nothing.
func longNames(tb testing.TB, count int) []byte {
	tb.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for range count {
		header := &tar.Header{Name: "x/", Typeflag: tar.TypeDir, PAXRecords: map[string]string{"test.comment": strings.Repeat("a", 900<<10)}}
		if err := archive.WriteHeader(header); err != nil {
			tb.Fatal(err)
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

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func manyFiles(tb testing.TB, count int, size int64) []byte {
	tb.Helper()
	body := strings.Repeat("\x00", int(size))
	entries := make([]entry, count)
	for i := range entries {
		entries[i] = entry{name: "x/" + strings.Repeat("a", i%200+1) + string(rune('a'+i/200%26)) + string(rune('a'+i/5200)), body: body}
	}
	return tgz(tb, entries...)
}

func nestedArchives(tb testing.TB, depth int) string {
	tb.Helper()
	packed := tgz(tb, small("x", "x", "1.0.0")...)
	for range depth {
		packed = tgz(tb, append(small("x", "x", "1.0.0"), entry{name: "x/charts/a.tgz", body: string(packed)})...)
	}
	return string(packed)
}
