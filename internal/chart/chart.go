package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
)

// Ref names a chart: the name and version of its Chart.yaml, whatever its file is called.
type Ref struct {
	Name    string
	Version string
}

// String returns "gitlab 10.4.1".
func (r Ref) String() string { return r.Name + " " + r.Version }

// Chart is one chart at hand. It is immutable and may be shared by any number of goroutines.
type Chart struct {
	// Ref is the name and version of Chart.yaml.
	Ref Ref
	// AppVersion is the version of the application, as Chart.yaml states it.
	AppVersion string
	// Digest is the sha256 of the file set, in hex. Equal digests mean equal charts.
	Digest string

	limits Limits
	packed []byte // a gzipped tar; nil when the chart was made from files
	files  []File // in name order; nil when packed is set
}

// FromFiles makes a chart of files that are already in memory. The data is kept, not copied. The error is a *Problem.
func FromFiles(files []File, limits Limits) (*Chart, error) {
	b := newBudget(limits)
	own := make([]File, 0, len(files))
	for _, f := range files {
		if err := checkName(f.Name, limits.Name); err != nil {
			return nil, err
		}
		if err := b.take(f.Name, int64(len(f.Data))); err != nil {
			return nil, err
		}
		own = append(own, File{Name: f.Name, Data: bytes.TrimPrefix(f.Data, []byte(byteOrderMark))})
	}
	own, err := arrange(own, b)
	if err != nil {
		return nil, err
	}
	c, err := describe(own, limits)
	if err != nil {
		return nil, err
	}
	c.files = own
	return c, nil
}

// fromArchive makes a chart that keeps the packed bytes.
func fromArchive(packed []byte, limits Limits) (*Chart, error) {
	if int64(len(packed)) > limits.Packed {
		return nil, problem(ErrTooLarge, "it is larger than %d MiB", limits.Packed>>20)
	}
	files, err := readArchive(packed, newBudget(limits))
	if err != nil {
		return nil, err
	}
	c, err := describe(files, limits)
	if err != nil {
		return nil, err
	}
	c.packed = packed
	return c, nil
}

// describe reads name and version from Chart.yaml alone: the rest is parsed when it is needed.
func describe(files []File, limits Limits) (*Chart, error) {
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == "Chart.yaml" })
	if i < 0 {
		return nil, problem(ErrUnreadable, "it has no Chart.yaml")
	}
	meta, err := load(files[i : i+1])
	if err != nil {
		return nil, problem(ErrUnreadable, "its Chart.yaml is not valid: %v", err)
	}
	return &Chart{
		Ref:        Ref{Name: meta.Metadata.Name, Version: meta.Metadata.Version},
		AppVersion: meta.Metadata.AppVersion,
		Digest:     digest(files),
		limits:     limits,
	}, nil
}

// Files returns the files of the chart in name order. The caller must not change their data.
func (c *Chart) Files() []File {
	if c.packed == nil {
		return slices.Clone(c.files)
	}
	files, err := readArchive(c.packed, newBudget(c.limits))
	if err != nil {
		// The same bytes were read under the same limits when the chart was made.
		panic(fmt.Sprintf("chart %s: %v", c.Ref, err))
	}
	return files
}

// Helm loads a fresh Helm chart, which the caller may change and must not reuse for a second render. The error is a
// *Problem: values.yaml and the subcharts are parsed only here.
func (c *Chart) Helm() (*helmchart.Chart, error) {
	files := c.Files()
	if c.packed == nil {
		for i := range files {
			files[i].Data = bytes.Clone(files[i].Data)
		}
	}
	loaded, err := load(files)
	if err != nil {
		return nil, problem(ErrUnreadable, "chart %s cannot be loaded: %v", c.Ref, err)
	}
	return loaded, nil
}

// load runs Helm's loader, which may panic on hostile YAML.
func load(files []File) (loaded *helmchart.Chart, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gave up: %v", r)
		}
	}()
	buffered := make([]*loader.BufferedFile, len(files))
	for i, f := range files {
		buffered[i] = &loader.BufferedFile{Name: f.Name, Data: f.Data}
	}
	loaded, err = loader.LoadFiles(buffered)
	if err != nil {
		return nil, fmt.Errorf("loading: %w", err)
	}
	return loaded, nil
}

// digest is the sha256 over every name and content with their lengths, in name order.
func digest(files []File) string {
	h := sha256.New()
	var length [8]byte
	part := func(data []byte) {
		binary.BigEndian.PutUint64(length[:], uint64(len(data)))
		h.Write(length[:])
		h.Write(data)
	}
	for _, f := range files {
		part([]byte(f.Name))
		part(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// pack makes the archive a folder is kept as. Speed counts more than size: it is done once per folder and start.
func pack(files []File) ([]byte, error) {
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("packing a chart folder: %w", err)
	}
	entries := tar.NewWriter(zipped)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: "chart/" + f.Name, Mode: 0o644, Size: int64(len(f.Data))}
		if err := entries.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.Name, err)
		}
		if _, err := entries.Write(f.Data); err != nil {
			return nil, fmt.Errorf("packing %s: %w", f.Name, err)
		}
	}
	if err := entries.Close(); err != nil {
		return nil, fmt.Errorf("packing a chart folder: %w", err)
	}
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("packing a chart folder: %w", err)
	}
	return out.Bytes(), nil
}
