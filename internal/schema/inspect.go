package schema

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// facts is what must be known of a schema before it is compiled.
type facts struct {
	reason    string   // why it is not even tried
	fragments []string // fragments of every reference to another document
	embedded  bool     // whether a part of it is a document of its own, in which references mean something else
	newest    bool     // whether it uses a keyword that 2020-12 reads in another way than 2019-09
}

// inspect walks the whole document once. It takes every $ref for a reference, also where it is only data: that costs
// nothing but a fragment too many.
func inspect(doc any) facts {
	w := walker{root: doc, cost: map[uintptr]int{}, depth: map[uintptr]int{}, seen: map[string]bool{}}
	w.walk(doc, 0)
	return facts{reason: w.reason, fragments: sortedKeys(w.seen), embedded: w.embedded, newest: w.newest}
}

type walker struct {
	root     any
	reason   string
	cost     map[uintptr]int // schemas one value is held against, in place
	depth    map[uintptr]int // references that follow each other, in place
	seen     map[string]bool
	newest   bool
	embedded bool
}

func (w *walker) walk(node any, level int) {
	if w.reason != "" {
		return
	}
	if level > maxNesting {
		w.reason = fmt.Sprintf("it nests deeper than %d levels", maxNesting)
		return
	}
	switch node := node.(type) {
	case map[string]any:
		w.judge(node)
		w.embedded = w.embedded || level > 0 && (isText(node["$id"]) || isText(node["id"]))
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			if ref, ok := node[keyword].(string); ok {
				if url, fragment, _ := strings.Cut(ref, "#"); url != "" {
					w.seen[fragment] = true
				}
			}
		}
		for keyword, child := range node {
			w.newest = w.newest || readDifferently(keyword, child)
			w.walk(child, level+1)
		}
	case []any:
		for _, child := range node {
			w.walk(child, level+1)
		}
	}
}

func isText(value any) bool {
	_, ok := value.(string)
	return ok
}

// readDifferently reports whether 2019-09 and 2020-12 could disagree about a keyword. Properties of that name count too.
func readDifferently(keyword string, value any) bool {
	switch keyword {
	case "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary",
		"prefixItems", "additionalItems", "unevaluatedItems":
		return true
	case "items":
		_, tuple := value.([]any)
		return tuple
	}
	return false
}

func (w *walker) judge(node map[string]any) {
	cost, depth := w.inPlace(node)
	switch {
	case depth > maxRefDepth:
		w.reason = fmt.Sprintf("more than %d references follow each other in it", maxRefDepth)
	case cost > maxBranches:
		w.reason = fmt.Sprintf("it holds one value against more than %d alternatives", maxBranches)
	}
}

// inPlace counts what a single value meets at a schema: alternatives multiply, references follow each other. A circle
// counts as nothing; the library finds it.
func (w *walker) inPlace(node map[string]any) (cost, depth int) {
	id := reflect.ValueOf(node).Pointer()
	if cost, ok := w.cost[id]; ok {
		return cost, w.depth[id]
	}
	w.cost[id], w.depth[id] = 0, 0
	cost = 1
	visit := func(child any, hops int) {
		if schema, ok := child.(map[string]any); ok {
			c, d := w.inPlace(schema)
			cost, depth = min(cost+c, maxBranches+1), max(depth, d+hops)
		}
	}
	for keyword, child := range node {
		switch keyword {
		case "allOf", "anyOf", "oneOf":
			for _, each := range list(child) {
				visit(each, 0)
			}
		case "not", "if", "then", "else":
			visit(child, 0)
		case "dependentSchemas", "dependencies":
			if schemas, ok := child.(map[string]any); ok {
				for _, each := range schemas {
					visit(each, 0)
				}
			}
		case "$ref":
			if ref, ok := child.(string); ok && strings.HasPrefix(ref, "#") {
				target, _ := lookup(w.root, pointer(ref[1:]))
				visit(target, 1)
			}
		}
	}
	w.cost[id], w.depth[id] = cost, min(depth, maxRefDepth+1)
	return cost, depth
}

func list(v any) []any {
	out, _ := v.([]any)
	return out
}

// lookup follows a pointer through maps and lists.
func lookup(node any, at []string) (any, bool) {
	for _, token := range at {
		switch parent := node.(type) {
		case map[string]any:
			child, ok := parent[token]
			if !ok {
				return nil, false
			}
			node = child
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return nil, false
			}
			node = parent[i]
		default:
			return nil, false
		}
	}
	return node, true
}
