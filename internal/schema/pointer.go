package schema

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// pointer splits a JSON pointer as the schema library writes them: escaped for a URL on top of the pointer's own escapes.
func pointer(text string) []string {
	text = strings.TrimPrefix(text, "/")
	if text == "" {
		return nil
	}
	tokens := strings.Split(text, "/")
	for i, token := range tokens {
		if plain, err := url.PathUnescape(token); err == nil {
			token = plain
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens
}

// printPointer writes a pointer for people: without the escapes of a URL.
func printPointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
