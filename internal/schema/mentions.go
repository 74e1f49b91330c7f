package schema

import (
	"bytes"
	"slices"

	helmchart "helm.sh/helm/v3/pkg/chart"
)

// mentions collects every word that stands in a template action or as a key in a comment of values.yaml. Charts read
// many keys for which they have no default; a key that is mentioned nowhere at all is a mistake with some certainty.
type mentions map[string]struct{}

func (m mentions) chart(c *helmchart.Chart) {
	for _, template := range c.Templates {
		m.actions(template.Data)
	}
	for _, file := range c.Raw {
		if file.Name == "values.yaml" {
			m.comments(file.Data)
		}
	}
	for _, dep := range c.Dependencies() {
		m.chart(dep)
	}
}

// actions takes the words between {{ and }}.
func (m mentions) actions(text []byte) {
	for {
		start := bytes.Index(text, []byte("{{"))
		if start < 0 {
			return
		}
		text = text[start+2:]
		end := bytes.Index(text, []byte("}}"))
		if end < 0 {
			end = len(text)
		}
		m.words(text[:end])
		text = text[end:]
	}
}

func (m mentions) words(text []byte) {
	for len(text) > 0 {
		n := 0
		for n < len(text) && isWord(text[n]) {
			n++
		}
		m.add(text[:n])
		text = text[min(n+1, len(text)):]
	}
}

// comments takes «key» of lines such as «  # key: value», with or without a dash.
func (m mentions) comments(text []byte) {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		_, comment, found := bytes.Cut(line, []byte("#"))
		if !found {
			continue
		}
		key, _, found := bytes.Cut(bytes.TrimLeft(comment, "# \t-"), []byte(":"))
		if found && !slices.ContainsFunc(key, func(c byte) bool { return !isWord(c) }) {
			m.add(key)
		}
	}
}

func (m mentions) add(word []byte) {
	if len(word) == 0 || len(word) > 100 {
		return
	}
	if _, known := m[string(word)]; !known {
		m[string(word)] = struct{}{}
	}
}

func (m mentions) has(word string) bool {
	_, ok := m[word]
	return ok
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}
