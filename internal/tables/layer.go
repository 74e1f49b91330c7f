package tables

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// readLayer unpacks one layer below those already read. Nothing of it counts until all of it has the digest its manifest
// names; the caller drops everything at the first error.
func readLayer(ctx context.Context, from blobs, layer v1.Descriptor, u *unpacking) error {
	stream, err := from.blob(ctx, layer)
	if err != nil {
		return err
	}
	checked, err := newChecked(stream, layer)
	if err != nil {
		return errors.Join(err, stream.Close())
	}
	stored, err := partial.CompressedToLayer(storedLayer{checked})
	if err != nil {
		return fmt.Errorf("open a layer: %w", errors.Join(err, stream.Close()))
	}
	plain, err := stored.Uncompressed()
	if err != nil {
		return unpackFault(errors.Join(err, stream.Close()))
	}
	err = u.layer(ctx, plain)
	if err == nil {
		err = checked.finish()
	}
	if closeErr := plain.Close(); err == nil && closeErr != nil {
		err = unpackFault(closeErr)
	}
	return err
}

// unpackFault says what a broken layer means: the network's and our own errors stay what they are, the rest is damage.
func unpackFault(err error) error {
	var ours *fault
	if errors.As(err, &ours) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return faultf(ErrImage, "a layer is damaged or was cut off")
}

// checked counts and hashes what is read of a layer.
type checked struct {
	io.ReadCloser
	layer v1.Descriptor
	hash  hash.Hash
	size  int64
}

func newChecked(stream io.ReadCloser, layer v1.Descriptor) (*checked, error) {
	h, err := v1.Hasher(layer.Digest.Algorithm)
	if err != nil {
		return nil, faultf(ErrImage, "a layer has a digest that is not sha256 or sha512")
	}
	return &checked{ReadCloser: stream, layer: layer, hash: h}, nil
}

// Read reads on and fails as soon as there is more than the manifest said.
func (c *checked) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.size += int64(n)
	c.hash.Write(p[:n])
	if c.size > c.layer.Size {
		return 0, faultf(ErrImage, "a layer is larger than its manifest says")
	}
	return n, err //nolint:wrapcheck // io.EOF has to stay what it is
}

// finish reads what is left and compares size and digest with the manifest.
func (c *checked) finish() error {
	if _, err := io.Copy(io.Discard, c); err != nil {
		return unpackFault(err)
	}
	if c.size != c.layer.Size || hex.EncodeToString(c.hash.Sum(nil)) != c.layer.Digest.Hex {
		return faultf(ErrImage, "a layer is not the one its manifest names")
	}
	return nil
}

// storedLayer lets the library find out how a layer is compressed; it asks for nothing but the stream.
type storedLayer struct{ *checked }

// Digest is the digest the manifest gives.
func (s storedLayer) Digest() (v1.Hash, error) { return s.layer.Digest, nil }

// Size is the size the manifest gives, in bytes.
func (s storedLayer) Size() (int64, error) { return s.layer.Size, nil }

// MediaType is the type the manifest gives.
func (s storedLayer) MediaType() (types.MediaType, error) { return s.layer.MediaType, nil }

// Compressed is the stream, which can be read once.
func (s storedLayer) Compressed() (io.ReadCloser, error) { return s.checked, nil }
