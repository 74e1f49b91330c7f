package schema

import (
	"errors"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// repair sets the part of a schema aside that the metaschema refuses, so that the rest can still be used. It reports
// what is not checked any more, or that the fault is not one part's.
func repair(doc any, err error) (string, bool) {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return "", false
	}
	places := invalidPlaces(invalid)
	slices.SortFunc(places, slices.Compare)
	for _, place := range places {
		place = widen(place)
		if setAside(doc, place) {
			return "its part at " + printPointer(place) + " is not valid JSON Schema and is not used", true
		}
	}
	return "", false
}

// invalidPlaces returns where the metaschema's complaints are, the outermost place of alternatives.
func invalidPlaces(e *jsonschema.ValidationError) [][]string {
	keyword := lastToken(e.KeywordLocation)
	if len(e.Causes) == 0 || keyword == "anyOf" || keyword == "oneOf" {
		return [][]string{pointer(e.InstanceLocation)}
	}
	var out [][]string
	for _, cause := range e.Causes {
		out = append(out, invalidPlaces(cause)...)
	}
	return out
}

func lastToken(location string) string {
	tokens := pointer(location)
	if len(tokens) == 0 {
		return ""
	}
	return tokens[len(tokens)-1]
}

// widen moves the place up to the first keyword under which allowing everything would not mean allowing more: the
// negation of a schema that allows everything allows nothing.
func widen(place []string) []string {
	for i, token := range place {
		if i > 0 && isNameMap(place[i-1]) {
			continue
		}
		switch token {
		case "not", "if", "then", "else", "oneOf", "contains", "unevaluatedProperties", "unevaluatedItems":
			return place[:i+1]
		}
	}
	return place
}

// isNameMap reports whether the keys below a keyword are names, not keywords.
func isNameMap(keyword string) bool {
	switch keyword {
	case "properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "dependencies", "dependentRequired":
		return true
	}
	return false
}

// setAside removes a keyword, or lets a schema in a map or list of schemas allow everything.
func setAside(doc any, place []string) bool {
	if len(place) == 0 {
		return false
	}
	parent, ok := lookup(doc, place[:len(place)-1])
	if !ok {
		return false
	}
	key := place[len(place)-1]
	switch parent := parent.(type) {
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(parent) {
			return false
		}
		parent[i] = map[string]any{}
	case map[string]any:
		if _, ok := parent[key]; !ok {
			return false
		}
		if len(place) > 1 && isNameMap(place[len(place)-2]) {
			parent[key] = map[string]any{}
			return true
		}
		drop(parent, key)
	}
	return true
}

// drop removes a keyword together with those that would mean something else without it.
func drop(schema map[string]any, keyword string) {
	delete(schema, keyword)
	switch keyword {
	case "if":
		delete(schema, "then")
		delete(schema, "else")
	case "properties", "patternProperties":
		delete(schema, "additionalProperties")
		delete(schema, "unevaluatedProperties")
	case "items", "prefixItems":
		delete(schema, "additionalItems")
		delete(schema, "unevaluatedItems")
	}
}
