package apps_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules/apps"
	"github.com/portcullis-operator/portcullis/internal/values"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// anOrbit is the effective values of an Orbit that renders but for its free-form values.
func anOrbit(t *testing.T, freeForm string) values.Effective {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(freeForm))
	if err != nil {
		t.Fatal(err)
	}
	password := v2alpha1.SecretKeyRef{Name: "passwords", Key: "password"}
	layers, err := derive.Orbit(&v2alpha1.Orbit{Spec: v2alpha1.OrbitSpec{
		Datalake:     v2alpha1.OrbitDatalake{Username: "reader", PasswordSecretRef: password},
		Graph:        v2alpha1.OrbitGraph{Host: "graph", Database: "orbit", Username: "writer", PasswordSecretRef: password},
		JWTSecretRef: password,
		Chart:        &v2alpha1.ChartValues{Values: &apiextensionsv1.JSON{Raw: raw}},
	}}, derive.OrbitFacts{GitLabURL: "https://gitlab.example.org", StreamName: "stream", Siphon: &v2alpha1.Siphon{}})
	if err != nil {
		t.Fatal(err)
	}
	return values.Merge(layers...)
}

// pooled counts the indexer pools the chart renders.
func pooled(t *testing.T, orbit *chart.Chart, e values.Effective) int {
	t.Helper()
	out, err := render.Render(t.Context(), render.Request{
		Release: object.Release{Name: "graph", Namespace: "team", Kind: "orbit"}, Chart: orbit, Values: e.Values(), Capabilities: render.BuiltIn("v1.35.0"),
	})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, o := range out.Objects {
		if o.GetKind() == "Deployment" && strings.Contains(o.GetName(), "-indexer-") {
			count++
		}
	}
	return count
}

func TestTheRuleOnIndexerPoolsAgreesWithTheChart(t *testing.T) {
	contents, err := charts.Orbit().Files("4.1.0")
	if err != nil {
		t.Fatal(err)
	}
	var files []chart.File
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		files = append(files, chart.File{Name: name, Data: contents[name]})
	}
	orbit, err := chart.FromFiles(files, chart.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range pools() {
		t.Run(name, func(t *testing.T) {
			e := anOrbit(t, tc.freeForm)
			refused, count := len(apps.OrbitValues(e)) > 0, pooled(t, orbit, e)
			if refused != (count == 0) {
				t.Errorf("refused is %v, and the chart renders %d pools", refused, count)
			}
		})
	}
}
