package tables

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/portcullis-operator/portcullis/internal/tableset"
)

// Markers of the image format: a file of this prefix hides its namesake of the layers below, the opaque one everything
// its folder held there.
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
)

// unpacking collects the tables of an image, the top layer first: what a higher layer wrote or hid is never read again,
// so the budget counts what the image really holds.
type unpacking struct {
	files map[string][]byte
	size  int
	// taken are paths a higher layer has something at, with true where nothing below the path shows through either.
	taken   map[string]bool
	opaque  map[string]bool
	entries int
	left    int64
}

func newUnpacking() *unpacking {
	return &unpacking{files: map[string][]byte{}, taken: map[string]bool{}, opaque: map[string]bool{}, left: maxUnpacked}
}

// written is what one layer does to those below it. It takes effect when the layer is read: a layer hides nothing of
// its own.
type written struct {
	taken, hides, opaque map[string]bool
}

// layer reads one layer to its end.
func (u *unpacking) layer(ctx context.Context, plain io.Reader) error {
	stream := &counted{ctx: ctx, inner: plain, left: &u.left}
	w := written{taken: map[string]bool{}, hides: map[string]bool{}, opaque: map[string]bool{}}
	for archive := tar.NewReader(stream); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unpackFault(err)
		}
		if err := u.entry(header, archive, w); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, stream); err != nil {
		return unpackFault(err)
	}
	for name, whole := range w.taken {
		u.taken[name] = u.taken[name] || whole
	}
	for name := range w.hides {
		u.taken[name] = true
	}
	maps.Copy(u.opaque, w.opaque)
	return nil
}

// entry judges one entry of a layer.
func (u *unpacking) entry(header *tar.Header, content io.Reader, w written) error {
	if u.entries++; u.entries > maxEntries {
		return faultf(ErrImage, "it has more than %d files and folders", maxEntries)
	}
	name, err := entryName(header.Name)
	if err != nil || name == "." {
		return err
	}
	folder, base := path.Split(name)
	if strings.HasPrefix(base, whiteout) {
		w.hide(path.Clean(folder), base)
		return nil
	}
	w.take(name, header.Typeflag != tar.TypeDir)
	if u.hidden(name) {
		return nil
	}
	// What is kept at a path nothing above hides is of this layer, whose last word on it counts.
	u.size -= len(u.files[name])
	delete(u.files, name)
	if header.Typeflag == tar.TypeDir || !isTables(name) {
		return nil
	}
	if header.Typeflag != tar.TypeReg {
		return faultf(ErrImage, "%q is a link or a device, and only files are read", name)
	}
	return u.keep(name, header.Size, content)
}

// keep reads one file of tables, if it fits.
func (u *unpacking) keep(name string, size int64, content io.Reader) error {
	if size > int64(tableset.Limit-u.size) {
		return &fault{kind: ErrTooLarge}
	}
	if len(u.files) == maxFiles {
		return faultf(ErrImage, "it has more than %d files of tables", maxFiles)
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return unpackFault(fmt.Errorf("read a file of a layer: %w", err))
	}
	u.files[name] = data
	u.size += len(data)
	return nil
}

// hidden reports whether a higher layer has something else at the path, or hides it.
func (u *unpacking) hidden(name string) bool {
	if _, taken := u.taken[name]; taken {
		return true
	}
	for folder := path.Dir(name); ; folder = path.Dir(folder) {
		if u.taken[folder] || u.opaque[folder] {
			return true
		}
		if folder == "." {
			return false
		}
	}
}

// take notes what a layer has at a path: a file hides all below it, a folder only a file of its name.
func (w written) take(name string, whole bool) {
	w.taken[name] = whole
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if _, known := w.taken[folder]; known {
			return
		}
		w.taken[folder] = false
	}
}

// hide notes a whiteout. Other markers of that shape are bookkeeping of a storage driver.
func (w written) hide(folder, base string) {
	switch name := strings.TrimPrefix(base, whiteout); {
	case base == opaque:
		w.opaque[folder] = true
	case name != "" && !strings.HasPrefix(name, whiteout):
		// The layer may itself have a folder there; that it hides the one below stays true.
		w.hides[path.Join(folder, name)] = true
	}
}

// entryName returns the clean path of an entry. A name that leads out of the root is refused with the whole image:
// nothing that builds images writes one.
func entryName(name string) (string, error) {
	clean := path.Clean(name)
	switch {
	case name == "", strings.HasPrefix(name, "/"), strings.ContainsRune(name, 0), clean != "." && !fs.ValidPath(clean),
		strings.HasPrefix(name, "../"), strings.Contains(name, "/../"), strings.HasSuffix(name, "/.."):
		return "", faultf(ErrImage, "it has a file whose path is absolute, has .. or is no text")
	case len(name) > maxNameLength, strings.Count(clean, "/") > maxDepth:
		return "", faultf(ErrImage, "it has a file whose path is longer than %d bytes or %d folders", maxNameLength, maxDepth)
	}
	return clean, nil
}

// isTables reports whether a file can hold tables.
func isTables(name string) bool {
	extension := path.Ext(name)
	return extension == ".yaml" || extension == ".yml"
}

// counted is the unpacked stream of a layer; all layers share what is left.
type counted struct {
	ctx   context.Context //nolint:containedctx // it ends with the reading of one layer
	inner io.Reader
	left  *int64
}

// Read reads on while there is budget and time left.
func (c *counted) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, fmt.Errorf("unpack a layer: %w", err)
	}
	n, err := c.inner.Read(p)
	if *c.left -= int64(n); *c.left < 0 {
		return 0, faultf(ErrImage, "its layers unpack to more than %d MiB", maxUnpacked>>20)
	}
	return n, err //nolint:wrapcheck // io.EOF has to stay what it is
}
