package values_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// set makes a layer of one value.
func set(kind values.LayerKind, field string, value any, path ...string) values.Layer {
	if kind == values.Derived || kind == values.Override {
		b := values.NewBuilder(kind)
		b.Set(field, value, path...)
		return b.Layer()
	}
	tree := map[string]any{}
	at := tree
	for _, key := range path[:len(path)-1] {
		next := map[string]any{}
		at[key], at = next, next
	}
	at[path[len(path)-1]] = value
	if kind == values.Reference {
		return values.ReferenceTree("spec.chart.valuesFrom[0]", field, field == "Secret s", tree)
	}
	return values.Tree(kind, "spec.chart.values", tree)
}

// fields makes the layer of structured fields that each set one value under global.
func fields(byKey map[string]string) values.Layer {
	b := values.NewBuilder(values.Derived)
	for key, field := range byKey {
		b.Set(field, key, "global", key)
	}
	return b.Layer()
}

func TestShadows(t *testing.T) {
	type seen struct {
		Kind           values.ShadowKind
		Field, Message string
	}
	derived := set(values.Derived, "spec.hostname", "a.example.com", "global", "hosts", "domain")
	for name, tc := range map[string]struct {
		layers []values.Layer
		want   []seen
	}{
		"a free-form value over a structured field": {
			layers: []values.Layer{derived, set(values.FreeForm, "", "b.example.com", "global", "hosts", "domain")},
			want: []seen{{
				values.FieldShadowed, "spec.chart.values.global.hosts.domain",
				"replaces what spec.hostname sets for global.hosts.domain; remove one of the two",
			}},
		},
		"the same value twice is none": {
			layers: []values.Layer{derived, set(values.FreeForm, "", "a.example.com", "global", "hosts", "domain")},
		},
		"a default of the operator's is there to be replaced": {
			layers: []values.Layer{set(values.Derived, "", false, "registry", "enabled"), set(values.FreeForm, "", true, "registry", "enabled")},
		},
		"a reference that the free-form values replace is layering": {
			layers: []values.Layer{set(values.Reference, "ConfigMap a", 1, "x"), set(values.FreeForm, "", 2, "x")},
		},
		"a chart default is there to be replaced": {
			layers: []values.Layer{set(values.ChartDefault, "", 1, "x"), set(values.FreeForm, "", map[string]any{}, "x")},
		},
		"an override over a free-form value": {
			layers: []values.Layer{set(values.FreeForm, "", true, "installCertmanager"), set(values.Override, "", false, "installCertmanager")},
			want: []seen{{
				values.OverrideReplaced, "spec.chart.values.installCertmanager",
				"has no effect: the Operator always sets installCertmanager to false; remove it",
			}},
		},
		"an override over a reference from a Secret tells nothing of it": {
			layers: []values.Layer{set(values.Reference, "Secret s", "hidden-text", "x"), set(values.Override, "", false, "x")},
			want: []seen{{
				values.OverrideReplaced, "spec.chart.valuesFrom[0] (Secret s, x)",
				"has no effect: the Operator always sets x to false; remove it",
			}},
		},
		"a map replaced by a text is one shadow, however many values it had": {
			layers: []values.Layer{
				set(values.Reference, "ConfigMap a", map[string]any{"b": 1, "c": map[string]any{"d": 2}}, "x"),
				set(values.FreeForm, "", "text", "x"),
			},
			want: []seen{{
				values.TableReplaced, "spec.chart.values.x",
				"puts a string where spec.chart.valuesFrom[0] (ConfigMap a, x) has a map, which is lost as a whole; " +
					"give it the same shape, or remove one of the two",
			}},
		},
		"a list replaced by a map": {
			layers: []values.Layer{set(values.Reference, "ConfigMap a", []any{1}, "x"), set(values.FreeForm, "", 1, "x", "y")},
			want: []seen{{
				values.TableReplaced, "spec.chart.values.x",
				"puts a map where spec.chart.valuesFrom[0] (ConfigMap a, x) has a list, which is lost as a whole; " +
					"give it the same shape, or remove one of the two",
			}},
		},
		"a null over structured fields takes them all": {
			layers: []values.Layer{derived, set(values.FreeForm, "", nil, "global")},
			want: []seen{{
				values.FieldShadowed, "spec.chart.values.global", "replaces what spec.hostname sets for global; remove one of the two",
			}},
		},
		"a null that wipes several fields is named, though an override puts a map back": {
			layers: []values.Layer{
				fields(map[string]string{"hosts": "spec.hostname", "psql": "spec.postgresql.host", "redis": "spec.redis.host"}),
				set(values.FreeForm, "", nil, "global"), set(values.Override, "", false, "global", "gatewayApi"),
			},
			want: []seen{{
				values.FieldShadowed, "spec.chart.values.global",
				"removes everything that spec.hostname, spec.postgresql.host and spec.redis.host set under global; write a map here, or leave it out",
			}},
		},
		"of many fields that a text wipes two are named": {
			layers: []values.Layer{
				fields(map[string]string{
					"hosts": "spec.hostname", "psql": "spec.postgresql.host", "user": "spec.postgresql.username", "redis": "spec.redis.host",
					"edition": "spec.edition", "mail": "",
				}),
				set(values.Reference, "ConfigMap a", "text", "global"), set(values.Override, "", false, "global", "gatewayApi"),
			},
			want: []seen{{
				values.TableReplaced, "spec.chart.valuesFrom[0] (ConfigMap a, global)",
				"removes everything that spec.edition, spec.hostname and 2 other fields set under global; write a map here, or leave it out",
			}},
		},
		"a text that an override replaces, with nothing below it": {
			layers: []values.Layer{set(values.FreeForm, "", "text", "x"), set(values.Override, "", 2, "x", "z")},
			want: []seen{{
				values.OverrideReplaced, "spec.chart.values.x",
				`has no effect: the Operator always sets x to {"z":2}; remove it`,
			}},
		},
		"a map lost between two others is named, and what took its place is not without effect": {
			layers: []values.Layer{
				set(values.Reference, "ConfigMap a", 1, "x", "y"), set(values.FreeForm, "", true, "x"),
				set(values.Override, "", 2, "x", "z"),
			},
			want: []seen{{
				values.TableReplaced, "spec.chart.values.x",
				"puts a boolean where spec.chart.valuesFrom[0] (ConfigMap a, x) has a map, which is lost as a whole; " +
					"give it the same shape, or remove one of the two",
			}},
		},
		"an empty map that another layer fills": {
			layers: []values.Layer{set(values.Reference, "ConfigMap a", map[string]any{}, "x"), set(values.FreeForm, "", 1, "x", "y")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []seen
			for _, s := range values.Merge(tc.layers...).Shadows() {
				got = append(got, seen{s.Kind, s.Field(), s.Message()})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestShadowsComeInOneOrder(t *testing.T) {
	for seed := range 300 {
		r := source(seed)
		trees := []map[string]any{randomTree(r, 3), randomTree(r, 3), randomTree(r, 3), randomTree(r, 3)}
		first := values.Merge(layersOf(trees)...).Shadows()
		if diff := cmp.Diff(first, values.Merge(layersOf(trees)...).Shadows()); diff != "" {
			t.Fatalf("seed %d:\n%s", seed, diff)
		}
	}
}
