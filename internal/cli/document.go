package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	nodes "go.yaml.in/yaml/v3"
	jsonnumbers "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// document is one resource of a file, or one piece of text that is none.
type document struct {
	file string
	// above is the number of lines of the file above the document.
	above int
	// node is the document as the parser of positions read it; nil where that could not.
	node *nodes.Node
	// content is the document as kubectl would read it; nil with fault set, or for text without content.
	content map[string]any
	// broken says why there is no content, at a line of the file.
	broken     string
	brokenLine int
	// faults are what is wrong with a ConfigMap or Secret that chart values are read from.
	faults []rules.Fault
}

// documents cuts a file into its documents the way kubectl does: a file that starts with a brace is a stream of JSON
// objects, any other is YAML with separators. The items of a list are documents of their own.
func documents(s source) []document {
	chunks, ok := jsonChunks(s.text)
	if !ok {
		chunks = yamlChunks(s.text)
	}
	var out []document
	for _, c := range chunks {
		d := document{file: s.name, above: c.above}
		if c.broken != "" {
			d.broken, d.brokenLine = c.broken, c.above+1
			out = append(out, d)
			continue
		}
		if d.decode(c.text) {
			out = append(out, d.unpack()...)
		}
	}
	return out
}

type chunk struct {
	above  int
	text   []byte
	broken string
}

// yamlChunks cuts at every line that starts with three dashes.
func yamlChunks(text []byte) []chunk {
	var out []chunk
	current, number := chunk{}, 0
	for line := range bytes.Lines(text) {
		number++
		rest, separator := bytes.CutPrefix(line, []byte("---"))
		if !separator {
			current.text = append(current.text, line...)
			continue
		}
		out = append(out, current)
		if rest = bytes.TrimSpace(rest); len(rest) > 0 && rest[0] != '#' {
			out = append(out, chunk{above: number - 1, broken: "holds text behind the separator ---, which kubectl refuses; put it on a line of its own"})
		}
		current = chunk{above: number}
	}
	return append(out, current)
}

// jsonChunks cuts a stream of JSON objects; false where the text is none.
func jsonChunks(text []byte) ([]chunk, bool) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, false
	}
	var out []chunk
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var raw json.RawMessage
		if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
			return out, true
		} else if err != nil {
			return nil, false
		}
		start := int(dec.InputOffset()) - len(raw)
		out = append(out, chunk{above: bytes.Count(text[:start], []byte("\n")), text: text[start:dec.InputOffset()]})
	}
}

// decode fills the document from its text and reports whether there is anything in it.
func (d *document) decode(text []byte) bool {
	raw := text
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || !json.Valid(trimmed) {
		var err error
		if raw, err = yaml.YAMLToJSON(text); err != nil {
			d.syntax(text, err)
			return true
		}
	}
	var value any
	if err := jsonnumbers.Unmarshal(raw, &value); err != nil {
		d.syntax(text, err)
		return true
	}
	var root nodes.Node
	if nodes.Unmarshal(text, &root) == nil && len(root.Content) > 0 {
		d.node = root.Content[0]
	}
	d.content, _ = value.(map[string]any)
	return value != nil
}

// syntax says what is wrong with the text, at its line. The parser's own error is not printed as it is, since it may
// quote a Secret.
func (d *document) syntax(text []byte, cause error) {
	d.broken, d.brokenLine = "is no valid YAML", d.above+1
	if before, _, found := bytes.Cut(text, []byte("{{")); found && strings.Contains(cause.Error(), "invalid map key") {
		d.broken += ": {{ opens a template here, which has to be rendered first"
		d.brokenLine = d.above + 1 + bytes.Count(before, []byte("\n"))
		return
	}
	_, err := values.Decode(text)
	syntax, ok := errors.AsType[*values.SyntaxError](err)
	if !ok {
		return
	}
	if last := bytes.Count(text, []byte("\n")); syntax.Line > 0 {
		d.brokenLine = d.above + max(1, min(syntax.Line, last))
	}
	if syntax.Problem != "" {
		d.broken += ": " + inWords(syntax.Problem)
	}
}

// inWords adds to the parser's words what usually causes them.
func inWords(problem string) string {
	hint := map[string]string{
		"mapping values are not allowed in this context":         "there is a second «: » on this line, or the line above has no value; put a text with a colon in quotes",
		"did not find expected key":                              "the indentation of this line or the one above does not fit, or a quote is not closed",
		"did not find expected '-' indicator":                    "a list item does not line up with the others",
		"found character that cannot start any token":            "a tab, or a text that starts with @, ` or %; put the text in quotes",
		"found a tab character that violates indentation":        "indent with blanks",
		"could not find expected ':'":                            "a key without a colon, or a template that was not rendered",
		"did not find expected node content":                     "a brace or bracket is open, or a template was not rendered",
		"block sequence entries are not allowed in this context": "a list starts on the line of its key; put it below",
	}[problem]
	if hint == "" {
		return problem
	}
	return hint + " (" + problem + ")"
}

// unpack returns the items of a list as documents of their own, and any other document as it is.
func (d document) unpack() []document {
	kind, _ := d.content["kind"].(string)
	version, _ := d.content["apiVersion"].(string)
	items, ok := d.content["items"].([]any)
	list := kind == "List" && version == "v1" || strings.HasSuffix(kind, "List") && ours(groupOf(version))
	if !ok || !list {
		return []document{d}
	}
	var out []document
	for i, item := range items {
		content, ok := item.(map[string]any)
		if !ok {
			continue
		}
		if content["kind"] == nil && content["apiVersion"] == nil && kind != "List" {
			content["kind"], content["apiVersion"] = strings.TrimSuffix(kind, "List"), version
		}
		nested := document{file: d.file, above: d.above, content: content, node: itemNode(d.node, i)}
		out = append(out, nested.unpack()...)
	}
	return out
}
