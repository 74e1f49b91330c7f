package values

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// NestingLimit is how many maps and lists may lie inside each other.
const NestingLimit = 100

// NestingError says that values nest deeper than NestingLimit.
type NestingError struct {
	// Limit is the number of levels that are allowed.
	Limit int
}

// Error returns a sentence without a subject, to be put behind a field.
func (e *NestingError) Error() string {
	return fmt.Sprintf("nests maps and lists deeper than %d levels, which no chart needs; make it flatter", e.Limit)
}

// NotMapError says that a document is something else than a map of values. It never quotes the document.
type NotMapError struct {
	// Found is what the document is, with its article: «a list», «a string».
	Found string
}

// Error returns a sentence without a subject, to be put behind a field.
func (e *NotMapError) Error() string {
	return "must be a map of chart values, not " + e.Found
}

// SyntaxError says that a document is no YAML or JSON. It never quotes the document.
type SyntaxError struct {
	// Format is YAML or JSON.
	Format string
	// Line is the line of the fault, counted from 1, or 0 where it is not known.
	Line int
	// Problem is the parser's own wording where it is known to quote nothing, else empty.
	Problem string
}

// Error returns a sentence without a subject, to be put behind a field.
func (e *SyntaxError) Error() string {
	text := "is no valid " + e.Format
	if e.Line > 0 {
		text += " (line " + strconv.Itoa(e.Line) + ")"
	}
	if e.Problem != "" {
		text += ": " + e.Problem
	}
	return text
}

// Decode reads YAML the way Helm reads a values file: through JSON, so that every number is a float64 and every key a
// string. Nothing, or a null, is an empty map. Errors are *SyntaxError, *NotMapError and *NestingError.
func Decode(data []byte) (map[string]any, error) {
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		return nil, yamlSyntax(err)
	}
	return asTree(value)
}

// DecodeJSON reads JSON with the same result and the same errors as Decode.
func DecodeJSON(data []byte) (map[string]any, error) {
	if strings.TrimSpace(string(data)) == "" {
		return map[string]any{}, nil
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, jsonSyntax(data, err)
	}
	return asTree(value)
}

// CheckNesting returns a *NestingError where a tree that was decoded elsewhere nests deeper than NestingLimit.
func CheckNesting(tree map[string]any) error {
	if tooDeep(tree, NestingLimit) {
		return &NestingError{Limit: NestingLimit}
	}
	return nil
}

func asTree(value any) (map[string]any, error) {
	switch v := value.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return v, CheckNesting(v)
	default:
		return nil, &NotMapError{Found: describe(v)}
	}
}

func tooDeep(value any, levels int) bool {
	switch v := value.(type) {
	case map[string]any:
		if levels == 0 {
			return true
		}
		for _, child := range v {
			if tooDeep(child, levels-1) {
				return true
			}
		}
	case []any:
		if levels == 0 {
			return true
		}
		for _, child := range v {
			if tooDeep(child, levels-1) {
				return true
			}
		}
	}
	return false
}

// describe names the shape of a value with its article.
func describe(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	default:
		return "a number"
	}
}

// yamlSyntax keeps the line of a parser's error and its wording only where that is known to quote nothing: a document
// may hold secrets.
func yamlSyntax(err error) error {
	out := &SyntaxError{Format: "YAML"}
	text := err.Error()
	if m := regexp.MustCompile(`line (\d+):`).FindStringSubmatch(text); m != nil {
		if line, convErr := strconv.Atoi(m[1]); convErr == nil {
			out.Line = line
		}
	}
	for _, known := range []string{
		"mapping values are not allowed in this context", "did not find expected key",
		"did not find expected '-' indicator", "did not find expected node content",
		"did not find expected ',' or ']'", "did not find expected ',' or '}'",
		"found character that cannot start any token", "could not find expected ':'",
		"block sequence entries are not allowed in this context", "found unexpected end of stream",
		"found a tab character that violates indentation", "document contains excessive aliasing",
	} {
		if strings.Contains(text, known) {
			out.Problem = known
			break
		}
	}
	return out
}

func jsonSyntax(data []byte, err error) error {
	out := &SyntaxError{Format: "JSON"}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset <= int64(len(data)) {
		out.Line = 1 + strings.Count(string(data[:syntax.Offset]), "\n")
	}
	return out
}
