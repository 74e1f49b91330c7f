package schema

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/values"
)

func TestAProofIsTheLibrarysVerdict(t *testing.T) {
	var valid, invalid int
	for seed := range uint64(3000) {
		r := source(seed)
		c := compile([]byte(randomDocument(r, 3)))
		if c.schema == nil || c.scoped {
			continue
		}
		for range 5 {
			given := randomTree(r, 3)
			want := c.validate(given) == nil
			if got := (prover{}).proves(c, given); got != want {
				t.Fatalf("seed %d: the library says valid=%v of %s\nwith the schema %s", seed, want, jsonText(given), c.text)
			}
			if want {
				valid++
			} else {
				invalid++
			}
		}
	}
	if valid < 3000 || invalid < 3000 {
		t.Errorf("%d valid and %d invalid cases: the generator is out of balance", valid, invalid)
	}
}

func TestASchemaThatRunsInACircleProvesNothing(t *testing.T) {
	c := compile([]byte(`{"$ref": "#/definitions/a", "definitions": {
		"a": {"properties": {"x": {"$ref": "#/definitions/b"}}, "dependencies": {"x": {"$ref": "#/definitions/b"}}},
		"b": {"allOf": [{"$ref": "#/definitions/a"}]}}}`))
	if c.schema == nil {
		t.Fatal("the library sees the circle before it validates: this test guards nothing now")
	}
	if (prover{}).proves(c, map[string]any{"x": map[string]any{}}) {
		t.Error("the references of this schema have no end")
	}
}

func TestASchemaSeesThroughTheSubchartsBetween(t *testing.T) {
	closed := `{"additionalProperties": false, "properties": {"deep": {"type": "object"}, "global": {"type": "object"}}}`
	for name, tc := range map[string]struct{ schema, field string }{
		"a value two levels down": {
			`{"properties": {"sub": {"properties": {"deep": {"properties": {"x": {"type": "string"}}}}}}}`, "spec.chart.values.sub.deep.x"},
		"a global one level down": {
			`{"properties": {"sub": {"properties": {"global": {"properties": {"x": {"type": "string"}}}}}}}`, "spec.chart.values.sub.global.x"},
	} {
		t.Run(name, func(t *testing.T) {
			deep := made{name: "deep", values: map[string]any{"x": 5.0}}
			sub := made{name: "sub", values: map[string]any{}, schema: closed, charts: []made{deep}}
			root := made{name: "root", values: map[string]any{"global": map[string]any{"x": 5.0}}, schema: tc.schema, charts: []made{sub}}
			c := root.chart(t)
			if _, err := helmValues(t, c, map[string]any{}); err == nil {
				t.Fatal("Helm accepts the defaults")
			}
			faults := check(t, NewChecker(), c, freeFormValues(nil))
			if len(faults) != 1 || !strings.Contains(faults[0].Message, "set "+tc.field) {
				t.Errorf("got %v, want one fault of %s", lines(faults), tc.field)
			}
		})
	}
}

// speaking makes a schema that says something of subcharts and globals: nothing but their type, what is in them, or both.
func speaking(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return ""
	}
	properties := map[string]any{}
	for _, name := range []string{"a", "b", "sub", "twin", "deep"} {
		switch r.IntN(8) {
		case 0:
			properties[name] = map[string]any{"type": []any{"object", "null"}}
		case 1:
			properties[name] = map[string]any{"$ref": "#/definitions/a"}
		case 2:
			properties[name] = randomSchema(r, 2)
		}
	}
	if r.IntN(2) == 0 {
		// Of the global as a whole nothing is said: that it is there is never a fault.
		properties["global"] = map[string]any{"properties": map[string]any{"a": randomSchema(r, 1)}}
	}
	doc := map[string]any{"properties": properties, "definitions": map[string]any{"a": map[string]any{"type": "object"}, "b": randomSchema(r, 1)}}
	switch r.IntN(6) {
	case 0:
		doc["allOf"] = []any{map[string]any{"properties": map[string]any{"sub": randomSchema(r, 1)}}}
	case 1:
		doc["patternProperties"] = map[string]any{"^[a-e]": map[string]any{"maxProperties": 1 + r.IntN(4)}}
	case 2:
		doc["required"] = []any{"a"}
	case 3:
		doc["additionalProperties"] = map[string]any{"not": map[string]any{"enum": []any{1, "x", true}}}
	}
	return jsonText(doc)
}

// judgedWhole is the verdict of the library on all values of all charts, put together from scratch.
func judgedWhole(v *variant, given map[string]any) bool {
	c := coalescer{whole: true}
	var judge func(n *node, given map[string]any) bool
	judge = func(n *node, given map[string]any) bool {
		valid := n.schema == nil || n.schema.schema == nil || n.schema.validate(given) == nil
		for _, sub := range n.subcharts {
			if below, ok := given[sub.name].(map[string]any); ok {
				valid = judge(sub, below) && valid
			}
		}
		return valid
	}
	return judge(v.root, c.release(v.root, given)) && len(c.badPlace) == 0
}

func TestNoShortcutChangesAVerdict(t *testing.T) {
	quiet(t)
	var valid, invalid int
	for seed := range uint64(400) {
		r := source(seed)
		c := randomChart(r, func() string { return speaking(r) }).chart(t)
		k := NewChecker()
		for range 10 {
			given := withGlobals(r, map[string]any{"a": randomTree(r, 2), "sub": map[string]any{"a": randomValue(r, 2)}})
			if r.IntN(2) == 0 {
				given = map[string]any{"global": given["global"], "b": randomValue(r, 1)}
			}
			p, err := k.plan(c)
			if err != nil {
				t.Fatal(err)
			}
			v := p.variant(values.DeepCopy(given))
			if v.root == nil || len(v.badPlaces) > 0 {
				continue
			}
			want := judgedWhole(v, values.DeepCopy(given))
			faults := p.check(freeFormValues(given))
			if refused(faults) == want {
				t.Fatalf("seed %d: the library says valid=%v of %s, we say %v", seed, want, jsonText(given), lines(faults))
			}
			if want {
				valid++
			} else {
				invalid++
			}
		}
	}
	if valid < 300 || invalid < 300 {
		t.Errorf("%d valid and %d invalid cases: the generator is out of balance", valid, invalid)
	}
}
