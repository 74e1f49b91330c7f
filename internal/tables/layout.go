package tables

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// annotationRefName is where the tools that write image layouts note what they were asked for: a tag or a reference.
const annotationRefName = "org.opencontainers.image.ref.name"

// Layout reads images from a folder of OCI image layouts, one folder each, for clusters without a way to a registry.
// The layout of registry.example.com/group/siphon-tables:v1 is found in this order:
//
//   - a reference by digest is answered by whichever index.json lists that digest;
//   - an entry of an index.json whose ref.name annotation is the whole reference;
//   - the folder siphon-tables, and in it the entry whose ref.name annotation is the tag v1;
//   - the folder siphon-tables-v1, if its index.json has one entry.
//
// Pull Secrets are not looked at. Its methods may run at the same time.
type Layout struct {
	// FS is the folder that holds the layouts.
	FS fs.FS
}

// Digest returns the digest of the image the folder holds for the reference. Every error is a *FetchError.
func (l Layout) Digest(ctx context.Context, image string, _ []byte) (string, error) {
	_, found, err := l.find(ctx, image)
	if err != nil {
		return "", failed(image, credentials{}, err)
	}
	return found.Digest.String(), nil
}

// Read returns the tables of the image the folder holds for the reference. Every error is a *FetchError.
func (l Layout) Read(ctx context.Context, image string, _ []byte) (Content, error) {
	ctx, cancel := context.WithTimeout(ctx, maxReadTime)
	defer cancel()
	content, err := l.read(ctx, image)
	if err != nil {
		return Content{}, failed(image, credentials{}, err)
	}
	return content, nil
}

func (l Layout) read(ctx context.Context, image string) (Content, error) {
	folder, found, err := l.find(ctx, image)
	if err != nil {
		return Content{}, err
	}
	stored, err := fs.Sub(l.FS, folder)
	if err != nil {
		return Content{}, fmt.Errorf("open the layout: %w", err)
	}
	top, err := onDisk{stored}.manifest(ctx, found.Digest)
	if err != nil {
		return Content{}, err
	}
	files, err := readImage(ctx, onDisk{stored}, top)
	if err != nil {
		return Content{}, err
	}
	return Content{Digest: found.Digest.String(), Files: files}, nil
}

// find returns the folder and the entry of its index that answer best for the reference.
func (l Layout) find(ctx context.Context, image string) (string, v1.Descriptor, error) {
	reference, err := parseReference(image, false)
	if err != nil {
		return "", v1.Descriptor{}, err
	}
	if l.FS == nil {
		return "", v1.Descriptor{}, faultf(ErrNotFound, "there is no folder of image layouts")
	}
	folders, err := fs.ReadDir(l.FS, ".")
	if err != nil {
		return "", v1.Descriptor{}, faultf(ErrUnreachable, "the folder of image layouts cannot be read")
	}
	best, folder, damaged, found := noMatch, "", "", v1.Descriptor{}
	for _, f := range folders {
		if err := ctx.Err(); err != nil {
			return "", v1.Descriptor{}, fmt.Errorf("look for the layout: %w", err)
		}
		entries, ok := l.entries(f.Name())
		if !ok {
			damaged = fmt.Sprintf(", and that of %q cannot be read", f.Name())
		}
		for _, entry := range entries {
			if m := match(reference, f.Name(), entry, len(entries)); m > best {
				best, folder, found = m, f.Name(), entry
			}
		}
	}
	if best == noMatch {
		return "", v1.Descriptor{}, faultf(ErrNotFound, "no image layout in the folder is for it%s", damaged)
	}
	return folder, found, nil
}

// entries returns what the index of a layout lists, nothing for what is no layout, and false for a damaged one.
func (l Layout) entries(folder string) ([]v1.Descriptor, bool) {
	file := path.Join(folder, "index.json")
	if _, err := fs.Stat(l.FS, file); err != nil {
		return nil, true
	}
	raw, err := readLimited(l.FS, file, maxManifest)
	if err != nil {
		return nil, false
	}
	index, err := v1.ParseIndexManifest(bytes.NewReader(raw))
	if err != nil {
		return nil, false
	}
	return index.Manifests, true
}

// How well an entry of a layout answers for a reference, from not at all to beyond doubt.
const (
	noMatch = iota
	byFolder
	byFolderAndTag
	byReference
	byDigest
)

// match judges one of the entries of the index in a folder.
func match(reference name.Reference, folder string, entry v1.Descriptor, entries int) int {
	if digest, ok := reference.(name.Digest); ok {
		if entry.Digest.String() == digest.DigestStr() {
			return byDigest
		}
		return noMatch
	}
	noted := entry.Annotations[annotationRefName]
	if full, err := name.ParseReference(noted, name.WeakValidation); err == nil && full.Name() == reference.Name() {
		return byReference
	}
	last, tag := path.Base(reference.Context().RepositoryStr()), reference.Identifier()
	switch {
	case folder == last && noted == tag:
		return byFolderAndTag
	case folder == last+"-"+tag && entries == 1:
		return byFolder
	}
	return noMatch
}

// onDisk is one image layout.
type onDisk struct{ fs.FS }

// manifest reads and checks a manifest.
func (d onDisk) manifest(_ context.Context, digest v1.Hash) ([]byte, error) {
	raw, err := readLimited(d.FS, blobPath(digest), maxManifest)
	if err != nil {
		return nil, faultf(ErrImage, "the layout lacks the manifest %s, or it is too large", digest)
	}
	hash, err := v1.Hasher(digest.Algorithm)
	if err != nil {
		return nil, faultf(ErrImage, "a manifest has a digest that is not sha256 or sha512")
	}
	hash.Write(raw)
	if hex.EncodeToString(hash.Sum(nil)) != digest.Hex {
		return nil, faultf(ErrImage, "a manifest is not the one its index names")
	}
	return raw, nil
}

// blob opens a layer.
func (d onDisk) blob(_ context.Context, layer v1.Descriptor) (io.ReadCloser, error) {
	file, err := d.Open(blobPath(layer.Digest))
	if err != nil {
		return nil, faultf(ErrImage, "the layout lacks the layer %s", layer.Digest)
	}
	return file, nil
}

// blobPath is where a layout keeps what has this digest. The library only reads digests of known algorithms and of hex
// digits, so it never leads out of the layout.
func blobPath(digest v1.Hash) string { return path.Join("blobs", digest.Algorithm, digest.Hex) }

// readLimited reads a file that may have at most limit bytes.
func readLimited(from fs.FS, name string, limit int64) ([]byte, error) {
	file, err := from.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("read %s: more than %d bytes", name, limit)
	}
	return data, nil
}
