package schema

import "strings"

// interest returns the names of the keys a schema says anything about, and false when it may say something about any
// key. What is not of interest need not be put together for a check: most charts have far more values than their schema
// speaks of.
func interest(doc any) ([]string, bool) {
	names := map[string]bool{}
	reach := inPlace(doc, doc)
	if len(reach) == 0 || len(reach) > maxView {
		return nil, false
	}
	for i, schema := range reach {
		for keyword, arg := range schema {
			if !about(keyword, arg, i == 0, names) {
				return nil, false
			}
		}
	}
	return sortedKeys(names), true
}

// about adds the names a keyword speaks of. It returns false for keywords that could speak of any key, or that are not
// known here.
func about(keyword string, arg any, root bool, names map[string]bool) bool {
	switch keyword {
	case "title", "description", "default", "examples", "$comment", "type", "definitions", "$defs", "schema",
		"allOf", "anyOf", "oneOf", "if", "then", "else":
		return true
	case "$schema", "$id", "id":
		return root
	case "$ref":
		ref, ok := arg.(string)
		return ok && (ref == "#" || strings.HasPrefix(ref, "#/"))
	case "additionalProperties":
		return arg == true
	case "properties":
		properties, ok := arg.(map[string]any)
		for name := range properties {
			names[name] = true
		}
		return ok
	case "required":
		for _, name := range texts(arg) {
			names[name] = true
		}
		return true
	}
	return false
}
