package charts

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// Archive returns one version packed as Helm packs a chart. The same version gives the same bytes on every run, so the
// digest of an archive can stand for its content.
func (c Chart) Archive(version string) ([]byte, error) {
	files, err := c.Files(version)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for _, name := range archiveOrder(files) {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: path.Join(c.name, name), Mode: 0o644, Size: int64(len(files[name])),
			ModTime: time.Unix(0, 0).UTC(), Format: tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
		if _, err := archive.Write(files[name]); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("pack chart %s %s: %w", c.name, version, err)
	}
	if err := packed.Close(); err != nil {
		return nil, fmt.Errorf("pack chart %s %s: %w", c.name, version, err)
	}
	return out.Bytes(), nil
}

// WriteArchives writes <dir>/<name>-<version>.tgz for each version, or for all of Versions when none is given. The folder
// is made if it is not there; an archive that is there is replaced.
func (c Chart) WriteArchives(dir string, versions ...string) error {
	if len(versions) == 0 {
		versions = c.versions
	}
	for _, version := range versions {
		content, err := c.Archive(version)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, fmt.Sprintf("%s-%s.tgz", c.name, version)), content); err != nil {
			return err
		}
	}
	return nil
}

// WriteFolder writes one version unpacked, to <dir>/<name>-<version>/Chart.yaml and so on.
func (c Chart) WriteFolder(dir, version string) error {
	files, err := c.Files(version)
	if err != nil {
		return err
	}
	root := filepath.Join(dir, fmt.Sprintf("%s-%s", c.name, version))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := writeFile(filepath.Join(root, filepath.FromSlash(name)), files[name]); err != nil {
			return err
		}
	}
	return nil
}

// Archive returns one version of the GitLab chart packed, as Chart.Archive does.
func Archive(version string) ([]byte, error) { return GitLab().Archive(version) }

// WriteArchives writes versions of the GitLab chart, as Chart.WriteArchives does.
func WriteArchives(dir string, versions ...string) error {
	return GitLab().WriteArchives(dir, versions...)
}

// WriteFolder writes one version of the GitLab chart unpacked, as Chart.WriteFolder does.
func WriteFolder(dir, version string) error { return GitLab().WriteFolder(dir, version) }

// archiveOrder puts Chart.yaml first, as Helm does, so that a reader of a stream knows early what it reads.
func archiveOrder(files map[string][]byte) []string {
	names := slices.Sorted(maps.Keys(files))
	first := slices.Index(names, "Chart.yaml")
	return slices.Insert(slices.Delete(names, first, first+1), 0, "Chart.yaml")
}

func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write test chart: %w", err)
	}
	if err := os.WriteFile(name, content, 0o644); err != nil {
		return fmt.Errorf("write test chart: %w", err)
	}
	return nil
}
