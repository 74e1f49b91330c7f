package schema

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// The definitions of Kubernetes' own types, one JSON object a line; kubernetes/generate.go made them of release 1.37.
//
//go:embed kubernetes/definitions.json.gz
var packedDefinitions []byte

// kubernetesDocument answers for any URL that ends in _definitions.json, the name under which the schemas of Kubernetes'
// types are published. Only the definitions that the fragments lead to are in the document: checking all of them against
// the metaschema would take longer than everything else. An unknown name is a definition that allows everything.
func kubernetesDocument(address string, fragments []string) ([]byte, bool) {
	u, err := url.Parse(address)
	if err != nil || path.Base(u.Path) != "_definitions.json" {
		return nil, false
	}
	all, err := readDefinitions()
	if err != nil {
		return nil, false
	}
	chosen := map[string]json.RawMessage{}
	for _, fragment := range fragments {
		if tokens := pointer(fragment); len(tokens) > 1 && tokens[0] == "definitions" {
			choose(tokens[1], all, chosen)
		}
	}
	document, err := json.Marshal(map[string]any{"definitions": chosen})
	return document, err == nil
}

func choose(name string, all, chosen map[string]json.RawMessage) {
	if _, done := chosen[name]; done {
		return
	}
	definition, ok := all[name]
	if !ok {
		chosen[name] = json.RawMessage("{}")
		return
	}
	chosen[name] = definition
	const prefix = `"#/definitions/`
	for rest := definition; ; {
		i := bytes.Index(rest, []byte(prefix))
		if i < 0 {
			return
		}
		rest = rest[i+len(prefix):]
		choose(string(rest[:bytes.IndexByte(rest, '"')]), all, chosen)
	}
}

func readDefinitions() (map[string]json.RawMessage, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packedDefinitions))
	if err != nil {
		return nil, err //nolint:wrapcheck // the one caller only asks whether there is one
	}
	all := map[string]json.RawMessage{}
	for decoder := json.NewDecoder(unzipped); decoder.More(); {
		var line struct {
			Name   string
			Schema json.RawMessage
		}
		if err := decoder.Decode(&line); err != nil {
			return nil, err //nolint:wrapcheck // see above
		}
		all[line.Name] = line.Schema
	}
	return all, nil
}

// permissiveDocument stands for a document that is not read: every fragment leads to a schema that allows everything.
func permissiveDocument(fragments []string) []byte {
	root := map[string]any{}
	anchors := map[string]any{}
	for i, fragment := range fragments {
		switch {
		case fragment == "":
		case strings.HasPrefix(fragment, "/"):
			plant(root, pointer(fragment))
		default:
			anchors[strconv.Itoa(i)] = map[string]any{"$anchor": fragment}
		}
	}
	if len(anchors) > 0 {
		root["$defs"] = merged(root["$defs"], anchors)
	}
	text, err := json.Marshal(root)
	if err != nil {
		return []byte("true")
	}
	return text
}

func plant(root map[string]any, tokens []string) {
	for _, token := range tokens {
		next, ok := root[token].(map[string]any)
		if !ok {
			next = map[string]any{}
			root[token] = next
		}
		root = next
	}
}

func merged(into any, more map[string]any) map[string]any {
	out, ok := into.(map[string]any)
	if !ok {
		out = map[string]any{}
	}
	maps.Copy(out, more)
	return out
}
