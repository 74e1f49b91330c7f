package schema

import (
	"regexp"
	"slices"
	"strings"
)

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
	case "title", "description", "default", "examples", "$comment", "type", "definitions", "$defs", "$schema", "schema",
		"allOf", "anyOf", "oneOf", "if", "then", "else":
		return true
	case "$id", "id":
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

// flat returns the keys of which a schema says no more than the type of their values: it is all the same to it what a map
// under one of them holds.
func flat(doc any) []string {
	reach := inPlace(doc, doc)
	if len(reach) > maxView {
		return nil
	}
	names := map[string]bool{}
	for i, schema := range reach {
		for keyword, arg := range schema {
			if !staysOutside(keyword, arg, i == 0) {
				return nil
			}
		}
		properties, _ := schema["properties"].(map[string]any)
		for name := range properties {
			names[name] = true
		}
	}
	return slices.DeleteFunc(sortedKeys(names), func(name string) bool {
		return slices.ContainsFunc(reach, func(schema map[string]any) bool { return looksInside(doc, schema, name) })
	})
}

// staysOutside reports whether a keyword says nothing of what lies in the values of a map, but for what the schemas of
// its keys say.
func staysOutside(keyword string, arg any, root bool) bool {
	switch keyword {
	case "properties", "patternProperties", "additionalProperties", "required", "propertyNames", "minProperties", "maxProperties":
		return true
	}
	return about(keyword, arg, root, map[string]bool{})
}

// looksInside reports whether a schema may say something of what is in a map under a key.
func looksInside(doc any, schema map[string]any, key string) bool {
	below := []any{schema["additionalProperties"]}
	if properties, ok := schema["properties"].(map[string]any); ok {
		below = append(below, properties[key])
	}
	patterns, _ := schema["patternProperties"].(map[string]any)
	for pattern, each := range patterns {
		if re, err := regexp.Compile(pattern); err != nil || re.MatchString(key) {
			below = append(below, each)
		}
	}
	return slices.ContainsFunc(below, func(each any) bool {
		reach := inPlace(doc, each)
		return len(reach) > maxView || slices.ContainsFunc(reach, func(schema map[string]any) bool {
			for keyword, arg := range schema {
				if keyword == "required" || keyword == "properties" || !about(keyword, arg, false, map[string]bool{}) {
					return true
				}
			}
			return false
		})
	})
}
