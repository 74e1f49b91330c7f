package cli

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// stdin is what standard input is called in an answer.
const stdin = "stdin"

// source is one file as it was read.
type source struct {
	name string
	text []byte
}

// read reads every file below the given paths, in the order of the paths and each once. A folder is read with all
// folders below it, but for hidden ones and for charts: their templates are no manifests.
func (c *command) read(paths []string) ([]source, error) {
	var sources []source
	seen := map[string]bool{}
	add := func(name string, text []byte) {
		if clean := filepath.Clean(name); !seen[clean] {
			seen[clean] = true
			sources = append(sources, source{name, text})
		}
	}
	for _, p := range paths {
		if p == "-" {
			text, err := io.ReadAll(c.Stdin)
			if err != nil {
				return nil, cannot("standard input cannot be read: %s", err)
			}
			add(stdin, text)
			continue
		}
		if err := c.readPath(p, add); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

func (c *command) readPath(p string, add func(string, []byte)) error {
	folder := c.Folder(p)
	if info, err := fs.Stat(folder, "."); err != nil || !info.IsDir() {
		text, err := fs.ReadFile(c.Folder(filepath.Dir(p)), filepath.Base(p))
		if err != nil {
			return unreadable(p, err)
		}
		add(filepath.ToSlash(p), text)
		return nil
	}
	found := 0
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		display := path.Join(filepath.ToSlash(p), name)
		switch {
		case err != nil:
			return unreadable(display, err)
		case entry.IsDir():
			return c.enter(folder, name, display)
		case !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)):
			return nil
		}
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return unreadable(display, err)
		}
		found++
		add(display, text)
		return nil
	})
	if err != nil {
		return unreadable(p, err)
	}
	if found == 0 {
		say(c.Stderr, "%s: there is no file *.yaml, *.yml or *.json in %s\n", c.Name, p)
	}
	return nil
}

// enter passes over hidden folders, and over charts with a word about it.
func (c *command) enter(folder fs.FS, name, display string) error {
	if name == "." {
		return nil
	}
	if strings.HasPrefix(path.Base(name), ".") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(folder, path.Join(name, "Chart.yaml")); err == nil {
		say(c.Stderr, "%s: %s is a chart, so its files are not read as resources\n", c.Name, display)
		return fs.SkipDir
	}
	return nil
}

func unreadable(p string, err error) error {
	if known, ok := errors.AsType[*trouble](err); ok {
		return known
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cannot("%s does not exist", p)
	case errors.Is(err, fs.ErrPermission):
		return cannot("%s may not be read by this user", p)
	}
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		err = inner.Err
	}
	return cannot("%s cannot be read: %s", p, err)
}
