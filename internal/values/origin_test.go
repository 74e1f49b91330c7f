package values_test

import (
	"testing"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// sample is a tree with all layers.
func sample() values.Effective {
	derived := values.NewBuilder(values.Derived)
	derived.Set("spec.hostname", "gitlab.example.com", "global", "hosts", "gitlab", "name")
	derived.Set("spec.postgresql.host", "db", "global", "psql", "host")
	derived.Set("spec.postgresql.passwordSecretRef.name", "db-password", "global", "psql", "password", "secret")
	derived.Set("", false, "registry", "enabled")
	override := values.NewBuilder(values.Override)
	override.Set("", false, "installCertmanager")
	override.Set("", false, "global", "gatewayApi", "installEnvoy")
	return values.Merge(
		derived.Layer(),
		values.ReferenceTree("spec.chart.valuesFrom[0]", "ConfigMap base", false, map[string]any{
			"global": map[string]any{"hosts": map[string]any{"domain": "example.com"}},
			"redis":  map[string]any{"list": []any{map[string]any{"name": "x"}}},
		}),
		values.Tree(values.FreeForm, "spec.chart.values", map[string]any{
			"global": map[string]any{"time_zone": "UTC", "gatewayApi": map[string]any{"class": map[string]any{}}},
			"gitlab": map[string]any{
				"webservice": map[string]any{
					"nodeSelector": map[string]any{"kubernetes.io/os": "linux"},
					"tolerations":  []any{map[string]any{"key": "a"}},
				},
			},
		}),
		override.Layer(),
	)
}

func TestOriginNamesTheFieldThePersonWrote(t *testing.T) {
	for name, tc := range map[string]struct {
		path      values.Path
		wantKind  values.LayerKind
		wantField string
		wantText  string
	}{
		"a structured field": {
			path: values.Path{"global", "hosts", "gitlab", "name"}, wantKind: values.Derived, wantField: "spec.hostname",
		},
		"a map of structured fields is what they have in common": {
			path: values.Path{"global", "psql"}, wantKind: values.Derived, wantField: "spec.postgresql",
		},
		"a key missing under structured fields": {
			path: values.Path{"global", "psql", "port"}, wantKind: values.Derived, wantField: "spec.postgresql",
		},
		"a default of the operator's": {
			path: values.Path{"registry", "enabled"}, wantKind: values.Derived, wantText: "operator default",
		},
		"a map of defaults alone": {
			path: values.Path{"registry"}, wantKind: values.Derived, wantText: "operator default",
		},
		"a leaf of a reference": {
			path: values.Path{"global", "hosts", "domain"}, wantKind: values.Reference,
			wantField: "spec.chart.valuesFrom[0] (ConfigMap base, global.hosts.domain)",
		},
		"a list of a reference, and inside it": {
			path: values.Path{"redis", "list", "0", "name"}, wantKind: values.Reference,
			wantField: "spec.chart.valuesFrom[0] (ConfigMap base, redis.list[0].name)",
		},
		"a key missing under a reference": {
			path: values.Path{"redis", "host"}, wantKind: values.Reference,
			wantField: "spec.chart.valuesFrom[0] (ConfigMap base, redis.host)",
		},
		"a map that several layers have belongs to the free-form values first": {
			path: values.Path{"global"}, wantKind: values.FreeForm, wantField: "spec.chart.values.global",
		},
		"a key missing under a map of several layers": {
			path: values.Path{"global", "edition"}, wantKind: values.FreeForm, wantField: "spec.chart.values.global.edition",
		},
		"a map of a reference and a structured field belongs to the reference": {
			path: values.Path{"global", "hosts"}, wantKind: values.Reference,
			wantField: "spec.chart.valuesFrom[0] (ConfigMap base, global.hosts)",
		},
		"a map an override shares with the free-form values": {
			path: values.Path{"global", "gatewayApi"}, wantKind: values.FreeForm, wantField: "spec.chart.values.global.gatewayApi",
		},
		"an odd key": {
			path: values.Path{"gitlab", "webservice", "nodeSelector", "kubernetes.io/os"}, wantKind: values.FreeForm,
			wantField: `spec.chart.values.gitlab.webservice.nodeSelector["kubernetes.io/os"]`,
		},
		"below a list that is not that long": {
			path: values.Path{"gitlab", "webservice", "tolerations", "3", "effect"}, wantKind: values.FreeForm,
			wantField: "spec.chart.values.gitlab.webservice.tolerations[3].effect",
		},
		"an override": {
			path: values.Path{"installCertmanager"}, wantKind: values.Override, wantText: "Operator override",
		},
		"nothing anybody set": {
			path: values.Path{"certmanager-issuer", "email"}, wantKind: values.ChartDefault, wantText: "chart default",
		},
		"the whole tree": {
			path: nil, wantKind: values.FreeForm, wantField: "spec.chart.values",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := sample().Origin(tc.path)
			if got.Kind != tc.wantKind || got.Field != tc.wantField {
				t.Errorf("got %s at %q, want %s at %q", got.Kind, got.Field, tc.wantKind, tc.wantField)
			}
			if tc.wantText != "" && got.String() != tc.wantText {
				t.Errorf("prints %q, want %q", got, tc.wantText)
			}
		})
	}
}

func TestLookupGoesThroughLists(t *testing.T) {
	e := sample()
	if v, ok := e.Lookup(values.Path{"gitlab", "webservice", "tolerations", "0", "key"}); !ok || v != "a" {
		t.Errorf("got %v, %v", v, ok)
	}
	for _, p := range []values.Path{
		{"gitlab", "webservice", "tolerations", "1"}, {"gitlab", "webservice", "tolerations", "key"},
		{"gitlab", "nothing"}, {"installCertmanager", "x"},
	} {
		if v, ok := e.Lookup(p); ok {
			t.Errorf("%s is said to be there: %v", p, v)
		}
	}
}

func TestPathsReadAsAPersonWritesThem(t *testing.T) {
	for want, p := range map[string]values.Path{
		"":                                 nil,
		"global.hosts.domain":              {"global", "hosts", "domain"},
		`nodeSelector["kubernetes.io/os"]`: {"nodeSelector", "kubernetes.io/os"},
		"list[0].name":                     {"list", "0", "name"},
		`["a b"][""].c`:                    {"a b", "", "c"},
		"gitlab-shell.max_size":            {"gitlab-shell", "max_size"},
	} {
		if got := p.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestOfTwoReferencesTheLaterOneIsNamed(t *testing.T) {
	reference := func(field, source, key string) values.Layer {
		return values.ReferenceTree(field, source, false, map[string]any{"redis": map[string]any{key: "x"}})
	}
	e := values.Merge(
		reference("spec.chart.valuesFrom[0]", "ConfigMap a", "host"), reference("spec.chart.valuesFrom[1]", "ConfigMap b", "user"),
	)
	want := "spec.chart.valuesFrom[1] (ConfigMap b, redis)"
	if got := e.Origin(values.Path{"redis"}).Field; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
