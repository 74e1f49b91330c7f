package schema

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// judge checks values against one schema and returns the faults without what names the chart.
func judge(t *testing.T, schema, given string) []string {
	t.Helper()
	c := made{name: "odd", schema: schema}.chart(t)
	var out []string
	for _, f := range check(t, NewChecker(), c, freeFormValues(decode(t, given))) {
		text, _, _ := strings.Cut(f.Message, " (chart odd")
		out = append(out, string(f.Code)+" "+strings.TrimPrefix(f.Field, "spec.chart.values.")+": "+text)
	}
	return out
}

const unread = "SchemaUnreadable : the chart's values.schema.json is not checked in full: "

func TestOddSchemasAreUsedAsFarAsTheyGo(t *testing.T) {
	definitions := "https://raw.example.org/v1.34.0/_definitions.json#/definitions/io.k8s.api.core.v1."
	for name, tc := range map[string]struct {
		schema, values string
		want           []string
	}{
		"a misspelled $schema is none": {
			schema: `{"schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "string"}}}`, values: "a: 5",
			want: []string{"SchemaViolation a: must be a string, not a number; put it in quotes"},
		},
		"draft-07 over https": {
			schema: `{"$schema": "https://json-schema.org/draft-07/schema#", "properties": {"a": {"items": [{"type": "string"}]}}}`, values: "a: [5]",
			want: []string{"SchemaViolation a[0]: must be a string, not a number; put it in quotes"},
		},
		"the unversioned URI is 2020-12, where a list of items is no schema": {
			schema: `{"$schema": "http://json-schema.org/schema#", "properties": {"a": {"items": [{"type": "string"}]}, "b": {"type": "string"}}}`,
			values: "{a: [5], b: 5}",
			want: []string{
				"SchemaViolation b: must be a string, not a number; put it in quotes",
				unread + "its part at /properties/a/items is not valid JSON Schema and is not used",
			},
		},
		"a $schema nobody knows": {
			schema: `{"$schema": "draft-99", "properties": {"a": {"type": "string"}}}`, values: "a: 5",
			want: []string{
				"SchemaViolation a: must be a string, not a number; put it in quotes",
				unread + "its $schema is no known version of JSON Schema; it is read as 2020-12",
			},
		},
		"a $schema in every definition": {
			schema: `{"$ref": "#/$defs/a.b", "$defs": {"a.b": {"$schema": "http://json-schema.org/draft-07/schema#", "additionalProperties": false}}}`,
			values: "x: 1", want: []string{"SchemaViolation x: is not a key the chart knows here"},
		},
		"a relative $id": {
			schema: `{"$id": "values.strict.json", "$ref": "#/definitions/a", "definitions": {"a": {"properties": {"a": {"$ref": "values.strict.json#/definitions/b"}}}, "b": {"type": "string"}}, "$schema": "https://json-schema.org/draft/2020-12/schema"}`,
			values: "a: 5", want: []string{"SchemaViolation a: must be a string, not a number; put it in quotes"},
		},
		"a public $id": {
			schema: `{"$id": "http://example.com/example.json", "properties": {"a": {"$ref": "http://example.com/example.json#/definitions/b"}}, "definitions": {"b": {"type": "string"}}}`,
			values: "a: 5", want: []string{"SchemaViolation a: must be a string, not a number; put it in quotes"},
		},
		"an $id that is a file": {
			schema: `{"$id": "file:///etc/passwd", "properties": {"a": {"$ref": "shadow"}, "b": {"type": "string"}}}`, values: "{a: 5, b: 5}",
			want: []string{
				"SchemaViolation b: must be a string, not a number; put it in quotes",
				unread + "it refers to file:///etc/shadow, which is outside the chart and is not read",
			},
		},
		"an $id that is nothing": {
			schema: `{"$id": "%zz", "properties": {"b": {"type": "string"}}}`, values: "b: 5",
			want: []string{"SchemaViolation b: must be a string, not a number; put it in quotes"},
		},
		"a reference to another site": {
			schema: `{"properties": {"a": {"$ref": "https://example.org/x.json#/definitions/a"}, "c": {"$ref": "https://example.org/x.json#anchor"}, "b": {"type": "string"}}}`,
			values: "{a: 5, b: 5, c: 5}",
			want: []string{
				"SchemaViolation b: must be a string, not a number; put it in quotes",
				unread + "it refers to https://example.org/x.json, which is outside the chart and is not read",
			},
		},
		"a reference to a file beside the schema": {
			schema: `{"properties": {"a": {"$ref": "types.json#/a"}}}`, values: "a: 5",
			want: []string{unread + "it refers to types.json, which is outside the chart and is not read"},
		},
		"Kubernetes' definitions are built in": {
			schema: `{"properties": {"probe": {"$ref": "` + definitions + `Probe"}, "resources": {"$ref": "` + definitions + `ResourceRequirements"}}}`,
			values: `{probe: {periodSeconds: x, httpGet: {port: http}, tcpSocket: null}, resources: {limits: {cpu: 1, memory: [1]}}}`,
			want: []string{
				"SchemaViolation probe.periodSeconds: must be a whole number or null, not a string",
				"SchemaViolation resources.limits.memory: must be a string or a number, not a list",
			},
		},
		"a definition Kubernetes does not have": {
			schema: `{"properties": {"a": {"$ref": "` + definitions + `Nonsense"}}}`, values: "a: 5", want: nil,
		},
		"a pattern that RE2 does not have": {
			schema: `{"properties": {"a": {"pattern": "^(?!x)", "type": "string"}}}`, values: "a: 5",
			want: []string{
				"SchemaViolation a: must be a string, not a number; put it in quotes",
				unread + "its part at /properties/a/pattern is not valid JSON Schema and is not used",
			},
		},
		"a broken part under a negation takes the negation along": {
			schema: `{"not": {"properties": {"a": {"type": "strng"}}}, "required": ["b"]}`, values: "a: 5",
			want: []string{"SchemaViolation b: is required and not set", unread + "its part at /not is not valid JSON Schema and is not used"},
		},
		"broken properties leave nothing to be additional": {
			schema: `{"properties": [], "additionalProperties": false}`, values: "a: 5",
			want: []string{unread + "its part at /properties is not valid JSON Schema and is not used"},
		},
		"references in a circle": {
			schema: `{"properties": {"a": {"$ref": "#/definitions/a"}}, "definitions": {"a": {"$ref": "#/definitions/a"}}}`, values: "a: 5",
			want: []string{unread + "its references run in a circle"},
		},
		"a reference to nothing": {
			schema: `{"properties": {"a": {"$ref": "#/definitions/a"}}}`, values: "a: 5",
			want: []string{unread + "one of its references leads nowhere"},
		},
		"no JSON":           {schema: `{"a":`, values: "a: 5", want: []string{unread + "it is not valid JSON"}},
		"no schema":         {schema: `[]`, values: "a: 5", want: []string{unread + "it is not valid JSON Schema"}},
		"nothing is valid":  {schema: `false`, values: "a: 5", want: []string{"SchemaViolation spec.chart.values: is not allowed here"}},
		"a chain too long":  {schema: chain(300), values: "a: 5", want: []string{unread + "more than 200 references follow each other in it"}},
		"a chain":           {schema: chain(150), values: "a: 5", want: []string{"SchemaViolation a: must be a string, not a number; put it in quotes"}},
		"a bomb of choices": {schema: choices(30), values: "a: 5", want: []string{unread + "it holds one value against more than 100000 alternatives"}},
		"nested without end": {
			schema: strings.Repeat(`{"items":`, 300) + "{}" + strings.Repeat("}", 300), values: "a: 5",
			want: []string{unread + "it nests deeper than 200 levels"},
		},
		"too large": {
			schema: `{"x":"` + strings.Repeat("a", maxSchemaBytes) + `"}`, values: "a: 5", want: []string{unread + "it is larger than 8 MiB"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if len(tc.schema) > maxSchemaBytes {
				if diff := cmp.Diff([]string{"it is larger than 8 MiB"}, compile([]byte(tc.schema)).gaps); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				return
			}
			if diff := cmp.Diff(tc.want, judge(t, tc.schema, tc.values)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d": {"$ref": "#/definitions/d%d"},`, i, i+1)
	}
	return fmt.Sprintf(`{"properties": {"a": {"$ref": "#/definitions/d0"}}, "definitions": {%s "d%d": {"type": "string"}}}`, b.String(), n)
}

func choices(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d": {"anyOf": [{"$ref": "#/definitions/d%d"}, {"$ref": "#/definitions/d%d"}]},`, i, i+1, i+1)
	}
	return fmt.Sprintf(`{"properties": {"a": {"$ref": "#/definitions/d0"}}, "definitions": {%s "d%d": {"type": "string"}}}`, b.String(), n)
}

func TestEveryKeywordHasPlainWords(t *testing.T) {
	for name, tc := range map[string]struct{ schema, value, want string }{
		"const":                {`{"const": "a"}`, `b`, `v: must be "a", not "b"`},
		"an enum of one":       {`{"enum": ["a"]}`, `b`, `v: must be "a", not "b"`},
		"minimum":              {`{"minimum": 1}`, `0`, `v: must be at least 1, not 0`},
		"exclusive minimum":    {`{"exclusiveMinimum": 1}`, `1`, `v: must be greater than 1, not 1`},
		"exclusive maximum":    {`{"exclusiveMaximum": 1}`, `1`, `v: must be less than 1, not 1`},
		"multiple":             {`{"multipleOf": 2}`, `3`, `v: must be a multiple of 2, not 3`},
		"a fraction":           {`{"type": "integer"}`, `1.5`, `v: must be a whole number, not a number with a fraction`},
		"empty text":           {`{"minLength": 1}`, `""`, `v: must not be empty`},
		"short text":           {`{"minLength": 3}`, `ab`, `v: must have at least 3 characters`},
		"long text":            {`{"maxLength": 1}`, `ab`, `v: must have at most one character`},
		"few entries":          {`{"minItems": 2}`, `[1]`, `v: must have at least 2 entries, not 1`},
		"many entries":         {`{"maxItems": 1}`, `[1, 2]`, `v: must have at most one entry, not 2`},
		"entries twice":        {`{"uniqueItems": true}`, `[1, 1]`, `v: must not hold the same entry twice`},
		"few keys":             {`{"minProperties": 2}`, `{a: 1}`, `v: must have at least 2 keys, not 1`},
		"contains":             {`{"contains": {"const": 1}}`, `[2]`, `v: lacks an entry of the form the chart needs`},
		"a key beside another": {`{"dependentRequired": {"a": ["b"]}}`, `{a: 1}`, `v.b: is required as well when a is set`},
		"a name":               {`{"propertyNames": {"pattern": "^x"}}`, `{a: 1}`, `v.a: has a name that is not allowed: the name must match the pattern ^x`},
		"a host name":          {`{"$schema": "http://json-schema.org/draft-07/schema", "format": "hostname"}`, `a_b`, ``},
		"not a value":          {`{"not": {"enum": ["a", "b"]}}`, `b`, `v: must not be "a" or "b"`},
		"not a key":            {`{"not": {"required": ["a"]}}`, `{a: 1}`, `v: must not have the key a`},
		"several forms at once": {
			`{"oneOf": [{"minimum": 1}, {"maximum": 5}]}`, `3`, `v: fits several of the forms of which it may fit only one`,
		},
		"the form that was meant": {
			`{"oneOf": [{"properties": {"kind": {"const": "a"}, "x": {"type": "string"}}}, {"properties": {"kind": {"const": "b"}}}]}`,
			`{kind: a, x: 1}`, `v.x: must be a string, not a number; put it in quotes`,
		},
		"no form at all": {
			`{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`, `{c: 1}`,
			`v: fits none of the forms it may have: either it a is required and not set; or it b is required and not set`,
		},
		"a condition":      {`{"if": {"required": ["a"]}, "then": {"required": ["b"]}}`, `{a: 1}`, `v.b: is required and not set`},
		"a closed map":     {`{"properties": {"a": {}}, "unevaluatedProperties": false}`, `{b: 1}`, `v.b: is not allowed here`},
		"a forbidden key":  {`{"properties": {"a": false}}`, `{a: 1}`, `v.a: is not allowed here`},
		"an odd key":       {`{"properties": {"a.b/c": {"type": "string"}}}`, `{"a.b/c": 1}`, `v["a.b/c"]: must be a string, not a number; put it in quotes`},
		"many known names": {`{"enum": ["a1","a2","a3","a4","a5","a6","a7","a8","a9","b1","b2","b3","b4"]}`, `5`, `v: must be one of "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3" or 1 more, not 5`},
	} {
		t.Run(name, func(t *testing.T) {
			got := judge(t, `{"properties": {"v": `+tc.schema+`}}`, "v: "+tc.value)
			var want []string
			if tc.want != "" {
				want = []string{"SchemaViolation " + tc.want}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	got := judge(t, `{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"v": {"minimum": 3, "exclusiveMinimum": true}, "w": {"format": "hostname"}}}`, "{v: 3, w: a_b}")
	want := []string{`SchemaViolation v: must be greater than 3, not 3`, `SchemaViolation w: must be a host name, not "a_b"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("draft 4 (-want +got):\n%s", diff)
	}
}

func TestNoMessageNamesAPlaceOnThisMachine(t *testing.T) {
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{`{"$id": "a.json", "$ref": "b.json"}`, `{"$ref": "./c"}`, `{"$id": "%zz", "$ref": "#/x"}`, `{"$schema": "a"}`} {
		for _, line := range judge(t, schema, "a: 5") {
			if strings.Contains(line, folder) || strings.Contains(line, "chart:") || strings.Contains(line, "jsonschema") {
				t.Errorf("%s: %s", schema, line)
			}
		}
	}
}

func TestChecksMayRunAtOnceAndCompileOnce(t *testing.T) {
	m := gitlab()
	m.values["edition"] = "ee"
	c := m.chart(t)
	k := NewChecker()
	e := freeFormValues(decode(t, "{port: x, names: [A, B, C], global: {hosts: {a: 1, b: 2, c: 3}}, gitlab: {gitlab-shell: {sshDaemon: x}}}"))
	want := lines(check(t, NewChecker(), c, e))
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 20 {
				faults, err := k.Check(c, e)
				if err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(want, lines(faults)); diff != "" {
					t.Errorf("another verdict (-want +got):\n%s", diff)
					return
				}
			}
		})
	}
	group.Wait()
	if len(k.plans) != 1 || len(k.schemas) != 3 {
		t.Errorf("%d plans and %d schemas are kept, want 1 and 3", len(k.plans), len(k.schemas))
	}
	m.version = "10.4.2"
	if err := k.Warm(m.chart(t)); err != nil {
		t.Fatal(err)
	}
	if len(k.plans) != 2 || len(k.schemas) != 3 {
		t.Errorf("after a second version %d plans and %d schemas are kept, want 2 and the same 3", len(k.plans), len(k.schemas))
	}
}

func TestTheDigestOfAFaultFollowsTheValue(t *testing.T) {
	m := gitlab()
	m.values["edition"] = "ee"
	c := m.chart(t)
	fault := func(text string) rules.Fault {
		faults := check(t, NewChecker(), c, freeFormValues(decode(t, text)))
		if len(faults) != 1 {
			t.Fatalf("want one fault, got %v", lines(faults))
		}
		return faults[0]
	}
	first, again, other := fault("port: x").Value, fault("port: x").Value, fault("port: y").Value
	if first != again || first == other {
		t.Error("equal values must have equal digests, and other values others")
	}
}
