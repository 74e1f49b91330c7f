package tableset

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// Count returns the number of tables the files describe. Every YAML document is one table when it is a map, and as many
// as it has items when it is a list; an empty document or a bare value is none. A file that is not YAML counts as one,
// since it is published like the others and only Siphon can say what it makes of it.
func Count(files map[string][]byte) int {
	count := 0
	for _, content := range files {
		count += countFile(content)
	}
	return count
}

// countFile reads nodes instead of values: aliases stay unexpanded, so no file is larger than it looks.
func countFile(content []byte) int {
	count := 0
	for documents := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var document yaml.Node
		switch err := documents.Decode(&document); {
		case errors.Is(err, io.EOF):
			return count
		case err != nil:
			return 1
		}
		for _, root := range document.Content {
			switch root.Kind {
			case yaml.MappingNode:
				count++
			case yaml.SequenceNode:
				count += len(root.Content)
			default:
			}
		}
	}
}
