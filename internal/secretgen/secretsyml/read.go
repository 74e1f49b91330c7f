package secretsyml

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxDepth is how deep a file may be nested; the real ones have three levels.
const maxDepth = 100

// File is a secrets.yml that has been read and can be added to.
type File struct {
	env      string
	document *yaml.Node
	root     *yaml.Node
	// fields is the mapping of the environment; nil until the file has one.
	fields *yaml.Node
}

// New is a file without any field.
func New(env string) *File {
	root := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	return &File{env: env, root: root, document: &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}}}
}

// Read takes a secrets.yml apart. A text without a document (empty, or only comments) has no fields; so has one
// without the environment. Every error is a *ProblemError: the file then gets nothing, whatever is missing in it.
func Read(text []byte, env string) (*File, error) {
	if !utf8.Valid(text) {
		return nil, problem(NotUTF8, "it is not UTF-8")
	}
	text = lineFeeds(text)
	document, err := parse(text)
	if errors.Is(err, io.EOF) {
		return newCommented(text, env), nil
	}
	if err != nil {
		return nil, err
	}
	f := &File{env: env, document: document, root: document.Content[0]}
	if err := inspect(f.root, 0); err != nil {
		return nil, err
	}
	if err := f.enter(); err != nil {
		return nil, err
	}
	rescueComments(text, document)
	return f, nil
}

// lineFeeds makes every line end the same; YAML reads them all as one.
func lineFeeds(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// newCommented keeps the comments of a text that holds nothing else.
func newCommented(text []byte, env string) *File {
	f := New(env)
	var lines []string
	for line := range strings.Lines(string(bytes.TrimPrefix(text, []byte("\ufeff")))) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	f.document.HeadComment = strings.Join(lines, "\n")
	return f
}

// parse reads the only document of a text; io.EOF says that there is none.
func parse(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	document := &yaml.Node{}
	switch err := decoder.Decode(document); {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, problem(NotYAML, "it does not parse as YAML%s", lineOf(err))
	}
	second := &yaml.Node{}
	switch err := decoder.Decode(second); {
	case errors.Is(err, io.EOF):
		return document, nil
	case err != nil:
		return nil, problem(NotYAML, "it does not parse as YAML%s", lineOf(err))
	}
	return nil, problem(ManyDocuments, "it holds a second document, at line %d", second.Line)
}

// lineOf keeps nothing of a parser's error but the line: the rest may quote the file.
func lineOf(err error) string {
	if m := regexp.MustCompile(`^yaml: line ([0-9]+):`).FindStringSubmatch(err.Error()); m != nil {
		return ", near line " + m[1]
	}
	return ""
}

// enter finds the environment.
func (f *File) enter() error {
	switch {
	case isNull(f.root):
		return problem(RootNull, "its document is null")
	case !isMapping(f.root):
		return problem(RootNotMapping, "its document is not a mapping of environments")
	}
	value := lookup(f.root, f.env)
	switch {
	case value == nil && merged(f.root, f.env):
		return problem(EnvironmentShared, "a merge key provides the environment %s", f.env)
	case value == nil:
		return nil
	case value.Kind == yaml.AliasNode:
		return problem(EnvironmentShared, "the environment %s is an alias, at line %d", f.env, value.Line)
	case isNull(value):
		return problem(EnvironmentNull, "the environment %s is null, at line %d", f.env, value.Line)
	case !isMapping(value):
		return problem(EnvironmentNotMapping, "the environment %s is not a mapping of fields, at line %d", f.env, value.Line)
	}
	f.fields = value
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func isMapping(n *yaml.Node) bool { return n.Kind == yaml.MappingNode && n.ShortTag() == "!!map" }
