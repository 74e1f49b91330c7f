package schema

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/values"
)

func TestWhatHasNoEffectIsNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		values string
		more   []values.Layer
		want   []string
	}{
		"known keys":      {values: "{global: {hosts: {domain: a.b}}, gitlab: {gitlab-shell: {replicas: 3}}, certmanager: {install: true}}", want: []string{}},
		"switches":        {values: "{gitlab: {enabled: false}, tags: {x: true}}", want: []string{}},
		"a schema's keys": {values: "{edition: ee, names: [a], store: {bucket: x}}", want: []string{}},
		"a misspelled key of a subchart": {
			values: "gitlab: {gitlab-shell: {replica: 3}}",
			want:   []string{"warning: spec.chart.values.gitlab.gitlab-shell.replica: is not a key the chart knows; did you mean replicas? (chart gitlab 10.4.1) [UnknownValue]"},
		},
		"a whole unknown map is named once": {
			values: "gitlb: {gitlab-shell: {replicas: 3, sshDaemon: x}}",
			want:   []string{"warning: spec.chart.values.gitlb: is not a key the chart knows; did you mean gitlab? (chart gitlab 10.4.1) [UnknownValue]"},
		},
		"a key that is like no other": {
			values: "somethingElse: 1",
			want:   []string{"warning: spec.chart.values.somethingElse: is not a key the chart knows; it may have no effect (chart gitlab 10.4.1) [UnknownValue]"},
		},
		"a key the schema alone knows is suggested": {
			values: "edtion: ee",
			want:   []string{"warning: spec.chart.values.edtion: is not a key the chart knows; did you mean edition? (chart gitlab 10.4.1) [UnknownValue]"},
		},
		"maps that take any key": {
			values: "{labels: {x: y}, extraEnv: {A: b}, podAnnotations: {x: y}, controller: {config: {x: 1}}, gitlab: {gitlab-shell: {nodeSelector: {a: b}}}}",
			want:   []string{},
		},
		"a map with settings of the chart is none of them, whatever its name ends in": {
			values: "appConfig: {contentSecurityPolcy: {enabled: true}, lfs: {enabld: true}}",
			want: []string{
				"warning: spec.chart.values.appConfig.contentSecurityPolcy: is not a key the chart knows; did you mean contentSecurityPolicy? (chart gitlab 10.4.1) [UnknownValue]",
				"warning: spec.chart.values.appConfig.lfs.enabld: is not a key the chart knows; did you mean enabled? (chart gitlab 10.4.1) [UnknownValue]",
			},
		},
		"a closed map is left to the schema check": {values: "global: {hosts: {domian: x}}", want: []string{}},
		"a key that templates or comments mention": {values: "{fromTemplate: 1, fromComment: 1}", want: []string{}},
		"a referenced object is looked at too": {
			values: "{}", more: []values.Layer{values.ReferenceTree("spec.chart.valuesFrom[0]", "ConfigMap c", false, map[string]any{"prot": 1.0})},
			want: []string{"warning: spec.chart.valuesFrom[0] (ConfigMap c, prot): is not a key the chart knows; did you mean port? (chart gitlab 10.4.1) [UnknownValue]"},
		},
		"what the Operator derives is not": {values: "{}", more: []values.Layer{structured("spec.x", 1.0, "unknownThing")}, want: []string{}},
		"a null that removes a default":    {values: "{port: null, gitlab: {gitlab-shell: {replicas: null}}}", want: []string{}},
		"a null that removes nothing": {
			values: "{store: null, global: {gatewayApi: {other: null}}}",
			want: []string{
				"warning: spec.chart.values.global.gatewayApi.other: is not a key the chart knows; it may have no effect (chart gitlab 10.4.1) [UnknownValue]",
				"warning: spec.chart.values.store: is null, which removes a default of the chart, but the chart has none here; leave it out (chart gitlab 10.4.1) [NullWithoutEffect]",
			},
		},
		"a null that the schema refuses is left to the schema check": {values: "{edition: null, global: {hosts: {domian: null}}}", want: []string{}},
		"a null over a null": {
			values: "empty: null",
			want:   []string{"warning: spec.chart.values.empty: is null, which removes a default of the chart, but the chart has none here; leave it out (chart gitlab 10.4.1) [NullWithoutEffect]"},
		},
		"a null that takes a structured field's value away": {values: "empty: null", more: []values.Layer{structured("spec.x", 1.0, "empty")}, want: []string{}},
		"a null that takes a referenced object's value away": {
			values: "empty: null", more: []values.Layer{values.ReferenceTree("spec.chart.valuesFrom[0]", "ConfigMap c", false, map[string]any{"empty": 1.0})},
			want: []string{},
		},
		"a null over the null of a referenced object": {
			values: "empty: null", more: []values.Layer{values.ReferenceTree("spec.chart.valuesFrom[0]", "ConfigMap c", false, map[string]any{"empty": nil})},
			want: []string{"warning: spec.chart.values.empty: is null, which removes a default of the chart, but the chart has none here; leave it out (chart gitlab 10.4.1) [NullWithoutEffect]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := gitlab()
			m.values["empty"] = nil
			m.values["appConfig"] = map[string]any{"contentSecurityPolicy": map[string]any{"enabled": false}, "lfs": map[string]any{"enabled": true}}
			m.values["controller"] = map[string]any{"config": map[string]any{"use-http2": "true"}}
			m.values["podAnnotations"] = map[string]any{"prometheus.io/scrape": "true"}
			m.templates = map[string]string{"a.yaml": "x: {{ .Values.fromTemplate }}"}
			m.comment = "#  fromComment: 5\n"
			layers := append(slices.Clone(tc.more), values.Tree(values.FreeForm, "spec.chart.values", decode(t, tc.values)))
			got, err := NewChecker().Unknown(m.chart(t), values.Merge(layers...))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, lines(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefaultsHoldEverySubchartUnderItsName(t *testing.T) {
	got, err := NewChecker().Defaults(gitlab().chart(t))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"global":      map[string]any{"hosts": map[string]any{"domain": "example.com", "https": true}, "gatewayApi": map[string]any{"installEnvoy": true}},
		"certmanager": map[string]any{"install": false, "installCRDs": true}, "port": 1.0, "labels": map[string]any{}, "adminToken": "none",
		"gitlab": map[string]any{"nested": true, "gitlab-shell": map[string]any{"sshDaemon": "openssh", "replicas": 2.0, "config": map[string]any{}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
