package tables_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/portcullis-operator/portcullis/internal/tables"
)

const refName = "org.opencontainers.image.ref.name"

// stock is a folder of layouts.
type stock struct{ dir string }

// add puts an image into the layout of a folder, with a note of its name if there is one.
func (s stock) add(t *testing.T, folder, note string, image v1.Image) {
	t.Helper()
	at := filepath.Join(s.dir, folder)
	p, err := layout.FromPath(at)
	if err != nil {
		p, err = layout.Write(at, empty.Index)
	}
	if err != nil {
		t.Fatal(err)
	}
	var options []layout.Option
	if note != "" {
		options = append(options, layout.WithAnnotations(map[string]string{refName: note}))
	}
	if err := p.AppendImage(image, options...); err != nil {
		t.Fatal(err)
	}
}

func (s stock) source() tables.Layout { return tables.Layout{FS: os.DirFS(s.dir)} }

func TestWhichLayoutAnswers(t *testing.T) {
	one, two, three := oneTable(t, "one"), oneTable(t, "two"), oneTable(t, "three")
	for name, c := range map[string]struct {
		fill  func(s stock)
		image string
		want  string
	}{
		"an entry that notes the whole reference": {
			fill: func(s stock) {
				s.add(t, "x", "registry.example.com/group/tables:v1", one)
				s.add(t, "tables", "v1", two)
			},
			image: "registry.example.com/group/tables:v1", want: "one.yaml",
		},
		"the folder of the repository and the tag its entry notes": {
			fill: func(s stock) {
				s.add(t, "tables", "v1", one)
				s.add(t, "tables", "v2", two)
				s.add(t, "tables-v2", "", three)
			},
			image: "registry.example.com/group/tables:v2", want: "two.yaml",
		},
		"the folder of repository and tag": {
			fill:  func(s stock) { s.add(t, "tables-v1", "", one) },
			image: "registry.example.com/group/tables:v1", want: "one.yaml",
		},
		"a digest, wherever it is": {
			fill:  func(s stock) { s.add(t, "x", "", one); s.add(t, "tables", "v1", two) },
			image: "registry.example.com/group/tables:v1@" + digestOf(t, one), want: "one.yaml",
		},
		"another tag does not": {
			fill:  func(s stock) { s.add(t, "tables", "v1", one); s.add(t, "tables-v1", "", one) },
			image: "registry.example.com/group/tables:v2",
		},
		"a folder of several images does not without a note": {
			fill:  func(s stock) { s.add(t, "tables-v1", "", one); s.add(t, "tables-v1", "", two) },
			image: "registry.example.com/group/tables:v1",
		},
		"another registry's reference does not": {
			fill:  func(s stock) { s.add(t, "x", "registry.example.org/group/tables:v1", one) },
			image: "registry.example.com/group/tables:v1",
		},
		"another digest does not": {
			fill:  func(s stock) { s.add(t, "tables-v1", "v1", one) },
			image: "registry.example.com/group/tables@" + digestOf(t, two),
		},
		"an empty folder does not": {fill: func(stock) {}, image: "registry.example.com/group/tables:v1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := stock{dir: t.TempDir()}
			c.fill(s)
			digest, digestErr := s.source().Digest(t.Context(), c.image, nil)
			content, err := s.source().Read(t.Context(), c.image, nil)
			if c.want == "" {
				refused(t, content, err, tables.ErrNotFound)
				refused(t, content, digestErr, tables.ErrNotFound)
				return
			}
			if err != nil || digestErr != nil {
				t.Fatal(err, digestErr)
			}
			if _, ok := content.Files[c.want]; !ok || content.Digest != digest {
				t.Errorf("read %v of %s, want %s of %s", content.Files, content.Digest, c.want, digest)
			}
		})
	}
}

func TestALayoutAndARegistryReadTheSame(t *testing.T) {
	image := imageOf(t, layerOf(t, tarFile{name: "main/a.yaml", content: "a: 1\n"}), layerOf(t, tarFile{name: "b.yaml", content: "b: 1\n"}))
	fromRegistry, err := read(t, image)
	if err != nil {
		t.Fatal(err)
	}
	s := stock{dir: t.TempDir()}
	s.add(t, "tables", "v1", image)
	fromLayout, err := s.source().Read(t.Context(), "registry.example.com/tables:v1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromRegistry, fromLayout); diff != "" {
		t.Errorf("content (-registry +layout):\n%s", diff)
	}
}

func TestADamagedLayoutIsRefused(t *testing.T) {
	for name, damage := range map[string]func(files fstest.MapFS, manifest, layer string){
		"the manifest is missing":  func(files fstest.MapFS, manifest, _ string) { delete(files, manifest) },
		"the manifest was changed": func(files fstest.MapFS, manifest, _ string) { files[manifest].Data = append(files[manifest].Data, ' ') },
		"the layer is missing":     func(files fstest.MapFS, _, layer string) { delete(files, layer) },
		"the layer was cut":        func(files fstest.MapFS, _, layer string) { files[layer].Data = files[layer].Data[:20] },
		"the layer is longer":      func(files fstest.MapFS, _, layer string) { files[layer].Data = append(files[layer].Data, 0) },
		"the layer is another of the same size": func(files fstest.MapFS, _, layer string) {
			files[layer].Data[4]++ // A byte of the time stamp in the header of gzip: the content stays readable.
		},
	} {
		t.Run(name, func(t *testing.T) {
			image := oneTable(t, "users")
			s := stock{dir: t.TempDir()}
			s.add(t, "tables", "v1", image)
			layers, err := image.Layers()
			if err != nil {
				t.Fatal(err)
			}
			files := inMemory(t, s)
			damage(files, blob(digestOf(t, image)), blob(digestOf(t, layers[0])))
			content, err := tables.Layout{FS: files}.Read(t.Context(), "registry.example.com/tables:v1", nil)
			refused(t, content, err, tables.ErrImage)
		})
	}
}

func TestADamagedLayoutIsNoneOfTheOthersBusiness(t *testing.T) {
	s := stock{dir: t.TempDir()}
	s.add(t, "tables", "v1", oneTable(t, "users"))
	files := inMemory(t, s)
	files["another/index.json"] = &fstest.MapFile{Data: []byte("{")}
	files["README.md"] = &fstest.MapFile{Data: []byte("not a layout")}
	if _, err := (tables.Layout{FS: files}).Read(t.Context(), "registry.example.com/tables:v1", nil); err != nil {
		t.Error(err)
	}
	content, err := tables.Layout{FS: files}.Read(t.Context(), "registry.example.com/tables:v2", nil)
	refused(t, content, err, tables.ErrNotFound)
	if !strings.Contains(err.Error(), `"another"`) {
		t.Errorf("%q does not name the damaged layout", err)
	}
}

func TestWithoutAFolderNothingIsFound(t *testing.T) {
	content, err := tables.Layout{}.Read(t.Context(), "registry.example.com/tables:v1", nil)
	refused(t, content, err, tables.ErrNotFound)
	content, err = tables.Layout{FS: os.DirFS(filepath.Join(t.TempDir(), "missing"))}.Read(t.Context(), "registry.example.com/tables:v1", nil)
	refused(t, content, err, tables.ErrUnreachable)
	content, err = tables.Layout{FS: fstest.MapFS{}}.Read(t.Context(), "Not A Reference", nil)
	refused(t, content, err, tables.ErrReference)
}

// blob is where the layout in the folder tables keeps what has this digest.
func blob(digest string) string { return "tables/blobs/" + strings.Replace(digest, ":", "/", 1) }

// inMemory copies a stock, so that a test can damage it.
func inMemory(t *testing.T, s stock) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(s.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
