package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
)

// File is one file of a chart. Name is relative to the chart folder, with forward slashes.
type File struct {
	Name string
	Data []byte
}

// budget is what is left of the limits while one chart is read, shared by the archives inside it.
type budget struct {
	limits   Limits
	stream   int64 // bytes that may still come out of decompression, tar headers included
	content  int64 // bytes of file content that may still be kept; sparse entries make it differ from stream
	files    int
	archives int
}

func newBudget(limits Limits) *budget {
	return &budget{limits: limits, stream: limits.Unpacked, content: limits.Unpacked, files: limits.Files, archives: limits.Nesting}
}

// take counts one file of the given size.
func (b *budget) take(name string, size int64) error {
	b.files--
	b.content -= size
	switch {
	case b.files < 0:
		return problem(ErrTooLarge, "it holds more than %d files", b.limits.Files)
	case size > b.limits.File:
		return problem(ErrTooLarge, "the file %q in it is larger than %d MiB", name, b.limits.File>>20)
	case b.content < 0:
		return b.tooMuch()
	}
	return nil
}

func (b *budget) tooMuch() error {
	return problem(ErrTooLarge, "it unpacks to more than %d MiB", b.limits.Unpacked>>20)
}

// meter stops a decompression at the budget: the error comes after the last allowed byte, not at the end of the bomb.
type meter struct {
	from   io.Reader
	budget *budget
}

func (m meter) Read(p []byte) (int, error) {
	if m.budget.stream <= 0 {
		return 0, m.budget.tooMuch()
	}
	if int64(len(p)) > m.budget.stream {
		p = p[:m.budget.stream]
	}
	n, err := m.from.Read(p)
	m.budget.stream -= int64(n)
	return n, err //nolint:wrapcheck // a reader hands io.EOF on as it is
}

// byteOrderMark is cut off the start of files, as Helm does.
const byteOrderMark = "\xEF\xBB\xBF"

// readArchive reads a packed chart, in name order. Archives of subcharts inside it are read as well, against the same
// budget, but kept as they are.
func readArchive(packed []byte, b *budget) ([]File, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, problem(ErrUnreadable, "it is no gzip archive")
	}
	var files []File
	entries := tar.NewReader(meter{from: unzipped, budget: b})
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return arrange(files, b)
		}
		if err != nil {
			return nil, damaged(err)
		}
		file, keep, err := readEntry(header, entries, b)
		if err != nil {
			return nil, err
		}
		if keep {
			files = append(files, file)
		}
	}
}

// readEntry reads one entry and reports whether it is a file to keep. Entries that are not kept count as well.
func readEntry(header *tar.Header, content io.Reader, b *budget) (File, bool, error) {
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		return File{}, false, b.take(header.Name, 0)
	case tar.TypeDir:
		if err := b.take(header.Name, 0); err != nil {
			return File{}, false, err
		}
		return File{}, false, checkName(strings.TrimSuffix(strings.ReplaceAll(header.Name, `\`, "/"), "/"), b.limits.Name)
	case tar.TypeReg, tar.TypeGNUSparse:
	default:
		return File{}, false, problem(ErrNoFile, "it holds %q, which is a link or a device; only files and folders are allowed", header.Name)
	}
	name, err := archiveName(header.Name, b.limits.Name)
	if err != nil {
		return File{}, false, err
	}
	if err := b.take(name, header.Size); err != nil {
		return File{}, false, err
	}
	data := make([]byte, header.Size)
	if _, err := io.ReadFull(content, data); err != nil {
		return File{}, false, damaged(err)
	}
	return File{Name: name, Data: bytes.TrimPrefix(data, []byte(byteOrderMark))}, true, nil
}

// damaged tells a limit that was hit while reading from content that cannot be read.
func damaged(err error) error {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	return problem(ErrUnreadable, "its content is damaged: %v", err)
}

// arrange sorts files by name, refuses a name that is there twice and looks into the archives of subcharts.
func arrange(files []File, b *budget) ([]File, error) {
	if len(files) == 0 {
		return nil, problem(ErrUnreadable, "it holds no files")
	}
	slices.SortFunc(files, func(x, y File) int { return strings.Compare(x.Name, y.Name) })
	for i, f := range files {
		if i > 0 && files[i-1].Name == f.Name {
			return nil, problem(ErrDuplicate, "it holds %q twice", f.Name)
		}
		if err := checkInner(f, b); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// checkInner reads the archive of a subchart, if the file is one, only to see that it keeps to the limits.
func checkInner(f File, b *budget) error {
	if !isSubchartArchive(f.Name) {
		return nil
	}
	if b.archives == 0 {
		return problem(ErrTooLarge, "archives lie more than %d deep in it", b.limits.Nesting)
	}
	b.archives--
	_, err := readArchive(f.Data, b)
	b.archives++
	if err != nil {
		p := in(f.Name, err)
		return &Problem{Sentence: "the subchart archive " + p.Error(), Cause: p.Cause}
	}
	return nil
}

// isSubchartArchive reports whether Helm would open the file as a packed subchart, at any depth of unpacked subcharts.
func isSubchartArchive(name string) bool {
	folder, base := path.Split(name)
	return path.Ext(base) == ".tgz" && base[0] != '.' && base[0] != '_' &&
		(folder == "charts/" || strings.HasSuffix(folder, "/charts/") && strings.HasPrefix(folder, "charts/"))
}
