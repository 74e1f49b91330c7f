package tables

import (
	"bytes"
	"context"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// blobs is where the parts of one image come from.
type blobs interface {
	// manifest returns a manifest by its digest, not larger than maxManifest.
	manifest(ctx context.Context, digest v1.Hash) ([]byte, error)
	// blob opens a layer as it is stored. What it yields is checked by the caller.
	blob(ctx context.Context, layer v1.Descriptor) (io.ReadCloser, error)
}

// readImage returns the tables of the image whose manifest or index is top.
func readImage(ctx context.Context, from blobs, top []byte) (map[string][]byte, error) {
	raw, err := platformManifest(ctx, from, top)
	if err != nil {
		return nil, err
	}
	manifest, err := v1.ParseManifest(bytes.NewReader(raw))
	if err != nil || len(manifest.Layers) == 0 {
		return nil, faultf(ErrImage, "its manifest names no layers")
	}
	if err := checkLayers(manifest.Layers); err != nil {
		return nil, err
	}
	u := newUnpacking()
	for _, layer := range slices.Backward(manifest.Layers) {
		if err := readLayer(ctx, from, layer, u); err != nil {
			return nil, err
		}
	}
	if len(u.files) == 0 {
		return nil, faultf(ErrImage, "it holds no YAML file")
	}
	return u.files, nil
}

// platformManifest follows an index to one of its images; a manifest is returned as it is. An index within an index is
// not followed: no builder makes one.
func platformManifest(ctx context.Context, from blobs, top []byte) ([]byte, error) {
	index, err := v1.ParseIndexManifest(bytes.NewReader(top))
	if err != nil {
		return nil, faultf(ErrImage, "its manifest cannot be read")
	}
	if len(index.Manifests) == 0 {
		return top, nil
	}
	picked := -1
	for i, m := range index.Manifests {
		switch {
		case !m.MediaType.IsImage():
		case m.Platform != nil && m.Platform.OS == "unknown": // An attestation: signatures and bills of material.
		case picked < 0, m.Platform != nil && m.Platform.OS == "linux" && m.Platform.Architecture == "amd64":
			picked = i
		}
	}
	if picked < 0 {
		return nil, faultf(ErrImage, "its index names no image")
	}
	return from.manifest(ctx, index.Manifests[picked].Digest)
}

// checkLayers refuses before anything is fetched.
func checkLayers(layers []v1.Descriptor) error {
	if len(layers) > maxLayers {
		return faultf(ErrImage, "it has %d layers, %d are read", len(layers), maxLayers)
	}
	left := int64(maxCompressed)
	for _, layer := range layers {
		switch {
		case layer.Size < 0 || layer.Size > left:
			return faultf(ErrImage, "its layers have more than %d MiB", maxCompressed>>20)
		case len(layer.URLs) > 0 || !layer.MediaType.IsDistributable():
			return faultf(ErrImage, "a layer lies outside its registry")
		case !layer.MediaType.IsLayer():
			return faultf(ErrImage, "a layer is no file system")
		}
		left -= layer.Size
	}
	return nil
}
