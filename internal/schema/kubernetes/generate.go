//go:build ignore

// Generate writes definitions.json.gz from the OpenAPI document of a Kubernetes release: the definitions that charts
// refer to under a public _definitions.json, small enough to carry along. Run it in this folder:
//
//	go run generate.go PATH/TO/k8s.io/kubernetes@v1.37.2/api/openapi-spec/swagger.json
//
// What a running API server answers under /openapi/v2 serves as well.
package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "generating the Kubernetes definitions:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("one argument is needed, the path of an OpenAPI v2 document")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var document struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return err
	}
	for name, definition := range document.Definitions {
		document.Definitions[name] = lean(definition)
	}
	loosen(document.Definitions)
	return write(document.Definitions)
}

// lean drops prose and Kubernetes' own extensions, and lets optional properties be null, as an API server does.
func lean(schema map[string]any) map[string]any {
	out := map[string]any{}
	required, _ := schema["required"].([]any)
	for key, value := range schema {
		switch {
		case key == "description" || key == "default" || key == "format" || strings.HasPrefix(key, "x-kubernetes-"):
		case key == "properties":
			properties := map[string]any{}
			for name, property := range value.(map[string]any) {
				properties[name] = optional(lean(property.(map[string]any)), slices.Contains(required, any(name)))
			}
			out[key] = properties
		case key == "items" || key == "additionalProperties":
			if inner, ok := value.(map[string]any); ok {
				value = lean(inner)
			}
			out[key] = value
		default:
			out[key] = value
		}
	}
	return out
}

func optional(schema map[string]any, required bool) map[string]any {
	if required {
		return schema
	}
	if _, ok := schema["$ref"]; ok {
		return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
	}
	if kind, ok := schema["type"].(string); ok {
		schema["type"] = []any{kind, "null"}
	}
	return schema
}

// loosen gives the types that OpenAPI v2 calls strings the other form an API server takes as well.
func loosen(definitions map[string]map[string]any) {
	definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"] = map[string]any{"type": []any{"string", "integer"}}
	definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"] = map[string]any{"type": []any{"string", "number"}}
}

func write(definitions map[string]map[string]any) error {
	out, err := os.Create("definitions.json.gz")
	if err != nil {
		return err
	}
	zipped, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	// One definition a line, in order: the same release gives the same bytes.
	encoder := json.NewEncoder(zipped)
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		if err := encoder.Encode(map[string]any{"name": name, "schema": definitions[name]}); err != nil {
			return err
		}
	}
	if err := zipped.Close(); err != nil {
		return err
	}
	return out.Close()
}
