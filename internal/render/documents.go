package render

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// document is one object as a template wrote it.
type document struct {
	// template is the path of the template from the chart's name on.
	template string
	content  map[string]any
}

// documents reads all objects out of rendered templates, in the order of the paths and within a file as written. That
// order is Helm's, and with it the install order is the same on every run.
func documents(files map[string]string, limit int) ([]document, error) {
	var out []document
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		docs, err := readFile(name, files[name])
		if err != nil {
			return nil, err
		}
		if out = append(out, docs...); len(out) > limit {
			return nil, &Error{Kind: Limit, Template: name, Text: fmt.Sprintf("the chart renders more than %d objects", limit)}
		}
	}
	return out, nil
}

// readFile reads the objects of one file. Lists are taken apart, as kubectl does.
func readFile(name, text string) ([]document, error) {
	var out []document
	parts := splitDocuments(text)
	for i, part := range parts {
		content, err := decodeDocument(part)
		if err == nil && content != nil {
			var items []map[string]any
			items, err = flatten(content)
			for _, item := range items {
				out = append(out, document{template: name, content: item})
			}
		}
		if err != nil {
			return nil, &Error{Kind: Template, Template: name, Text: within(i, len(parts)) + err.Error()}
		}
	}
	return out, nil
}

// within names the document a fault is in, where a file has several.
func within(i, of int) string {
	if of == 1 {
		return ""
	}
	return fmt.Sprintf("document %d of %d: ", i+1, of)
}

// splitDocuments cuts a file where Helm does and drops the parts that are blank. A separator is three dashes at the start
// of a line together with the white space behind them, so that of two in a row the second begins a document, which YAML
// allows it to.
func splitDocuments(text string) []string {
	const separator, blank = "---", "\t\n\f\r "
	var out []string
	keep := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, separator); ok {
		text = strings.TrimLeft(rest, blank)
	}
	for {
		part, rest, found := strings.Cut(text, "\n"+separator)
		keep(part)
		if !found {
			return out
		}
		text = strings.TrimLeft(rest, blank)
	}
}

// decodeDocument reads one document as kubectl does: YAML 1.1, so that 0400 is an octal number, and whole numbers as
// integers. Nothing but comments is no document. An error says what is wrong without quoting a value.
func decodeDocument(text string) (map[string]any, error) {
	data, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return nil, explainYAML(err)
	}
	switch data[0] {
	case 'n':
		return nil, nil
	case '{':
	case '[':
		return nil, errors.New("a list where an object must be")
	default:
		return nil, errors.New("plain text where an object must be")
	}
	var content map[string]any
	if err := utiljson.Unmarshal(data, &content); err != nil {
		return nil, errors.New("no object that can be read")
	}
	return content, nil
}

// flatten returns the items of a list, or the object itself, each with what it needs to be sent to a cluster.
func flatten(content map[string]any) ([]map[string]any, error) {
	kind, _ := content["kind"].(string)
	version, _ := content["apiVersion"].(string)
	items, isList := content["items"].([]any)
	if !isList || !strings.HasSuffix(kind, "List") {
		return []map[string]any{content}, complete(content)
	}
	var out []map[string]any
	for i, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("item %d of the %s is no object", i+1, kind)
		}
		// The items of a typed list may leave out what the list says.
		if _, ok := object["kind"]; !ok && kind != "List" {
			object["kind"], object["apiVersion"] = strings.TrimSuffix(kind, "List"), version
		}
		inner, err := flatten(object)
		if err != nil {
			return nil, fmt.Errorf("item %d of the %s: %w", i+1, kind, err)
		}
		out = append(out, inner...)
	}
	return out, nil
}

// complete reports what an object lacks to be one of a kind.
func complete(content map[string]any) error {
	for _, field := range []string{"apiVersion", "kind"} {
		if s, _ := content[field].(string); s == "" {
			return fmt.Errorf("an object without %s", field)
		}
	}
	if metadata, ok := content["metadata"]; ok && metadata != nil {
		if _, ok := metadata.(map[string]any); !ok {
			return fmt.Errorf("a %s whose metadata is no map", content["kind"])
		}
	}
	return nil
}
