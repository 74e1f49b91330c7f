package render

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/portcullis-operator/portcullis/internal/chart"
)

func TestRefusals(t *testing.T) {
	const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"
	template := func(text string) *chart.Chart { return oneTemplate(t, text) }
	const at = "small/templates/t.yaml"
	cases := map[string]struct {
		chart  *chart.Chart
		values map[string]any
		want   Error
	}{
		"a check in the notes is passed on word for word": {
			beacon(t), map[string]any{"mode": "broken"},
			Error{Kind: Failed, Template: "beacon/templates/NOTES.txt",
				Text: "CONFIGURATION CHECKS:\n\nmode:\n    broken is no mode of a beacon.\n    Choose steady or blinking."},
		},
		"a check in the notes of a subchart counts too": {
			beacon(t), map[string]any{"mainlamp": map[string]any{"colour": "ultraviolet"}},
			Error{Kind: Failed, Template: "beacon/charts/mainlamp/templates/NOTES.txt", Text: "nobody sees that lamp"},
		},
		"a required value names its template": {
			beacon(t), map[string]any{"keeper": map[string]any{"install": true}},
			Error{Kind: Failed, Template: "beacon/charts/keeper/templates/keeper.yaml", Text: "keeper.name must be set"},
		},
		"a required value within tpl within include keeps its text": {
			chartOf(t, map[string]string{
				"templates/_h.tpl": `{{ define "outer" }}{{ tpl "{{ required \"say: which \\\"port\\\"\" nil }}" . }}{{ end }}`,
				"templates/t.yaml": `a: {{ include "outer" . }}`,
			}), nil,
			Error{Kind: Failed, Template: at, Text: `say: which "port"`},
		},
		"text where the map of a subchart belongs": {
			beacon(t), map[string]any{"mainlamp": "a secret text"},
			Error{Kind: Values, Text: "the value mainlamp must be a map, because it holds the values of the subchart of that name"},
		},
		"a null where the map of a subchart of a subchart belongs": {
			chartOf(t, map[string]string{
				"charts/a/Chart.yaml":          "apiVersion: v2\nname: a\nversion: 1.0.0\n",
				"charts/a/charts/b/Chart.yaml": "apiVersion: v2\nname: b\nversion: 1.0.0\n",
			}), map[string]any{"a": map[string]any{"b": nil}},
			Error{Kind: Values, Text: "the value a.b must be a map, because it holds the values of the subchart of that name"},
		},
		"nothing where a function wants a map": {
			template("b: {{ keys .Values.tls }}"), map[string]any{"tls": nil},
			Error{Kind: Template, Template: at, Text: "line 1, at .Values.tls: expected a map, found nothing"},
		},
		"a value below one that is not set": {
			template("a: 1\nb: {{ .Values.tls.secret.name }}"), map[string]any{},
			Error{Kind: Template, Template: at, Text: "line 2, at .Values.tls.secret.name: secret is read from a value that is not set"},
		},
		"a value below text": {
			template("b: {{ .Values.tls.secret }}"), map[string]any{"tls": "on"},
			Error{Kind: Template, Template: at, Text: "line 1, at .Values.tls.secret: looks for secret in a value that is no map"},
		},
		"a function that wants something else": {
			template("b: {{ upper .Values.tls }}"), map[string]any{"tls": map[string]any{}},
			Error{Kind: Template, Template: at, Text: "line 1, at .Values.tls: expected text, found a map"},
		},
		"a loop over text does not print it": {
			template("b: {{ range .Values.tls }}{{ end }}"), map[string]any{"tls": "s3cret"},
			Error{Kind: Template, Template: at, Text: "line 1, at .Values.tls: a list or a map is expected"},
		},
		"a fault in a helper names the helper": {
			chartOf(t, map[string]string{
				"templates/_h.tpl": "{{ define \"h\" }}\n{{ .Values.a.b.c }}{{ end }}",
				"templates/t.yaml": `a: {{ include "h" . }}`,
			}), nil,
			Error{Kind: Template, Template: at, Text: "in small/templates/_h.tpl line 2, at .Values.a.b.c: b is read from a value that is not set"},
		},
		"a fault in a text given to tpl does not print the text": {
			template("a: {{ tpl .Values.text . }}"), map[string]any{"text": "s3cret {{ .Values.x.y }}"},
			Error{Kind: Template, Template: at, Text: "in a text that tpl evaluates, line 1, at .Values.x.y: y is read from a value that is not set"},
		},
		"a template without an end": {
			template(`{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}`), nil,
			Error{Kind: Template, Template: at, Text: `line 1, at include "x" .: the template includes itself without an end`},
		},
		"a template that does not parse": {
			template("a: 1\nb: {{ if }}"), nil,
			Error{Kind: Template, Template: at, Text: "line 2, missing value for if"},
		},
		"a document that is no YAML": {
			template(configMap + "  data: [\n"), nil,
			Error{Kind: Template, Template: at, Text: "no valid YAML: line 5: did not find expected node content"},
		},
		"a key written twice": {
			template(configMap + "---\n" + configMap + "data:\n  a: s3cret\n  a: s3cret\n"), nil,
			Error{Kind: Template, Template: at, Text: `document 2 of 2: line 7 has the key "a" a second time`},
		},
		"a document of text": {
			template("s3cret"), nil,
			Error{Kind: Template, Template: at, Text: "plain text where an object must be"},
		},
		"a document that is a list": {
			template("- s3cret"), nil,
			Error{Kind: Template, Template: at, Text: "a list where an object must be"},
		},
		"an object without a kind": {
			template("apiVersion: v1"), nil,
			Error{Kind: Template, Template: at, Text: "an object without kind"},
		},
		"an object whose metadata is text": {
			template("apiVersion: v1\nkind: ConfigMap\nmetadata: s3cret"), nil,
			Error{Kind: Template, Template: at, Text: "a ConfigMap whose metadata is no map"},
		},
		"an object without a name": {
			template("apiVersion: v1\nkind: ConfigMap\n"), nil,
			Error{Kind: Template, Template: at, Text: "a ConfigMap has no metadata.name"},
		},
		"an object with a generated name": {
			template("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: c-}"), nil,
			Error{Kind: Template, Template: at, Text: "a ConfigMap has generateName and no name; only an object with a name of its own can be applied again"},
		},
		"a list with something in it that is no object": {
			template("apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: p}}, s3cret]"), nil,
			Error{Kind: Template, Template: at, Text: "item 2 of the List is no object"},
		},
		"a library": {
			chartOf(t, map[string]string{"Chart.yaml": "apiVersion: v2\nname: l\nversion: 1.0.0\ntype: library\n"}), nil,
			Error{Kind: Chart, Text: "the chart l is of the type library and cannot be installed by itself"},
		},
		"a chart for another Kubernetes": {
			chartOf(t, map[string]string{"Chart.yaml": "apiVersion: v2\nname: l\nversion: 1.0.0\nkubeVersion: \">=1.99.0\"\n"}), nil,
			Error{Kind: Chart, Text: "the chart l 1.0.0 needs Kubernetes >=1.99.0, and the cluster runs v1.37.2"},
		},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			_, err := Render(t.Context(), requestFor(c.chart, c.values))
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("Render = %v, want an *Error", err)
			}
			if diff := cmp.Diff(c.want, *got, cmpopts.IgnoreFields(Error{}, "Cause")); diff != "" {
				t.Errorf("the error (-want +got):\n%s", diff)
			}
			if strings.Contains(got.Error(), "s3cret") {
				t.Errorf("the message quotes a value: %s", got)
			}
		})
	}
}

func TestARequestThatNoChartCouldFulfil(t *testing.T) {
	cases := map[string]struct {
		change func(*Request)
		want   ErrorKind
	}{
		"a name that is no label value":      {func(r *Request) { r.Release.Name = strings.Repeat("a", 64) }, Input},
		"no name":                            {func(r *Request) { r.Release.Name = "" }, Input},
		"no namespace":                       {func(r *Request) { r.Release.Namespace = "" }, Input},
		"a namespace that is no label value": {func(r *Request) { r.Release.Namespace = "a b" }, Input},
		"no capabilities":                    {func(r *Request) { r.Capabilities = Capabilities{} }, Input},
		"a version that is none":             {func(r *Request) { r.Capabilities.KubeVersion = "newest" }, Input},
		"no chart":                           {func(r *Request) { r.Chart = nil }, Input},
		"more text than allowed":             {func(r *Request) { r.Limits.Output = 10 }, Limit},
		"more objects than allowed":          {func(r *Request) { r.Limits.Documents = 2 }, Limit},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			req := requestFor(beacon(t), nil)
			c.change(&req)
			_, err := Render(t.Context(), req)
			var got *Error
			if !errors.As(err, &got) || got.Kind != c.want {
				t.Errorf("Render = %v, want an *Error of the kind %s", err, c.want)
			}
		})
	}
}

func TestAVendorsKubernetesVersionIsSeenAsTheClusterReportsIt(t *testing.T) {
	req := requestFor(oneTemplate(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"+
		"  annotations: {version: {{ .Capabilities.KubeVersion.Version }}, minor: {{ .Capabilities.KubeVersion.Minor | quote }}}"), nil)
	req.Capabilities.KubeVersion = "v1.36.4-gke.1700"
	release, err := Render(t.Context(), req)
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	want := map[string]string{"version": "v1.36.4-gke.1700", "minor": "36"}
	if diff := cmp.Diff(want, release.Objects[0].GetAnnotations()); diff != "" {
		t.Errorf("what the template saw (-want +got):\n%s", diff)
	}
}
