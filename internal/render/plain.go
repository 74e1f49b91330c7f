package render

import "strings"

// plain says a cause of the template engine in words for somebody who does not know Go. A cause it does not know is
// passed on with the names of types replaced. Values that the engine quotes are dropped where it is known to quote them.
func plain(cause string) string {
	function := ""
	if rest, ok := strings.CutPrefix(cause, "error calling "); ok {
		if name, inner, ok := strings.Cut(rest, ": "); ok {
			function, cause = name+": ", inner
		}
	}
	if said, ok := known(cause); ok {
		return function + said
	}
	return function + typesInWords(cause)
}

// known translates the causes that come up in practice.
func known(cause string) (string, bool) {
	switch {
	case strings.HasPrefix(cause, "nil pointer evaluating "):
		return field(cause) + " is read from a value that is not set", true
	case strings.HasPrefix(cause, "can't evaluate field "):
		name, _, _ := strings.Cut(strings.TrimPrefix(cause, "can't evaluate field "), " in type ")
		return "looks for " + name + " in a value that is no map", true
	case strings.HasPrefix(cause, "wrong type for value; expected "):
		want, got, _ := strings.Cut(strings.TrimPrefix(cause, "wrong type for value; expected "), "; got ")
		return "expected " + typeInWords(want) + ", found " + typeInWords(got), true
	case strings.HasPrefix(cause, "invalid value; expected "):
		return "expected " + typeInWords(strings.TrimPrefix(cause, "invalid value; expected ")) + ", and the value is not set", true
	case strings.HasPrefix(cause, "reflect: "):
		return "a value is not set, or of a type that cannot be used here", true
	case strings.HasPrefix(cause, "range can't iterate over "):
		return "a list or a map is expected", true
	case strings.HasPrefix(cause, "rendering template has a nested reference name"):
		return "the template includes itself without an end", true
	case strings.HasPrefix(cause, "exceeded maximum template depth"):
		return "the template calls itself without an end", true
	case strings.HasPrefix(cause, "rendering template failed: "):
		return "the template engine broke off on a value it cannot handle", true
	}
	return "", false
}

// field returns the last name of "nil pointer evaluating interface {}.name".
func field(cause string) string { return cause[strings.LastIndex(cause, ".")+1:] }

// typeInWords names a type of Go as a person who writes values knows it.
func typeInWords(kind string) string {
	switch strings.TrimSpace(kind) {
	case "string":
		return "text"
	case "interface {}", "any":
		// What is not set has no type of its own.
		return "nothing"
	case "bool":
		return "a boolean"
	case "map[string]interface {}", "map[string]any", "chartutil.Values":
		return "a map"
	case "[]interface {}", "[]any", "[]string":
		return "a list"
	case "int", "int64", "float64":
		return "a number"
	default:
		return "a value of another type"
	}
}

// typesInWords replaces the names of types within a text. Longer names go first, since they hold the shorter ones.
func typesInWords(text string) string {
	return strings.NewReplacer(
		"map[string]interface {}", "map", "map[string]any", "map", "chartutil.Values", "map",
		"[]interface {}", "list", "[]any", "list", "interface {}", "value",
		"float64", "number", "int64", "number", "<nil>", "nothing", "%!", "",
	).Replace(text)
}
