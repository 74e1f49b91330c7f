package secretsyml

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Shape says how a value is written.
type Shape int

const (
	// Scalar is a string, bare unless YAML would read it as something else.
	Scalar Shape = iota
	// PEM is a block of lines, written as a literal.
	PEM
	// List is a list whose only element is a string.
	List
)

// Value is what a field is filled with.
type Value struct {
	Shape Shape
	Text  string
}

// Set fills a field that is Absent, Null or Empty, in its place where it has one, else behind the last field. A field
// with a value, and a Foreign one, stay as they are: nothing here can replace what is there.
func (f *File) Set(name string, value Value) {
	switch f.Field(name) {
	case Present, Foreign:
		return
	case Absent:
		f.environment().Content = append(f.environment().Content, str(name), value.node())
	case Null, Empty:
		f.fill(name, value.node())
	}
}

// environment is the mapping of the environment, which a file gets with its first field.
func (f *File) environment() *yaml.Node {
	if f.fields == nil {
		f.fields = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		f.root.Content = append(f.root.Content, str(f.env), f.fields)
	}
	return f.fields
}

// fill puts a value in the place of one that is null or empty. What was written beside it, or inside an empty list,
// moves above its key, where a value of any shape leaves room for it.
func (f *File) fill(name string, value *yaml.Node) {
	for i := 0; i+1 < len(f.fields.Content); i += 2 {
		old := f.fields.Content[i+1]
		if old != lookup(f.fields, name) {
			continue
		}
		key := f.fields.Content[i]
		if value.Kind == yaml.ScalarNode && value.Style != yaml.LiteralStyle {
			value.LineComment, value.HeadComment, value.FootComment = old.LineComment, old.HeadComment, old.FootComment
		} else {
			key.HeadComment = lines(key.HeadComment, key.LineComment, old.HeadComment, old.LineComment, old.FootComment)
			key.LineComment = ""
		}
		f.fields.Content[i+1] = value
		return
	}
}

// lines joins the texts that are not empty.
func lines(texts ...string) string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n")
}

func (v Value) node() *yaml.Node {
	switch v.Shape {
	case PEM:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.LiteralStyle, Value: v.Text}
	case List:
		return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{str(v.Text)}}
	case Scalar:
	}
	return str(v.Text)
}

// str is a string that every reader takes for one. GitLab reads the file as YAML 1.1, so what only that one takes for
// a number or a truth value is quoted as well.
func str(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if looksLikeNumber().MatchString(text) || isWord(text) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func looksLikeNumber() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?(?:[0-9][0-9_,.:]*(?:[eE][-+]?[0-9]+)?|\.[0-9_]+(?:[eE][-+]?[0-9]+)?|0[xX][0-9a-fA-F_,]*|0[bBoO][0-9_,]*)$`)
}

func isWord(text string) bool {
	switch strings.ToLower(text) {
	case "", "~", "null", "y", "n", "yes", "no", "true", "false", "on", "off", ".nan", ".inf", "-.inf", "+.inf", "<<", "=":
		return true
	}
	return false
}
