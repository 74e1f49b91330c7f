package schema

import (
	"testing"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// FuzzCheck: no schema and no values take the process down, two checks say the same, and where Helm can use the schema
// without a network both agree.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"properties": {"a": {"type": "string"}}}`), []byte("a: 5"))
	f.Add([]byte(`{"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#"}}}`), []byte("a: {}"))
	f.Add([]byte(`{"$schema": "http://json-schema.org/draft-04/schema#", "id": "x", "not": {}}`), []byte("a: [1]"))
	f.Add([]byte(`{"$id": "file:///x", "anyOf": [{"$ref": "y#/z"}, true], "minimum": 1e999}`), []byte("a: .inf"))
	f.Add([]byte(`{"additionalProperties": false, "patternProperties": {"(": {}}}`), []byte("global: {a: null}"))
	for seed := range uint64(20) {
		f.Add([]byte(randomDocument(source(seed), 3)), []byte(jsonText(randomTree(source(seed), 3))))
	}
	f.Fuzz(func(t *testing.T, schema, given []byte) {
		quiet(t)
		tree, err := values.Decode(given)
		if err != nil {
			return
		}
		c, err := chart.FromFiles([]chart.File{
			{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: fuzz\nversion: 1.0.0\n")}, {Name: "values.schema.json", Data: schema},
		}, chart.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		k := NewChecker()
		first := check(t, k, c, freeFormValues(tree))
		for i, fault := range check(t, NewChecker(), c, freeFormValues(tree)) {
			if fault != first[i] {
				t.Fatalf("two checks differ: %v", lines(first))
			}
		}
		if _, err := k.Unknown(c, freeFormValues(tree)); err != nil {
			t.Fatal(err)
		}
	})
}
