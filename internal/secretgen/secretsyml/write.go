package secretsyml

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Write returns the file as text: indented by two, without document marks, lines of folded scalars joined, merge keys
// tagged, a newline at the end. The text is read back before it is returned; when it does not say exactly what the
// file says, comments included, the error is a *ProblemError with NotRewritable.
func (f *File) Write() ([]byte, error) {
	for _, attempt := range []func(*yaml.Node){asWritten, spellNulls, liftComments, quoteBlocks} {
		attempt(f.document)
		if text, ok := f.encode(); ok {
			return text, nil
		}
	}
	return nil, problem(NotRewritable, "it cannot be written back without changing a value or losing a comment")
}

// asWritten leaves every scalar in its own style.
func asWritten(*yaml.Node) {}

// spellNulls writes null where nothing stood for it: as a key or between braces, the encoder would write an empty text.
func spellNulls(n *yaml.Node) { spellNullsIn(n, false) }

func spellNullsIn(n *yaml.Node, spell bool) {
	if spell && isNull(n) && n.Value == "" && n.Style == 0 {
		n.Value = "null"
	}
	spell = n.Style&yaml.FlowStyle != 0
	for i, child := range n.Content {
		spellNullsIn(child, spell || n.Kind == yaml.MappingNode && i%2 == 0)
	}
}

// liftComments moves what stands between a key and its value above both: there, the encoder has no room for a comment when
// the value is written in braces on the line of the key.
func liftComments(n *yaml.Node) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		key.HeadComment = lines(key.HeadComment, key.LineComment, value.HeadComment)
		key.LineComment, value.HeadComment = "", ""
	}
	for _, child := range n.Content {
		liftComments(child)
	}
}

// quoteBlocks quotes every block scalar: the encoder cannot write each text it can read as a block.
func quoteBlocks(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		n.Style = n.Style&^(yaml.LiteralStyle|yaml.FoldedStyle) | yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		quoteBlocks(child)
	}
}

func (f *File) encode() ([]byte, bool) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if encoder.Encode(f.document) != nil || encoder.Close() != nil {
		return nil, false
	}
	again, err := parse(text.Bytes())
	if err != nil || !same(f.document, again) || !slices.Equal(comments(f.document), comments(again)) {
		return nil, false
	}
	return text.Bytes(), true
}

// same compares what two trees say, not how they are written. Aliases are compared by name: both sides have the same
// anchors at the same places.
func same(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Anchor != b.Anchor || a.Value != b.Value || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind != yaml.AliasNode && a.Kind != yaml.DocumentNode && a.ShortTag() != b.ShortTag() {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// comments lists the comment lines of a tree in order of their text: where exactly one hangs is the parser's matter.
func comments(n *yaml.Node) []string {
	var all []string
	for _, comment := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		for line := range strings.Lines(comment) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	for _, child := range n.Content {
		all = append(all, comments(child)...)
	}
	slices.Sort(all)
	return all
}
