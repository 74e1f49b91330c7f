package schema

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	helmchart "helm.sh/helm/v3/pkg/chart"

	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// gitlab is a small umbrella with the shape of the real one: nested subcharts, an alias, a switch on a global, and
// schemas of different dialects.
func gitlab() made {
	shell := made{name: "gitlab-shell", values: map[string]any{"sshDaemon": "openssh", "replicas": 2.0, "config": map[string]any{}}, schema: `{
		"schema": "http://json-schema.org/draft-07/schema#", "type": "object",
		"properties": {"sshDaemon": {"enum": ["openssh", "gitlab-sshd"]}, "replicas": {"type": "integer"},
			"global": {"properties": {"logLevel": {"type": "number"}}}}}`}
	certManager := made{name: "cert-manager", values: map[string]any{"installCRDs": true}, schema: `{
		"$schema": "http://json-schema.org/draft-07/schema#", "additionalProperties": false,
		"properties": {"installCRDs": {"type": "boolean"}}}`}
	return made{
		name: "gitlab", version: "10.4.1",
		values: map[string]any{
			"global":      map[string]any{"hosts": map[string]any{"domain": "example.com", "https": true}, "gatewayApi": map[string]any{"installEnvoy": true}},
			"certmanager": map[string]any{"install": false}, "port": 1.0, "labels": map[string]any{}, "adminToken": "none",
		},
		schema: `{
			"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["edition"],
			"properties": {
				"global": {"type": "object", "properties": {
					"hosts": {"type": "object", "additionalProperties": false, "properties": {
						"domain": {"type": "string", "minLength": 1}, "https": {"type": "boolean"}}}}},
				"edition": {"enum": ["ce", "ee"]}, "port": {"type": "integer", "minimum": 1, "maximum": 65535},
				"adminToken": {"enum": ["none", "one"]}, "names": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}},
				"store": {"anyOf": [{"type": "string"}, {"type": "object", "required": ["bucket"]}, {"type": "null"}]}}}`,
		deps: []*helmchart.Dependency{
			{Name: "gitlab", Version: "*", Condition: "gitlab.enabled"},
			{Name: "cert-manager", Version: "*", Alias: "certmanager", Condition: "certmanager.install"},
		},
		charts: []made{{name: "gitlab", values: map[string]any{"nested": true}, charts: []made{shell}}, certManager},
	}
}

func TestFaultsAreAtTheFieldThePersonWrote(t *testing.T) {
	c := gitlab().chart(t)
	k := NewChecker()
	derived := values.NewBuilder(values.Derived)
	derived.Set("spec.edition", "ee", "edition")
	for name, tc := range map[string]struct {
		values string
		more   []values.Layer
		want   []string
	}{
		"the defaults are fine": {values: "{}", want: []string{}},
		"a wrong type in the free-form values": {
			values: `global: {hosts: {https: "yes"}}`,
			want:   []string{`error: spec.chart.values.global.hosts.https: must be a boolean, not a string (chart gitlab 10.4.1, values.schema.json /properties/global/properties/hosts/properties/https) [SchemaViolation]`},
		},
		"a number in quotes": {
			values: `port: "80"`,
			want:   []string{`error: spec.chart.values.port: must be a whole number, not a string; write it without quotes (chart gitlab 10.4.1, values.schema.json /properties/port) [SchemaViolation]`},
		},
		"a structured field behind the value": {
			values: "{}", more: []values.Layer{structured("spec.edition", "xe", "edition")},
			want: []string{`error: spec.edition: must be one of "ce" or "ee", not "xe" (chart gitlab 10.4.1, values.schema.json /properties/edition) [SchemaViolation]`},
		},
		"a referenced ConfigMap": {
			values: "{}", more: []values.Layer{values.ReferenceTree("spec.chart.valuesFrom[1]", "ConfigMap gitlab-values", false, map[string]any{"port": 70000.0})},
			want: []string{`error: spec.chart.valuesFrom[1] (ConfigMap gitlab-values, port): must be at most 65535, not 70000 (chart gitlab 10.4.1, values.schema.json /properties/port) [SchemaViolation]`},
		},
		"a value from a Secret is never printed": {
			values: "{}", more: []values.Layer{values.ReferenceTree("spec.chart.valuesFrom[0]", "Secret s", true, map[string]any{"edition": "hidden-text"})},
			want: []string{`error: spec.chart.valuesFrom[0] (Secret s, edition): must be one of "ce" or "ee" (chart gitlab 10.4.1, values.schema.json /properties/edition) [SchemaViolation]`},
		},
		"a value under a key that looks secret is not printed": {
			values: "adminToken: hidden-text",
			want:   []string{`error: spec.chart.values.adminToken: must be one of "none" or "one" (chart gitlab 10.4.1, values.schema.json /properties/adminToken) [SchemaViolation]`},
		},
		"an unknown key with the nearest known one": {
			values: "global: {hosts: {domian: a.b}}",
			want:   []string{`error: spec.chart.values.global.hosts.domian: is not a key the chart knows here; did you mean domain? (chart gitlab 10.4.1, values.schema.json /properties/global/properties/hosts) [SchemaViolation]`},
		},
		"an entry of a list": {
			values: "names: [a, B2]",
			want:   []string{`error: spec.chart.values.names[1]: must match the pattern ^[a-z]+$, not "B2" (chart gitlab 10.4.1, values.schema.json /properties/names/items) [SchemaViolation]`},
		},
		"alternatives of which one fits the type": {
			values: "store: {name: x}",
			want:   []string{`error: spec.chart.values.store.bucket: is required and not set (chart gitlab 10.4.1, values.schema.json /properties/store/anyOf/1) [SchemaViolation]`},
		},
		"alternatives of which none fits the type": {
			values: "store: 5",
			want:   []string{`error: spec.chart.values.store: must be a string, a map or null, not a number; put it in quotes (chart gitlab 10.4.1, values.schema.json /properties/store) [SchemaViolation]`},
		},
		"a nested subchart": {
			values: "gitlab: {gitlab-shell: {sshDaemon: gitlab-sshh}}",
			want:   []string{`error: spec.chart.values.gitlab.gitlab-shell.sshDaemon: must be one of "openssh" or "gitlab-sshd" (did you mean "gitlab-sshd"?), not "gitlab-sshh" (chart gitlab 10.4.1, subchart gitlab.gitlab-shell, values.schema.json /properties/sshDaemon) [SchemaViolation]`},
		},
		"a subchart under its alias": {
			values: "certmanager: {install: true, installCRDs: 5}",
			want: []string{
				`error: spec.chart.values.certmanager.install: is not a key the chart knows here; known keys: installCRDs (chart gitlab 10.4.1, subchart certmanager, values.schema.json) [SchemaViolation]`,
				`error: spec.chart.values.certmanager.installCRDs: must be a boolean, not a number (chart gitlab 10.4.1, subchart certmanager, values.schema.json /properties/installCRDs) [SchemaViolation]`,
			},
		},
		"a disabled subchart is not checked": {values: "certmanager: {installCRDs: 5}", want: []string{}},
		"a global that a subchart refuses lies where it was written": {
			values: "global: {logLevel: high}",
			want:   []string{`error: spec.chart.values.global.logLevel: must be a number, not a string (chart gitlab 10.4.1, subchart gitlab.gitlab-shell, values.schema.json /properties/global/properties/logLevel) [SchemaViolation]`},
		},
		"a string where a subchart's values belong": {
			values: "{gitlab: a string, port: x}",
			want: []string{
				`error: spec.chart.values.gitlab: must be a map, not a string: it holds the values of the subchart gitlab (chart gitlab 10.4.1) [ValuesTypeMismatch]`,
				`error: spec.chart.values.port: must be a whole number, not a string (chart gitlab 10.4.1, values.schema.json /properties/port) [SchemaViolation]`,
			},
		},
		"a null where a nested subchart's values belong": {
			values: "gitlab: {gitlab-shell: null}",
			want:   []string{`error: spec.chart.values.gitlab.gitlab-shell: must be a map, not null: it holds the values of the subchart gitlab.gitlab-shell (chart gitlab 10.4.1) [ValuesTypeMismatch]`},
		},
		"a null that the chart's default table takes away": {values: "certmanager: null", want: []string{}},
		"a null that removes a required default":           {values: "edition: null", want: []string{`error: spec.chart.values.edition: is required and not set: the null removes it (chart gitlab 10.4.1, values.schema.json) [SchemaViolation]`}},
	} {
		t.Run(name, func(t *testing.T) {
			m := gitlab()
			m.values["edition"] = "ee"
			layers := append(slices.Clone(tc.more), values.Tree(values.FreeForm, "spec.chart.values", decode(t, tc.values)))
			got := lines(check(t, k, m.chart(t), values.Merge(layers...)))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	want := []string{`error: spec.chart.values.edition: is required and not set (chart gitlab 10.4.1, values.schema.json) [SchemaViolation]`}
	if diff := cmp.Diff(want, lines(check(t, k, c, freeFormValues(nil)))); diff != "" {
		t.Errorf("a required value nobody sets (-want +got):\n%s", diff)
	}
}

func structured(field string, value any, path ...string) values.Layer {
	b := values.NewBuilder(values.Derived)
	b.Set(field, value, path...)
	return b.Layer()
}

func TestAFaultOfTheChartIsNotThePersons(t *testing.T) {
	m := gitlab()
	m.values["edition"], m.values["port"] = "ee", "80"
	want := []string{`error: : the chart's own default of port must be a whole number, not a string; write it without quotes; set spec.chart.values.port to get past it (chart gitlab 10.4.1, values.schema.json /properties/port) [ChartFault]`}
	if diff := cmp.Diff(want, lines(check(t, NewChecker(), m.chart(t), freeFormValues(nil)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := check(t, NewChecker(), m.chart(t), freeFormValues(map[string]any{"port": 80.0})); len(got) != 0 {
		t.Errorf("setting the value does not get past it: %v", lines(got))
	}
}

func TestWhatTheOperatorSetsIsNotThePersons(t *testing.T) {
	m := gitlab()
	m.values["edition"] = "ee"
	override := values.Tree(values.Override, "", map[string]any{"port": "x"})
	want := []string{`error: : the Operator sets port, but the chart refuses it: it must be a whole number, not a string (chart gitlab 10.4.1, values.schema.json /properties/port) [ChartFault]`}
	if diff := cmp.Diff(want, lines(check(t, NewChecker(), m.chart(t), values.Merge(override)))); diff != "" {
		t.Errorf("an override (-want +got):\n%s", diff)
	}
	want = []string{`error: spec.chart.values.port: has a default of the Operator that the chart refuses: it must be a whole number, not a string; set another value here (chart gitlab 10.4.1, values.schema.json /properties/port) [SchemaViolation]`}
	if diff := cmp.Diff(want, lines(check(t, NewChecker(), m.chart(t), values.Merge(structured("", "x", "port"))))); diff != "" {
		t.Errorf("a default of the Operator (-want +got):\n%s", diff)
	}
}

func TestAnInjectedGlobalIsNobodysFault(t *testing.T) {
	m := gitlab()
	m.values["edition"] = "ee"
	m.charts[1].schema = `{"additionalProperties": false, "properties": {"installCRDs": {}, "install": {}}}`
	c := m.chart(t)
	if _, err := helmValues(t, c, map[string]any{"certmanager": map[string]any{"install": true}}); err == nil {
		t.Fatal("Helm no longer refuses the global it injects: this is no intended difference any more")
	}
	got := check(t, NewChecker(), c, freeFormValues(map[string]any{"certmanager": map[string]any{"install": true}}))
	if len(got) != 0 {
		t.Errorf("unexpected: %v", lines(got))
	}
	got = check(t, NewChecker(), c, freeFormValues(decode(t, "certmanager: {install: true, global: {x: 1}}")))
	want := []string{`error: spec.chart.values.certmanager.global: is not a key the chart knows here; known keys: install, installCRDs (chart gitlab 10.4.1, subchart certmanager, values.schema.json) [SchemaViolation]`}
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Errorf("a global the person wrote there (-want +got):\n%s", diff)
	}
}

// TestANewFaultOfAMapIsNotItsOldOne: a map that lacked one of several keys before may not come to lack one of others.
func TestANewFaultOfAMapIsNotItsOldOne(t *testing.T) {
	c := made{name: "chart", version: "1.0.0", schema: `{"properties": {"store": {"allOf": [
		{"anyOf": [{"required": ["bucket"]}, {"required": ["path"]}]}, {"anyOf": [{"required": ["user"]}, {"required": ["role"]}]}]}}}`}.chart(t)
	verdict := func(text string) rules.Verdict {
		return rules.Verdict{Faults: check(t, NewChecker(), c, freeFormValues(decode(t, text)))}
	}
	stored := verdict("store: {user: a}")
	if !stored.Refused() {
		t.Fatal("the stored values are refused by nothing")
	}
	if rules.Ratchet(stored, verdict("store: {user: a}")).Refused() {
		t.Error("the fault that was there is refused")
	}
	if !rules.Ratchet(stored, verdict("store: {size: 1}")).Refused() {
		t.Error("a fault that is new passes as the one that was there")
	}
}
