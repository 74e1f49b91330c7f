package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The limits of one schema.
const (
	maxSchemaBytes = 8 << 20
	maxRefDepth    = 200
	maxNesting     = 200
	// maxBranches bounds how many schemas one value may have to be held against, so that alternatives that multiply do
	// not take a check down.
	maxBranches = 100_000
	// maxRepairs bounds how many unusable parts of a schema are set aside before it is given up as a whole.
	maxRepairs = 20
)

// compiled is one values.schema.json ready for use. It is immutable and shared by all charts that ship the same bytes.
type compiled struct {
	schema *jsonschema.Schema // nil when nothing of it can be used
	text   []byte             // what was compiled, unusable parts set aside
	doc    func() any         // text, parsed when somebody has to be told about a fault
	extern map[string][]byte  // documents that were built in for its references, by URL
	gaps   []string           // what is not checked, and why, one sentence each
	keys   []string           // what it says anything about, unless it may be anything
	any    bool
	flat   []string // of those it names, the keys under which it is all the same to it what is inside
	scoped bool     // whether what a reference means may depend on the way to it
}

// compile never fails: what cannot be used becomes a gap.
func compile(text []byte) *compiled {
	if len(text) > maxSchemaBytes {
		return unusable(fmt.Sprintf("it is larger than %d MiB", maxSchemaBytes>>20))
	}
	doc, err := parse(text)
	if err != nil {
		return unusable("it is not valid JSON")
	}
	facts := inspect(doc)
	if facts.reason != "" {
		return unusable(facts.reason)
	}
	c := &compiled{extern: map[string][]byte{}, scoped: facts.newest}
	if dropUnknownDialect(doc) {
		c.gaps = append(c.gaps, "its $schema is no known version of JSON Schema; it is read as 2020-12")
	}
	speakOlder(doc, facts)
	dropBadIdentifiers(doc)
	hash := sha256.Sum256(text)
	build := builder{base: "chart:///" + hex.EncodeToString(hash[:8]) + "/values.schema.json", facts: facts, into: c}
	for range maxRepairs {
		if c.text, err = json.Marshal(doc); err != nil {
			return unusable("it is not valid JSON")
		}
		if c.schema, err = build.run(); err == nil {
			c.gaps = append(c.gaps, build.gaps()...)
			if c.any = facts.embedded; !c.any {
				keys, listed := interest(doc)
				c.keys, c.any, c.flat = keys, !listed, flat(doc)
			}
			c.doc = sync.OnceValue(func() any { return reparse(c.text) })
			return c
		}
		gap, ok := repair(doc, err)
		if !ok {
			return unusable(reasonOf(err))
		}
		c.gaps = append(c.gaps, gap)
	}
	return unusable("too many of its parts are not valid JSON Schema")
}

func unusable(reason string) *compiled {
	return &compiled{gaps: []string{reason}}
}

// parse keeps numbers as they are written.
func parse(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var doc any
	if err := decoder.Decode(&doc); err != nil {
		return nil, fmt.Errorf("reading a schema: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("reading a schema: there is more than one JSON value")
	}
	return doc, nil
}

// reparse reads text that was parsed before.
func reparse(text []byte) any {
	doc, err := parse(text)
	if err != nil {
		return nil
	}
	return doc
}

// dropUnknownDialect removes a $schema that names no version of JSON Schema, so that it is read as the newest one. A
// misspelled «schema» has no meaning and so the same effect.
func dropUnknownDialect(doc any) bool {
	root, ok := doc.(map[string]any)
	if !ok {
		return false
	}
	named, ok := root["$schema"]
	if !ok || knownDialect(named) {
		return false
	}
	delete(root, "$schema")
	return true
}

func knownDialect(named any) bool {
	address, ok := named.(string)
	if !ok {
		return false
	}
	address = strings.TrimSuffix(strings.TrimSuffix(address, "/"), "#")
	address = strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "http://")
	switch address {
	case "json-schema.org/schema", "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
		"json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema":
		return true
	}
	return false
}

// speakOlder has a schema of 2020-12 read as 2019-09 where both mean the same: for each subschema of 2020-12 the library
// searches all others for dynamic anchors, which takes seconds for a large one.
func speakOlder(doc any, facts facts) {
	root, ok := doc.(map[string]any)
	if !ok || facts.newest {
		return
	}
	named, _ := root["$schema"].(string)
	if named == "" || strings.Contains(named, "2020-12") || !strings.Contains(named, "draft") {
		root["$schema"] = "https://json-schema.org/draft/2019-09/schema"
	}
}

// dropBadIdentifiers removes every $id that is no URL. Nothing can refer to it, so nothing is lost.
func dropBadIdentifiers(node any) {
	switch node := node.(type) {
	case map[string]any:
		if id, ok := node["$id"].(string); ok {
			if _, err := url.Parse(id); err != nil {
				delete(node, "$id")
			}
		}
		for _, child := range node {
			dropBadIdentifiers(child)
		}
	case []any:
		for _, child := range node {
			dropBadIdentifiers(child)
		}
	}
}

// builder compiles under a private URL, so that no identifier of a schema meets another's and no file is ever meant.
type builder struct {
	base    string
	facts   facts
	into    *compiled
	unknown map[string]bool
}

// errPanic is what the library could not say otherwise.
var errPanic = errors.New("the schema library gave up")

func (b *builder) run() (schema *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			schema, err = nil, errPanic
		}
	}()
	b.unknown = map[string]bool{}
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.LoadURL = b.load
	asHelmChecks(compiler)
	if err := compiler.AddResource(b.base, bytes.NewReader(b.into.text)); err != nil {
		return nil, fmt.Errorf("adding a schema: %w", err)
	}
	schema, err = compiler.Compile(b.base)
	if err != nil {
		return nil, fmt.Errorf("compiling a schema: %w", err)
	}
	return schema, nil
}

// load answers references to other documents. Nothing is ever fetched.
func (b *builder) load(address string) (io.ReadCloser, error) {
	text, found := kubernetesDocument(address, b.facts.fragments)
	if !found {
		b.unknown[b.printable(address)] = true
		text = permissiveDocument(b.facts.fragments)
	}
	b.into.extern[address] = text
	return io.NopCloser(bytes.NewReader(text)), nil
}

// printable is the URL as the schema may have written it: the private base is nobody's business.
func (b *builder) printable(address string) string {
	folder := strings.TrimSuffix(b.base, "values.schema.json")
	if rest, ok := strings.CutPrefix(address, folder); ok {
		return rest
	}
	if strings.HasPrefix(address, "chart:") {
		return "another file"
	}
	return address
}

func (b *builder) gaps() []string {
	out := make([]string, 0, len(b.unknown))
	for _, address := range sortedKeys(b.unknown) {
		out = append(out, "it refers to "+address+", which is outside the chart and is not read")
	}
	return out
}

// reasonOf puts a compile error into words. The library's own text may hold URLs of ours and Go types.
func reasonOf(err error) string {
	var loop jsonschema.InfiniteLoopError
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(err, &loop):
		return "its references run in a circle"
	case errors.As(err, &invalid):
		return "it is not valid JSON Schema"
	case strings.Contains(err.Error(), "not found"):
		return "one of its references leads nowhere"
	default:
		return "it does not compile"
	}
}
