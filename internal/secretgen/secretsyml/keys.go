package secretsyml

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxKeySize bounds what one key that is a mapping or a list may expand to.
const maxKeySize = 1000

// inspect refuses a key that stands twice in one mapping, and nesting that no real file has.
func inspect(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return problem(TooDeep, "it is nested more than %d levels deep, at line %d", maxDepth, n.Line)
	}
	if n.Kind == yaml.MappingNode {
		if err := distinctKeys(n); err != nil {
			return err
		}
	}
	for _, child := range n.Content {
		if err := inspect(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// distinctKeys compares keys by their text and by what they mean: 16 and "16" are refused as well as 16 and 0x10,
// since readers differ in which of them they keep.
func distinctKeys(mapping *yaml.Node) error {
	lines := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		identities, err := identify(key)
		if err != nil {
			return err
		}
		for _, identity := range identities {
			if line, twice := lines[identity]; twice {
				return problem(DuplicateKey, "line %d repeats a key of line %d", key.Line, line)
			}
		}
		for _, identity := range identities {
			lines[identity] = key.Line
		}
	}
	return nil
}

// identify lists what makes a key the same as another one.
func identify(key *yaml.Node) ([]string, error) {
	key = resolve(key)
	if key.Kind != yaml.ScalarNode {
		var text strings.Builder
		budget := maxKeySize
		if !describe(&text, key, &budget) {
			return nil, problem(TooDeep, "the key at line %d expands to more than %d parts", key.Line, maxKeySize)
		}
		return []string{"composite " + text.String()}, nil
	}
	identities := []string{"text " + key.Value}
	if meaning, ok := meaningOf(key); ok {
		identities = append(identities, meaning)
	}
	return identities, nil
}

// meaningOf is the value of a scalar that is no string.
func meaningOf(n *yaml.Node) (string, bool) {
	tag := n.ShortTag()
	switch tag {
	case "!!int", "!!float", "!!bool", "!!null", "!!timestamp":
	default:
		return "", false
	}
	var value any
	if n.Decode(&value) != nil {
		return "", false
	}
	return fmt.Sprintf("meaning %s %v", tag, value), true
}

// describe writes a key that is no scalar, with aliases followed. It gives up when the budget is spent, which also
// ends a key that contains itself.
func describe(w *strings.Builder, n *yaml.Node, budget *int) bool {
	if *budget--; *budget < 0 {
		return false
	}
	n = resolve(n)
	if n.Kind == yaml.ScalarNode {
		meaning, ok := meaningOf(n)
		if !ok {
			meaning = n.Value
		}
		fmt.Fprintf(w, "%q", meaning)
		return true
	}
	fmt.Fprintf(w, "(%d", n.Kind)
	for _, child := range n.Content {
		w.WriteByte(' ')
		if !describe(w, child, budget) {
			return false
		}
	}
	w.WriteByte(')')
	return true
}

// resolve follows an alias.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// lookup finds the value a mapping itself has for a key; nil says that it has none.
func lookup(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if k := resolve(mapping.Content[i]); k.Kind == yaml.ScalarNode && k.Value == key && !isMerge(mapping.Content[i]) {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// isMerge says whether a key is a merge key.
func isMerge(key *yaml.Node) bool {
	key = resolve(key)
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}

// merged says whether the merge keys of a mapping provide a key, however many merges lie between.
func merged(mapping *yaml.Node, key string) bool {
	return mergedBeyond(mapping, key, map[*yaml.Node]bool{mapping: true})
}

func mergedBeyond(mapping *yaml.Node, key string, seen map[*yaml.Node]bool) bool {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if !isMerge(mapping.Content[i]) {
			continue
		}
		sources := []*yaml.Node{resolve(mapping.Content[i+1])}
		if sources[0].Kind == yaml.SequenceNode {
			sources = sources[0].Content
		}
		for _, source := range sources {
			source = resolve(source)
			if source.Kind != yaml.MappingNode || seen[source] {
				continue
			}
			seen[source] = true
			if lookup(source, key) != nil || mergedBeyond(source, key, seen) {
				return true
			}
		}
	}
	return false
}
