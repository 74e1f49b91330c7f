package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// listed is how many names or values a message lists at most.
const listed = 12

// typeWords says which types are expected and which was found, with the cure for a missing or needless pair of quotes.
func typeWords(types []string, value any) string {
	var names []string
	for _, t := range types {
		if name := typeName(t); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return "must be " + or(names) + ", not " + shape(value, types) + quotesHint(types, value)
}

func typeName(t string) string {
	switch t {
	case "object":
		return "a map"
	case "array":
		return "a list"
	case "integer":
		return "a whole number"
	case "null":
		return "null"
	default:
		return "a " + t
	}
}

// shape names what a value is, with its article.
func shape(value any, expected []string) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	case float64:
		if v != math.Trunc(v) && slices.Contains(expected, "integer") {
			return "a number with a fraction"
		}
	}
	return "a number"
}

func quotesHint(types []string, value any) string {
	switch v := value.(type) {
	case string:
		if _, err := strconv.ParseBool(v); err == nil && slices.Contains(types, "boolean") {
			return "; write it without quotes"
		}
		if _, err := strconv.ParseFloat(v, 64); err == nil && (slices.Contains(types, "integer") || slices.Contains(types, "number")) {
			return "; write it without quotes"
		}
	case bool, float64:
		if slices.Contains(types, "string") {
			return "; put it in quotes"
		}
	}
	return ""
}

func enumWords(allowed []any, value any) string {
	var texts []string
	var names []string
	for _, a := range allowed {
		if text := printJSON(a); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		if name, ok := a.(string); ok {
			names = append(names, name)
		}
	}
	words := "must be one of " + or(texts)
	if len(texts) == 1 {
		words = "must be " + texts[0]
	}
	if s, ok := value.(string); ok {
		if near := nearest(s, names); near != "" {
			words += " (did you mean " + strconv.Quote(near) + "?)"
		}
	}
	return words
}

// or joins names the way a person lists them, the first ones of a long list.
func or(names []string) string {
	if len(names) > listed {
		return strings.Join(names[:listed], ", ") + fmt.Sprintf(" or %d more", len(names)-listed)
	}
	switch len(names) {
	case 0:
		return "something else"
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// boundWords puts the keywords into words that bound a value, and says whether the value helps to understand.
func (s site) boundWords() (string, bool) {
	arg := fmt.Sprint(s.arg)
	switch s.keyword {
	case "pattern":
		return "must match the pattern " + arg, true
	case "format":
		return "must be " + formatName(arg), true
	case "minimum":
		return "must be at least " + arg, true
	case "maximum":
		return "must be at most " + arg, true
	case "exclusiveMinimum":
		return "must be greater than " + s.exclusive("minimum"), true
	case "exclusiveMaximum":
		return "must be less than " + s.exclusive("maximum"), true
	case "multipleOf":
		return "must be a multiple of " + arg, true
	case "minLength":
		if s.value == "" {
			return "must not be empty", false
		}
		return "must have at least " + count(arg, "character"), false
	case "maxLength":
		return "must have at most " + count(arg, "character"), false
	default:
		return s.collectionWords(arg), false
	}
}

func (s site) collectionWords(arg string) string {
	switch s.keyword {
	case "minItems":
		return "must have at least " + count(arg, "entry") + s.size()
	case "maxItems":
		return "must have at most " + count(arg, "entry") + s.size()
	case "additionalItems", "unevaluatedItems":
		return "has more entries than the chart knows"
	case "uniqueItems":
		return "must not hold the same entry twice"
	case "contains", "minContains":
		return "lacks an entry of the form the chart needs"
	case "maxContains":
		return "has too many entries of one form"
	case "minProperties":
		return "must have at least " + count(arg, "key") + s.size()
	case "maxProperties":
		return "must have at most " + count(arg, "key") + s.size()
	case "oneOf":
		return "fits several of the forms of which it may fit only one"
	case "not":
		return notWords(s.arg)
	case "false":
		return "is not allowed here"
	default:
		return "breaks the chart's rule «" + s.keyword + "»"
	}
}

// exclusive reads a bound of draft 4, where the exclusive keyword is a mark on the other one, or of later drafts.
func (s site) exclusive(inclusive string) string {
	if _, mark := s.arg.(bool); mark {
		return fmt.Sprint(s.schema[inclusive])
	}
	return fmt.Sprint(s.arg)
}

func (s site) size() string {
	switch v := s.value.(type) {
	case []any:
		return ", not " + strconv.Itoa(len(v))
	case map[string]any:
		return ", not " + strconv.Itoa(len(v))
	}
	return ""
}

func count(number, noun string) string {
	switch {
	case number == "1":
		return "one " + noun
	case noun == "entry":
		return number + " entries"
	default:
		return number + " " + noun + "s"
	}
}

func notWords(arg any) string {
	schema, _ := arg.(map[string]any)
	switch {
	case len(schema) != 1:
	case schema["required"] != nil:
		return "must not have the key " + strings.Join(texts(schema["required"]), " together with ")
	case schema["const"] != nil:
		return "must not be " + printJSON(schema["const"])
	case schema["enum"] != nil:
		var names []string
		for _, each := range list(schema["enum"]) {
			names = append(names, printJSON(each))
		}
		return "must not be " + or(names)
	case schema["type"] != nil:
		var names []string
		for _, t := range texts(schema["type"]) {
			names = append(names, typeName(t))
		}
		return "must not be " + or(names)
	case schema["pattern"] != nil:
		return "must not match the pattern " + fmt.Sprint(schema["pattern"])
	}
	return "has a form that the chart rules out"
}

func formatName(format string) string {
	switch format {
	case "email", "idn-email":
		return "an e-mail address"
	case "hostname", "idn-hostname":
		return "a host name"
	case "ipv4":
		return "an IPv4 address"
	case "ipv6":
		return "an IPv6 address"
	case "uri", "iri":
		return "a URL with a scheme, such as https://"
	case "uri-reference", "iri-reference":
		return "a URL or a path"
	case "date":
		return "a date, such as 2026-01-31"
	case "time":
		return "a time of day with a zone, such as 10:20:30Z"
	case "date-time":
		return "a date and time, such as 2026-01-31T10:20:30Z"
	case "duration":
		return "an ISO 8601 duration, such as PT5M"
	case "regex":
		return "a regular expression"
	case "semver":
		return "a semantic version, such as 1.2.3"
	case "uuid":
		return "a UUID"
	default:
		return "of the format " + format
	}
}

// formsWords names up to three of the forms a value could have taken and what keeps it from each.
func formsWords(at []string, branches [][]finding) string {
	var forms []string
	for _, branch := range branches {
		if len(branch) == 0 {
			continue
		}
		first := branch[0]
		words := first.words
		if below := first.at[min(len(at), len(first.at)):]; len(below) > 0 {
			words = dotted(below) + " " + words
		}
		if !slices.Contains(forms, words) {
			forms = append(forms, words)
		}
	}
	const shown = 3
	more := ""
	if len(forms) > shown {
		more = fmt.Sprintf("; or one of %d further forms", len(forms)-shown)
		forms = forms[:shown]
	}
	return "fits none of the forms it may have: either it " + strings.Join(forms, "; or it ") + more
}
