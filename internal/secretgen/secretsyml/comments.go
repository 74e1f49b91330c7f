package secretsyml

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxTrials bounds how often a text is parsed again to tell a comment from a value.
const maxTrials = 50

// rescueComments puts comments the parser drops (behind an opening brace, behind the mark of the document's end) above
// the key they stand behind.
func rescueComments(text []byte, document *yaml.Node) {
	if !bytes.ContainsRune(text, '#') {
		return
	}
	known, scalars := comments(document), scalarText(document)
	trials, offset, number := 0, 0, 0
	for line := range bytes.Lines(text) {
		number++
		for i, c := range line {
			if c != '#' || i > 0 && line[i-1] != ' ' && line[i-1] != '\t' {
				continue
			}
			comment := strings.TrimSpace(string(line[i:]))
			if at := slices.Index(known, comment); at >= 0 {
				known = slices.Delete(known, at, at+1)
				break
			}
			if strings.Contains(scalars, comment) || trials == maxTrials {
				continue
			}
			trials++
			if isComment(text, offset+i, offset+len(bytes.TrimRight(line, "\n")), document) {
				above := keyAbove(document, number)
				above.HeadComment = lines(above.HeadComment, comment)
				break
			}
		}
		offset += len(line)
	}
}

// isComment says whether a part of a text can go without changing what the text says.
func isComment(text []byte, from, to int, document *yaml.Node) bool {
	without, err := parse(slices.Concat(text[:from], text[to:]))
	return err == nil && same(document, without)
}

// scalarText is every scalar of a tree, in one text to search.
func scalarText(n *yaml.Node) string {
	var all strings.Builder
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "#") {
			all.WriteString(n.Value + "\n")
		}
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(n)
	return all.String()
}

// keyAbove is the last key at or above a line that is not between braces; the document when there is none.
func keyAbove(n *yaml.Node, line int) *yaml.Node {
	above := n
	for i, child := range n.Content {
		if child.Style&yaml.FlowStyle != 0 || child.Line > line {
			continue
		}
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			above = child
		}
		if inner := keyAbove(child, line); inner != child {
			above = inner
		}
	}
	return above
}
