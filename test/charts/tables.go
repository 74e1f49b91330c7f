package charts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// TablesImage is the name of the folder WriteTables writes to, the last part of the image's name.
const TablesImage = "gitlab-siphon-tables"

// WriteTables writes an OCI image layout with a few tables into a folder of dir, once for each GitLab version that the
// test chart gitlab deploys: what a Siphon reads where no registry can be asked. The real image has some hundred tables.
func WriteTables(dir string) error {
	content, err := tables()
	if err != nil {
		return err
	}
	at, err := layout.Write(filepath.Join(dir, TablesImage), empty.Index)
	if err != nil {
		return fmt.Errorf("begin the layout of the tables: %w", err)
	}
	for _, version := range Versions() {
		app, err := AppVersion(version)
		if err != nil {
			return err
		}
		image, err := mutate.AppendLayers(empty.Image, static.NewLayer(content, types.OCILayer))
		if err != nil {
			return fmt.Errorf("make the tables image of GitLab %s: %w", app, err)
		}
		named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": "v" + app + "-ee"})
		if err := at.AppendImage(image, named); err != nil {
			return fmt.Errorf("write the tables image of GitLab %s: %w", app, err)
		}
	}
	return nil
}

// tables is a layer with three tables, with the same bytes on every run.
func tables() ([]byte, error) {
	files := map[string]string{
		"tables/merge_requests.yml": "table: merge_requests\nprimary_keys: [id]\n",
		"tables/projects.yml":       "table: projects\nprimary_keys: [id]\n",
		"tables/users.yml":          "table: users\nprimary_keys: [id]\n",
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	for _, name := range names {
		header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), ModTime: time.Unix(0, 0)}
		if err := packed.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
		if _, err := packed.Write([]byte(files[name])); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
	}
	if err := packed.Close(); err != nil {
		return nil, fmt.Errorf("pack the tables: %w", err)
	}
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("pack the tables: %w", err)
	}
	return out.Bytes(), nil
}
