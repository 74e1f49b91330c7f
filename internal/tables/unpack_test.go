package tables_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/portcullis-operator/portcullis/internal/tables"
	"github.com/portcullis-operator/portcullis/internal/tableset"
)

func TestWhatAnImageHolds(t *testing.T) {
	file := func(name, content string) tarFile { return tarFile{name: name, content: content} }
	for name, c := range map[string]struct {
		// layers are the lowest first, as a manifest lists them.
		layers [][]tarFile
		want   map[string]string
	}{
		"YAML files of every folder and nothing else": {
			layers: [][]tarFile{{{name: "main/"}, file("main/a.yaml", "1"), file("./b.yml", "2"), file("README.md", "3"), file("yaml", "4")}},
			want:   map[string]string{"main/a.yaml": "1", "b.yml": "2"},
		},
		"a higher layer replaces a file": {
			layers: [][]tarFile{{file("a.yaml", "old"), file("b.yaml", "1")}, {file("a.yaml", "new")}},
			want:   map[string]string{"a.yaml": "new", "b.yaml": "1"},
		},
		"a whiteout hides a file": {
			layers: [][]tarFile{{file("a.yaml", "1"), file("b.yaml", "2")}, {file(".wh.a.yaml", "")}},
			want:   map[string]string{"b.yaml": "2"},
		},
		"a whiteout hides a folder with all below it": {
			layers: [][]tarFile{{file("main/sub/a.yaml", "1"), file("b.yaml", "2")}, {file(".wh.main", "")}},
			want:   map[string]string{"b.yaml": "2"},
		},
		"a whiteout hides nothing of its own layer, in whatever order": {
			layers: [][]tarFile{{file("main/a.yaml", "1")}, {{name: "main/"}, file("main/b.yaml", "2"), file(".wh.main", "")}},
			want:   map[string]string{"main/b.yaml": "2"},
		},
		"a folder made again after a whiteout stays empty of what was below": {
			layers: [][]tarFile{{file("main/a.yaml", "1")}, {file(".wh.main", ""), {name: "main/"}, file("main/b.yaml", "2")}},
			want:   map[string]string{"main/b.yaml": "2"},
		},
		"a whiteout hides nothing of a layer above": {
			layers: [][]tarFile{{file("a.yaml", "1")}, {file(".wh.a.yaml", "")}, {file("a.yaml", "3")}},
			want:   map[string]string{"a.yaml": "3"},
		},
		"an opaque folder hides what lower layers have in it": {
			layers: [][]tarFile{{file("main/a.yaml", "1"), file("b.yaml", "2")}, {file("main/.wh..wh..opq", ""), file("main/c.yaml", "3")}},
			want:   map[string]string{"b.yaml": "2", "main/c.yaml": "3"},
		},
		"an opaque root hides everything": {
			layers: [][]tarFile{{file("main/a.yaml", "1")}, {file(".wh..wh..opq", ""), file("c.yaml", "3")}},
			want:   map[string]string{"c.yaml": "3"},
		},
		"bookkeeping of a storage driver hides nothing": {
			layers: [][]tarFile{{file("a.yaml", "1")}, {file(".wh..wh.plnk", "")}},
			want:   map[string]string{"a.yaml": "1"},
		},
		"a file in the place of a folder hides all below it": {
			layers: [][]tarFile{{file("main/a.yaml", "1"), file("b.yaml", "2")}, {file("main", "")}},
			want:   map[string]string{"b.yaml": "2"},
		},
		"a folder in the place of a file hides it": {
			layers: [][]tarFile{{file("main.yaml", "1")}, {file("main.yaml/b.yaml", "2")}},
			want:   map[string]string{"main.yaml/b.yaml": "2"},
		},
		"the last entry of one name counts": {
			layers: [][]tarFile{{file("a.yaml", "1"), file("a.yaml", "2"), file("b.yaml", "1"), {name: "b.yaml/"}}},
			want:   map[string]string{"a.yaml": "2"},
		},
		"an entry twice below a layer that has it": {
			layers: [][]tarFile{{file("a.yaml", "1"), file("a.yaml", "2")}, {file("a.yaml", "3")}},
			want:   map[string]string{"a.yaml": "3"},
		},
		"links that are no tables are passed over": {
			layers: [][]tarFile{{file("a.yaml", "1"), {name: "bin", content: "usr/bin", kind: tar.TypeSymlink}, {name: "sh", content: "bin/busybox", kind: tar.TypeLink}}},
			want:   map[string]string{"a.yaml": "1"},
		},
		"a link a higher layer replaced by a file": {
			layers: [][]tarFile{{{name: "a.yaml", content: "/etc/passwd", kind: tar.TypeSymlink}}, {file("a.yaml", "1")}},
			want:   map[string]string{"a.yaml": "1"},
		},
		"as much as a ConfigMap takes, what is replaced not counted": {
			layers: [][]tarFile{{file("a.yaml", strings.Repeat("y", tableset.Limit))}, {file("a.yaml", strings.Repeat("x", tableset.Limit))}},
			want:   map[string]string{"a.yaml": strings.Repeat("x", tableset.Limit)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var layers []v1.Layer
			for _, entries := range c.layers {
				layers = append(layers, layerOf(t, entries...))
			}
			content, err := read(t, imageOf(t, layers...))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for path, data := range content.Files {
				got[path] = string(data)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestImagesThatAreRefused(t *testing.T) {
	many := make([]tarFile, 20001)
	for i := range many {
		many[i] = tarFile{name: fmt.Sprintf("f%d", i)}
	}
	tablesFiles := make([]tarFile, 4097)
	for i := range tablesFiles {
		tablesFiles[i] = tarFile{name: fmt.Sprintf("f%d.yaml", i)}
	}
	for name, c := range map[string]struct {
		entries []tarFile
		want    error
	}{
		"no YAML file":                       {entries: []tarFile{{name: "a.txt"}}, want: tables.ErrImage},
		"an absolute path":                   {entries: []tarFile{{name: "/a.yaml"}}, want: tables.ErrImage},
		"a path that leads out":              {entries: []tarFile{{name: "../a.yaml"}}, want: tables.ErrImage},
		"a path that leads out further down": {entries: []tarFile{{name: "main/../../a.yaml"}}, want: tables.ErrImage},
		"a path with .. that stays inside":   {entries: []tarFile{{name: "main/../a.yaml"}}, want: tables.ErrImage},
		"a whiteout that leads out":          {entries: []tarFile{{name: "../.wh.a.yaml"}}, want: tables.ErrImage},
		"a path that is no text":             {entries: []tarFile{{name: "\xff.yaml"}}, want: tables.ErrImage},
		"a very long path":                   {entries: []tarFile{{name: strings.Repeat("a", 1025)}}, want: tables.ErrImage},
		"a very deep path":                   {entries: []tarFile{{name: strings.Repeat("a/", 40) + "a.yaml"}}, want: tables.ErrImage},
		"a symbolic link to tables":          {entries: []tarFile{{name: "a.yaml", content: "/etc/passwd", kind: tar.TypeSymlink}}, want: tables.ErrImage},
		"a hard link to tables":              {entries: []tarFile{{name: "b.yaml"}, {name: "a.yaml", content: "b.yaml", kind: tar.TypeLink}}, want: tables.ErrImage},
		"a device as tables":                 {entries: []tarFile{{name: "a.yaml", kind: tar.TypeChar}}, want: tables.ErrImage},
		"very many entries":                  {entries: many, want: tables.ErrImage},
		"very many tables":                   {entries: tablesFiles, want: tables.ErrImage},
		"one file that does not fit":         {entries: []tarFile{{name: "a.yaml", content: strings.Repeat("x", tableset.Limit+1)}}, want: tables.ErrTooLarge},
		"files that do not fit together": {entries: []tarFile{
			{name: "a.yaml", content: strings.Repeat("x", tableset.Limit)}, {name: "b.yaml", content: "x"},
		}, want: tables.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			content, err := read(t, imageOf(t, layerOf(t, c.entries...)))
			refused(t, content, err, c.want)
		})
	}
}

func TestALayerBombIsCutOff(t *testing.T) {
	const zeros = 300 << 20
	var head strings.Builder
	w := tar.NewWriter(&head)
	if err := w.WriteHeader(&tar.Header{Name: "zeros", Typeflag: tar.TypeReg, Size: zeros}); err != nil {
		t.Fatal(err)
	}
	// Streams of gzip that follow each other are one stream, so a megabyte has to be packed only once.
	megabyte := zipped(t, bytes.NewReader(make([]byte, 1<<20)))
	packed := append(zipped(t, strings.NewReader(head.String())), bytes.Repeat(megabyte, zeros>>20)...)
	bomb := static.NewLayer(packed, types.OCILayer)
	content, err := read(t, imageOf(t, layerOf(t, tarFile{name: "a.yaml", content: "1"}), bomb))
	refused(t, content, err, tables.ErrImage)
	if !strings.Contains(err.Error(), "unpack to more than 256 MiB") {
		t.Errorf("refused for something else: %v", err)
	}
}

func TestALayerThatIsNoArchiveIsDamaged(t *testing.T) {
	for name, raw := range map[string][]byte{
		"text":               []byte("this is no archive, whatever its manifest says about it"),
		"half of an archive": zipped(t, strings.NewReader("a.yaml"))[:12],
	} {
		t.Run(name, func(t *testing.T) {
			content, err := read(t, imageOf(t, static.NewLayer(raw, types.OCILayer)))
			refused(t, content, err, tables.ErrImage)
		})
	}
}

// read pushes an image and reads it back.
func read(t *testing.T, image v1.Image) (tables.Content, error) {
	t.Helper()
	s := open(t)
	reference := s.sell(t, "tables:v1", image)
	return tables.Registry{Transport: s.transport()}.Read(t.Context(), reference, nil)
}

// refused checks that an image was refused for the reason, with nothing of it handed out.
func refused(t *testing.T, content tables.Content, err, want error) {
	t.Helper()
	var fetch *tables.FetchError
	if !errors.As(err, &fetch) || !errors.Is(err, want) {
		t.Fatalf("want a FetchError for %q, got %v", want, err)
	}
	if diff := cmp.Diff(tables.Content{}, content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	t.Log(err)
}
