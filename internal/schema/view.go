package schema

import (
	"reflect"
	"regexp"
	"strings"
)

// maxView bounds how many schemas are looked at for one path.
const maxView = 1000

// schemasAt returns every schema that speaks about the map at a path: those of the charts the path leads through, with
// their alternatives.
func (s *seeker) schemasAt(at []string) []map[string]any {
	var out []map[string]any
	for i := 0; i <= len(at); i++ {
		sub, ok := s.plan.find(at[:i])
		if !ok {
			break
		}
		if doc := s.view(sub.of.schema); doc != nil {
			out = append(out, descend(doc, at[i:])...)
		}
	}
	return out
}

func (s *seeker) view(key string) any {
	c := s.plan.schemas[key]
	if c == nil || c.schema == nil {
		return nil
	}
	return c.doc()
}

// descend follows names through properties, patterns and additional properties.
func descend(doc any, names []string) []map[string]any {
	level := inPlace(doc, doc)
	for _, name := range names {
		var next []map[string]any
		for _, schema := range level {
			for _, child := range children(schema, name) {
				next = append(next, inPlace(doc, child)...)
			}
			if len(next) > maxView {
				return nil
			}
		}
		level = next
	}
	return level
}

func children(schema map[string]any, name string) []any {
	properties, _ := schema["properties"].(map[string]any)
	if child, ok := properties[name]; ok {
		return []any{child}
	}
	var out []any
	patterns, _ := schema["patternProperties"].(map[string]any)
	for _, pattern := range sortedKeys(patterns) {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
			out = append(out, patterns[pattern])
		}
	}
	if len(out) == 0 {
		out = append(out, schema["additionalProperties"])
	}
	return out
}

// inPlace returns a schema with all that it refers to or lists as alternatives for the same value.
func inPlace(doc, schema any) []map[string]any {
	var out []map[string]any
	seen := map[uintptr]bool{}
	var visit func(any)
	visit = func(node any) {
		schema, ok := node.(map[string]any)
		if !ok || len(out) > maxView || seen[reflect.ValueOf(schema).Pointer()] {
			return
		}
		seen[reflect.ValueOf(schema).Pointer()] = true
		out = append(out, schema)
		if ref, ok := schema["$ref"].(string); ok && strings.HasPrefix(ref, "#") {
			target, _ := lookup(doc, pointer(ref[1:]))
			visit(target)
		}
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			for _, each := range list(schema[keyword]) {
				visit(each)
			}
		}
		for _, keyword := range []string{"if", "then", "else"} {
			visit(schema[keyword])
		}
	}
	visit(schema)
	return out
}

// allows reports whether a schema names a key, itself or by a pattern.
func allows(schema map[string]any, name string) bool {
	properties, _ := schema["properties"].(map[string]any)
	if _, ok := properties[name]; ok {
		return true
	}
	patterns, _ := schema["patternProperties"].(map[string]any)
	for pattern := range patterns {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
			return true
		}
	}
	return false
}
