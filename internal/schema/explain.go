package schema

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// finding is one violation in plain words, at a path below the values of its chart.
type finding struct {
	at      []string
	keyword string
	words   string // what is expected: «must be a boolean, not a string»
	found   bool   // whether the value itself helps; it is added only where it may be printed
	missing bool   // the value is not there
	lacking bool   // the value is there and further keys in it could be all it takes
	where   string // the place in the schema
	types   []string
	allowed []any
}

// explainer puts the errors of one chart's values into findings.
type explainer struct {
	compiled *compiled
	given    map[string]any
	extern   map[string]any // parsed on demand: most checks find nothing
}

// site is the place of an error in the schema.
type site struct {
	keyword string
	arg     any            // what the schema says for the keyword
	schema  map[string]any // the schema the keyword stands in
	where   string
	at      []string
	value   any
	there   bool
	entry   string // the key of a dependency
}

// explain flattens an error into the violations a person can act on.
func (x *explainer) explain(e *jsonschema.ValidationError) []finding {
	s := x.site(e)
	switch {
	case (s.keyword == "anyOf" || s.keyword == "oneOf") && len(e.Causes) > 0:
		return x.alternatives(s, e.Causes)
	case len(e.Causes) == 0 || s.keyword == "minContains" || s.keyword == "contains":
		found := s.findings()
		if underPropertyNames(e.KeywordLocation) {
			for i := range found {
				found[i].words, found[i].found = "has a name that is not allowed: the name "+found[i].words, false
			}
		}
		return found
	}
	var out []finding
	for _, cause := range e.Causes {
		out = append(out, x.explain(cause)...)
	}
	return out
}

func (x *explainer) site(e *jsonschema.ValidationError) site {
	url, fragment, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	tokens := pointer(fragment)
	s := site{at: pointer(e.InstanceLocation)}
	s.value, s.there = lookup(x.given, s.at)
	doc := x.doc(url)
	last := len(tokens) - 1
	switch {
	case e.Message == "not allowed":
		s.keyword = "false"
	case last >= 2 && (tokens[last-2] == "dependentRequired" || tokens[last-2] == "dependencies") && isNumber(tokens[last]):
		s.keyword, s.entry = tokens[last-2], tokens[last-1]
		s.arg, _ = lookup(doc, tokens)
		tokens = tokens[:last-2]
	case last >= 0:
		s.keyword = tokens[last]
		s.arg, _ = lookup(doc, tokens)
		tokens = tokens[:last]
	}
	schema, _ := lookup(doc, tokens)
	s.schema, _ = schema.(map[string]any)
	s.where = x.where(url, tokens)
	return s
}

func (x *explainer) doc(url string) any {
	text, ok := x.compiled.extern[url]
	if !ok {
		return x.compiled.doc()
	}
	if x.extern == nil {
		x.extern = map[string]any{}
	}
	if _, ok := x.extern[url]; !ok {
		x.extern[url] = reparse(text)
	}
	return x.extern[url]
}

func (x *explainer) where(url string, tokens []string) string {
	if _, ok := x.compiled.extern[url]; ok && path.Base(url) == "_definitions.json" && len(tokens) > 1 {
		return strings.TrimSpace("Kubernetes definition " + tokens[1] + " " + printPointer(tokens[2:]))
	}
	return strings.TrimSpace("values.schema.json " + printPointer(tokens))
}

// underPropertyNames reports whether an error is about the name of a key, not about its value.
func underPropertyNames(location string) bool {
	tokens := pointer(location)
	for i, token := range tokens {
		if token == "propertyNames" && (i == 0 || !isNameMap(tokens[i-1])) {
			return true
		}
	}
	return false
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// findings puts an error without causes into words.
func (s site) findings() []finding {
	f := finding{at: s.at, keyword: s.keyword, where: s.where}
	switch s.keyword {
	case "required":
		return s.missing()
	case "additionalProperties", "unevaluatedProperties":
		if extra := s.extra(); len(extra) > 0 {
			return extra
		}
		f.words = "holds a key that is not known here"
	case "dependentRequired", "dependencies":
		name, _ := s.arg.(string)
		f.at, f.missing = join(s.at, name), true
		f.words = "is required as well when " + s.entry + " is set"
	case "type":
		f.types = texts(s.arg)
		f.words = typeWords(f.types, s.value)
	case "enum":
		f.allowed, f.found = list(s.arg), true
		f.words = enumWords(f.allowed, s.value)
	case "const":
		f.allowed, f.found = []any{s.arg}, true
		f.words = "must be " + printJSON(s.arg)
	default:
		f.words, f.found = s.boundWords()
		f.lacking = s.keyword == "minProperties"
	}
	return []finding{f}
}

// missing returns one finding for each key that is required and not there.
func (s site) missing() []finding {
	var out []finding
	table, _ := s.value.(map[string]any)
	for _, name := range texts(s.arg) {
		if _, ok := table[name]; !ok {
			out = append(out, finding{
				at: join(s.at, name), keyword: s.keyword, where: s.where, missing: true, words: "is required and not set",
			})
		}
	}
	return out
}

// extra returns one finding for each key that is there and not known.
func (s site) extra() []finding {
	table, _ := s.value.(map[string]any)
	var out []finding
	for _, name := range sortedKeys(table) {
		if allows(s.schema, name) {
			continue
		}
		words := "is not a key the chart knows here"
		properties, _ := s.schema["properties"].(map[string]any)
		if near := nearest(name, sortedKeys(properties)); near != "" {
			words += "; did you mean " + near + "?"
		} else if len(properties) > 0 && len(properties) <= listed {
			words += "; known keys: " + strings.Join(sortedKeys(properties), ", ")
		}
		out = append(out, finding{at: join(s.at, name), keyword: s.keyword, where: s.where, words: words})
	}
	return out
}

// alternatives reduces «fits none of these forms» to what the person most likely got wrong.
func (x *explainer) alternatives(s site, causes []*jsonschema.ValidationError) []finding {
	var fitting [][]finding // branches for a value of this type
	var types []string
	var allowed []any
	onlyValues := true
	for _, cause := range causes {
		branch := x.explain(cause)
		if len(branch) == 1 && branch[0].keyword == "type" && slices.Equal(branch[0].at, s.at) {
			types = append(types, branch[0].types...)
			continue
		}
		fitting = append(fitting, branch)
		if len(branch) == 1 && branch[0].allowed != nil && slices.Equal(branch[0].at, s.at) {
			allowed = append(allowed, branch[0].allowed...)
		} else {
			onlyValues = false
		}
	}
	f := finding{at: s.at, keyword: s.keyword, where: s.where}
	switch {
	case len(fitting) == 0:
		f.keyword, f.types = "type", types
		f.words = typeWords(types, s.value)
	case len(fitting) == 1:
		return fitting[0]
	case onlyValues:
		f.keyword, f.allowed, f.found = "enum", allowed, true
		f.words = enumWords(allowed, s.value)
	default:
		if one := intended(fitting); one != nil {
			return one
		}
		f.words, f.lacking = formsWords(s.at, fitting), slices.ContainsFunc(fitting, lacks)
	}
	return []finding{f}
}

// lacks reports whether a form is only kept from fitting by what is not there.
func lacks(branch []finding) bool {
	return !slices.ContainsFunc(branch, func(f finding) bool { return !f.missing && !f.lacking })
}

// intended returns the one branch whose tags (constants and enumerations) all fit: the form that was meant.
func intended(branches [][]finding) []finding {
	var out []finding
	for _, branch := range branches {
		if slices.ContainsFunc(branch, func(f finding) bool { return f.allowed != nil }) {
			continue
		}
		if out != nil {
			return nil
		}
		out = branch
	}
	return out
}

func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, each := range v {
			if s, ok := each.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

func printJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "another value"
	}
	return string(text)
}
