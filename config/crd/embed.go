// Package crd carries the generated resource definitions, so that every door and every installer reads the same bytes.
//
// Floor 0, pure. The files under bases are generated from api/ by controller-gen; nobody edits them.
package crd

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed bases/*.yaml
var bases embed.FS

// Files returns the definitions as YAML, one per entry, ordered by file name. The caller owns the slices.
func Files() ([][]byte, error) {
	names, err := fs.Glob(bases, "bases/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the embedded definitions: %w", err)
	}
	files := make([][]byte, 0, len(names))
	for _, name := range names {
		data, err := bases.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the embedded definition %s: %w", name, err)
		}
		files = append(files, data)
	}
	return files, nil
}
