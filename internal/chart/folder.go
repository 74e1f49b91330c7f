package chart

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"helm.sh/helm/v3/pkg/ignore"
)

// readFolder reads a chart folder as Helm does: what .helmignore names is left out, hidden files in templates too.
func readFolder(folder fs.FS, b *budget) ([]File, error) {
	rules, err := ignoreRules(folder, b.limits)
	if err != nil {
		return nil, err
	}
	var files []File
	err = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return problem(ErrUnreadable, "%q in it cannot be read: %v", name, err)
		}
		if name == "." {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return problem(ErrUnreadable, "%q in it cannot be read: %v", name, err)
		}
		if rules.Ignore(name, info) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return checkName(name, b.limits.Name)
		}
		file, err := readFolderFile(folder, name, info, b)
		if err != nil {
			return err
		}
		files = append(files, file)
		return nil
	})
	if err != nil {
		return nil, damaged(err)
	}
	return arrange(files, b)
}

func readFolderFile(folder fs.FS, name string, info fs.FileInfo, b *budget) (File, error) {
	if err := checkName(name, b.limits.Name); err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, problem(ErrNoFile, "it holds %q, which is a link or a device; only files and folders are allowed", name)
	}
	data, err := readLimited(folder, name, b.limits.File)
	if err != nil {
		return File{}, err
	}
	if err := b.take(name, int64(len(data))); err != nil {
		return File{}, err
	}
	return File{Name: name, Data: bytes.TrimPrefix(data, []byte(byteOrderMark))}, nil
}

// readLimited reads at most one byte more than the limit, so that the caller can tell a file that is too large.
func readLimited(from fs.FS, name string, limit int64) ([]byte, error) {
	f, err := from.Open(name)
	if err != nil {
		return nil, problem(ErrUnreadable, "%q cannot be opened: %v", name, err)
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, problem(ErrUnreadable, "%q cannot be read: %v", name, err)
	}
	return data, nil
}

func ignoreRules(folder fs.FS, limits Limits) (*ignore.Rules, error) {
	rules := ignore.Empty()
	_, err := fs.Stat(folder, ignore.HelmIgnore)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, problem(ErrUnreadable, ".helmignore in it cannot be read: %v", err)
	default:
		text, err := readLimited(folder, ignore.HelmIgnore, limits.File)
		if err != nil {
			return nil, err
		}
		if rules, err = ignore.Parse(bytes.NewReader(text)); err != nil {
			return nil, problem(ErrUnreadable, ".helmignore in it is not understood: %v", err)
		}
	}
	rules.AddDefaults()
	return rules, nil
}
