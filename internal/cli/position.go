package cli

import (
	"strconv"
	"strings"

	nodes "go.yaml.in/yaml/v3"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// place is a line and a column, counted from one.
type place struct{ line, column int }

// place returns where a field stands in the file: its key, or that of the nearest ancestor that is written. What a
// field says in parentheses about a referenced object is not looked for.
func (d document) place(field string) place {
	if d.node == nil {
		return place{d.above + 1, 1}
	}
	mark, at := d.node, d.node
	for field != "" {
		key, value, rest, ok := descend(at, field)
		if !ok {
			break
		}
		mark, at, field = key, value, rest
	}
	return place{d.above + mark.Line, mark.Column}
}

// descend follows the first part of a field: it returns the node to point at, the value, and what is left of the field.
func descend(at *nodes.Node, field string) (key, value *nodes.Node, rest string, ok bool) {
	if at = target(at); at == nil {
		return nil, nil, "", false
	}
	if strings.HasPrefix(field, "[") {
		name, rest, ok := bracket(field)
		if !ok {
			return nil, nil, "", false
		}
		if at.Kind == nodes.SequenceNode {
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(at.Content) {
				return nil, nil, "", false
			}
			return at.Content[i], at.Content[i], rest, true
		}
		key, value, ok = entry(at, name, maxMerges)
		return key, value, rest, ok
	}
	// A key may hold dots and brackets itself, so the longest one that is there wins.
	for end := len(field); end > 0; end = strings.LastIndexAny(field[:end], ".[") {
		if key, value, ok := entry(at, field[:end], maxMerges); ok {
			return key, value, strings.TrimPrefix(field[end:], "."), true
		}
	}
	return nil, nil, "", false
}

// bracket cuts [0], ["a.b"] or [a.b] off a field.
func bracket(field string) (name, rest string, ok bool) {
	if quoted, err := strconv.QuotedPrefix(field[1:]); err == nil {
		name, err = strconv.Unquote(quoted)
		rest, ok = strings.CutPrefix(field[1+len(quoted):], "]")
		return name, strings.TrimPrefix(rest, "."), ok && err == nil
	}
	name, rest, ok = strings.Cut(field[1:], "]")
	return name, strings.TrimPrefix(rest, "."), ok
}

// maxMerges bounds how deep merge keys may refer to each other; a circle ends there.
const maxMerges = 10

// entry finds a key of a map, the last one where it stands twice, as kubectl does. A key may come from a map that is
// merged in with <<.
func entry(at *nodes.Node, name string, merges int) (key, value *nodes.Node, ok bool) {
	if at = target(at); at == nil || at.Kind != nodes.MappingNode || merges == 0 {
		return nil, nil, false
	}
	for i := len(at.Content) - 2; i >= 0; i -= 2 {
		if at.Content[i].Value == name {
			return at.Content[i], at.Content[i+1], true
		}
	}
	for i := 0; i+1 < len(at.Content); i += 2 {
		if at.Content[i].Value != "<<" {
			continue
		}
		merged := target(at.Content[i+1])
		if merged == nil {
			continue
		}
		candidates := []*nodes.Node{merged}
		if merged.Kind == nodes.SequenceNode {
			candidates = merged.Content
		}
		for _, c := range candidates {
			if key, value, ok := entry(c, name, merges-1); ok {
				return key, value, true
			}
		}
	}
	return nil, nil, false
}

// target follows an alias to what it stands for.
func target(n *nodes.Node) *nodes.Node {
	if n != nil && n.Kind == nodes.AliasNode {
		return n.Alias
	}
	return n
}

func itemNode(list *nodes.Node, i int) *nodes.Node {
	_, items, ok := entry(list, "items", maxMerges)
	if items = target(items); !ok || items.Kind != nodes.SequenceNode || i >= len(items.Content) {
		return nil
	}
	return target(items.Content[i])
}

// twice is a key that stands twice in one map.
type twice struct {
	field string
	at    place
	first int
}

// duplicates finds every key that stands twice in one map of the document, in the order of the file.
func (d document) duplicates() []twice {
	var out []twice
	var visit func(n *nodes.Node, p values.Path)
	visit = func(n *nodes.Node, p values.Path) {
		if n == nil {
			return
		}
		lines := map[string]int{}
		for i, child := range n.Content {
			step := strconv.Itoa(i)
			if n.Kind == nodes.MappingNode {
				if i%2 == 1 {
					continue
				}
				step, child = child.Value, n.Content[i+1]
				key := n.Content[i]
				if line, found := lines[step]; found && step != "<<" {
					path := append(append(values.Path{}, p...), step)
					out = append(out, twice{path.String(), place{d.above + key.Line, key.Column}, d.above + line})
				} else {
					lines[step] = key.Line
				}
			}
			visit(child, append(append(values.Path{}, p...), step))
		}
	}
	visit(d.node, nil)
	return out
}
