package schema

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// randomSchema makes schemas of every keyword that Helm's validator checks.
func randomSchema(r *rand.Rand, depth int) any {
	if r.IntN(25) == 0 {
		return r.IntN(4) > 0
	}
	schema := map[string]any{}
	for range 1 + r.IntN(3) {
		randomKeyword(r, schema, depth)
	}
	if schema["$ref"] != nil {
		// Before 2019-09 what stands beside a $ref is ignored, but Helm's library still looks at const: an intended
		// difference, as the drafts have it.
		delete(schema, "const")
	}
	return schema
}

func randomKeyword(r *rand.Rand, schema map[string]any, depth int) {
	if depth > 0 && r.IntN(2) == 0 {
		nestedKeyword(r, schema, depth-1)
		return
	}
	name := func() string { return names()[r.IntN(len(names()))] }
	types := []string{"object", "array", "string", "number", "integer", "boolean", "null"}
	switch r.IntN(16) {
	case 0:
		schema["type"] = types[r.IntN(len(types))]
	case 1:
		schema["type"] = []any{types[r.IntN(3)], types[3+r.IntN(4)]}
	case 2:
		schema["required"] = []any{name()}
	case 3:
		schema["enum"] = []any{randomValue(r, 1), randomValue(r, 1)}
		if enum := schema["enum"].([]any); jsonText(enum[0]) == jsonText(enum[1]) {
			schema["enum"] = enum[:1]
		}
	case 4:
		schema["const"] = randomValue(r, 0)
	case 5:
		schema["minimum"] = float64(r.IntN(3))
	case 6:
		schema["maximum"] = float64(r.IntN(3))
	case 7:
		schema["exclusiveMinimum"] = 1.5
	case 8:
		schema["multipleOf"] = 2
	case 9:
		schema["minProperties"] = r.IntN(3)
	case 10:
		schema["maxProperties"] = 1 + r.IntN(3)
	case 11:
		schema["minItems"], schema["uniqueItems"] = r.IntN(3), true
	case 12:
		schema["pattern"] = []string{"^x", "y$", "^[0-9]+$"}[r.IntN(3)]
	case 13:
		schema["format"] = []string{"hostname", "ipv4", "email", "uri", "semver", "duration", "nonsense"}[r.IntN(7)]
	case 14:
		schema["maxLength"] = r.IntN(3)
	case 15:
		schema["dependentRequired"] = map[string]any{name(): []any{name()}}
	}
}

func nestedKeyword(r *rand.Rand, schema map[string]any, depth int) {
	name := func() string { return names()[r.IntN(len(names()))] }
	several := func() []any { return []any{randomSchema(r, depth), randomSchema(r, depth)} }
	switch r.IntN(14) {
	case 0, 1, 2:
		properties := map[string]any{}
		for range 1 + r.IntN(4) {
			properties[name()] = randomSchema(r, depth)
		}
		schema["properties"] = properties
		if r.IntN(3) == 0 {
			schema["additionalProperties"] = false
		}
	case 3:
		schema["additionalProperties"] = randomSchema(r, depth)
	case 4:
		schema["items"] = randomSchema(r, depth)
	case 5:
		schema["anyOf"] = several()
	case 6:
		schema["oneOf"] = several()
	case 7:
		schema["allOf"] = several()
	case 8:
		schema["not"] = randomSchema(r, depth)
	case 9:
		schema["if"], schema["then"], schema["else"] = randomSchema(r, depth), randomSchema(r, depth), randomSchema(r, depth)
	case 10:
		schema["patternProperties"] = map[string]any{"^[a-d]": randomSchema(r, depth)}
	case 11:
		schema["propertyNames"] = randomSchema(r, depth)
	case 12:
		schema["$ref"] = "#/definitions/" + []string{"a", "b"}[r.IntN(2)]
	case 13:
		schema["dependencies"] = map[string]any{name(): randomSchema(r, depth)}
		schema["contains"] = randomSchema(r, depth)
		schema["unevaluatedProperties"] = r.IntN(2) == 0
	}
}

func randomDocument(r *rand.Rand, depth int) string {
	doc := map[string]any{}
	if schema, ok := randomSchema(r, depth).(map[string]any); ok {
		doc = schema
	}
	// One definition refers to itself one level deeper. A circle without a level is an intended difference.
	doc["definitions"] = map[string]any{"a": randomSchema(r, 0), "b": map[string]any{
		"properties": map[string]any{"a": map[string]any{"$ref": "#/definitions/b"}, "b": randomSchema(r, 0)},
	}}
	dialects := []string{
		"", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema", "http://json-schema.org/schema#",
		"http://json-schema.org/draft-06/schema#", "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
	}
	if dialect := dialects[r.IntN(len(dialects))]; dialect != "" {
		doc["$schema"] = dialect
	}
	if r.IntN(6) == 0 {
		doc["$id"] = []string{"values.schema.json", "http://example.com/example.json", "https://a.b/c/d", "urn:x:y"}[r.IntN(4)]
	}
	return jsonText(doc)
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// helmJudges returns Helm's verdict, and false where Helm cannot use the schema at all.
func helmJudges(given map[string]any, schema string) (valid, usable bool) {
	err := chartutil.ValidateAgainstSingleSchema(given, []byte(schema))
	var invalid chartutil.JSONSchemaValidationError
	if err == nil || errors.As(err, &invalid) {
		return err == nil, true
	}
	return false, false
}

func TestVerdictEqualsHelmsOnRandomSchemas(t *testing.T) {
	quiet(t)
	var valid, invalid, unusable int
	for seed := range uint64(500) {
		r := source(seed)
		schema := randomDocument(r, 3)
		c := made{name: "root", schema: schema}.chart(t)
		k := NewChecker()
		for range 5 {
			given := randomTree(r, 3)
			want, usable := helmJudges(values.DeepCopy(given), schema)
			faults := check(t, k, c, freeFormValues(given))
			switch {
			case !usable:
				unusable++
			case refused(faults) == want:
				t.Fatalf("seed %d: Helm says valid=%v of %s\nwith the schema %s\nwe say %v", seed, want, jsonText(given), schema, lines(faults))
			case want:
				valid++
			default:
				invalid++
			}
		}
	}
	if valid < 300 || invalid < 300 || unusable > 500 {
		t.Errorf("%d valid, %d invalid and %d unusable cases: the generator is out of balance", valid, invalid, unusable)
	}
}

func TestVerdictEqualsHelmsOnRandomChartsWithSchemas(t *testing.T) {
	quiet(t)
	var valid, invalid int
	for seed := range uint64(60) {
		r := source(seed)
		// No schema here says anything about the global as a whole, which Helm puts into every subchart: that it is
		// never a fault is an intended difference with a test of its own.
		c := randomChart(r, func() string {
			if r.IntN(2) == 0 {
				return ""
			}
			inGlobal := map[string]any{"properties": map[string]any{"a": randomSchema(r, 0)}}
			return jsonText(map[string]any{
				"properties":  map[string]any{"a": randomSchema(r, 1), "global": inGlobal},
				"definitions": map[string]any{"a": randomSchema(r, 0), "b": true},
			})
		}).chart(t)
		k := NewChecker()
		for range 6 {
			given := withGlobals(r, map[string]any{"a": randomTree(r, 2), "sub": map[string]any{"a": randomValue(r, 2)}})
			_, err := helmValues(t, c, values.DeepCopy(given))
			faults := check(t, k, c, freeFormValues(given))
			if (err != nil) != refused(faults) {
				t.Fatalf("seed %d: Helm says %v of %s, we say %v", seed, err, jsonText(given), lines(faults))
			}
			if err == nil {
				valid++
			} else {
				invalid++
			}
		}
	}
	if valid < 20 || invalid < 20 {
		t.Errorf("%d valid and %d invalid cases: the generator is too tame", valid, invalid)
	}
}

func TestFormatsAreHelms(t *testing.T) {
	texts := []string{
		"", "a", "a.b", "a.b.", "-a.b", "a.-b", "a-.b", "a_b", "a..b", "127.0.0.1", "127.0.0.01", "1.2.3", "::1", "fe80::1%eth0", "::ffff:1.2.3.4",
		"a@b", "a@b.c", "a b@c", "\"a b\"@c", ".a@b", "a..b@c", "a@[127.0.0.1]", "a@[IPv6:::1]", "a@-b",
		"P1D", "P", "PT", "PT1H", "P1W", "P1W2D", "P1DT", "P1M2Y", "2026-01-31", "2026-02-31", "10:20:30Z", "10:20:30", "2026-01-31T10:20:30Z",
		"P1D/2026-01-31T10:20:30Z", "2026-01-31T10:20:30Z/P1D", "2026-01-31T10:20:30Z/2026-01-31T10:20:30Z", "P1D/P1D",
		"1.2.3-a.1+b", "v1.2.3", "1.2", "01.2.3", "http://a", "/a", "http://[::1]/", "http://::1/", "a\\b", "{a}", "(", "[a-z]+",
		"/a~1b", "/a~2", "0/a", "00", "1#", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380",
	}
	formats := []string{
		"hostname", "idn-hostname", "ipv4", "ipv6", "ip-address", "email", "idn-email", "duration", "period", "date", "time", "date-time", "semver",
		"uri", "iri", "uri-reference", "uriref", "uri-template", "regex", "json-pointer", "relative-json-pointer", "uuid",
	}
	for _, format := range formats {
		schema := `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"v": {"format": "` + format + `"}}}`
		c := made{name: "root", schema: schema}.chart(t)
		k := NewChecker()
		for _, text := range texts {
			given := map[string]any{"v": text}
			want, usable := helmJudges(given, schema)
			if faults := check(t, k, c, freeFormValues(given)); usable && refused(faults) == want {
				t.Errorf("%s %q: Helm says valid=%v, we say %v", format, text, want, lines(faults))
			}
		}
	}
}
