package definition

import (
	"encoding/json"
	"strconv"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// step is one part of a field path: a key, or an index in brackets.
type step struct {
	key   string
	index int
	list  bool
}

// next cuts the first step off a path such as spec.chart.valuesFrom[1].name. Brackets that hold no number are a key.
func next(path string) (step, string) {
	if strings.HasPrefix(path, "[") {
		inside, rest, _ := strings.Cut(path[1:], "]")
		rest = strings.TrimPrefix(rest, ".")
		if i, err := strconv.Atoi(inside); err == nil {
			return step{key: inside, index: i, list: true}, rest
		}
		return step{key: strings.Trim(inside, `"`)}, rest
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return step{key: path}, ""
	}
	return step{key: path[:end]}, strings.TrimPrefix(path[end:], ".")
}

// at returns the value at a path. A key that holds dots itself is found by trying the longest one that fits.
func at(value any, path string) (any, bool) {
	if path == "" {
		return value, value != nil
	}
	switch v := value.(type) {
	case map[string]any:
		for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
			child, ok := v[path[:end]]
			if !ok {
				continue
			}
			if found, ok := at(child, strings.TrimPrefix(path[end:], ".")); ok || end == len(path) {
				return found, true
			}
		}
		if s, rest := next(path); s.key != "" {
			if child, ok := v[s.key]; ok {
				return at(child, rest)
			}
		}
	case []any:
		if s, rest := next(path); s.list && s.index >= 0 && s.index < len(v) {
			return at(v[s.index], rest)
		}
	}
	return nil, false
}

// schemaAt returns the schema of a path, or nil where the definition says nothing about it.
func schemaAt(s *structuralschema.Structural, path string) *structuralschema.Structural {
	for path != "" && s != nil {
		var part step
		part, path = next(path)
		switch {
		case part.list:
			s = s.Items
		default:
			if child, ok := s.Properties[part.key]; ok {
				s = &child
				continue
			}
			if s.AdditionalProperties == nil {
				return nil
			}
			s = s.AdditionalProperties.Structural
		}
	}
	return s
}

func (t *teller) typeAt(path string) string {
	if s := schemaAt(t.kind.structural, path); s != nil {
		return s.Type
	}
	return ""
}

// allowedAt lists the values of an enum as a person writes them: «ce», «one of ce, ee».
func (t *teller) allowedAt(path string) string {
	s := schemaAt(t.kind.structural, path)
	if s == nil || s.ValueValidation == nil {
		return "one of the allowed values"
	}
	names := make([]string, 0, len(s.ValueValidation.Enum))
	for _, allowed := range s.ValueValidation.Enum {
		if text, ok := allowed.Object.(string); ok {
			names = append(names, text)
			continue
		}
		data, err := json.Marshal(allowed.Object)
		if err == nil {
			names = append(names, string(data))
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return "one of " + strings.Join(names, ", ")
}
