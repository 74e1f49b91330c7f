package derive_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/values"
)

func TestOrbitLayers(t *testing.T) {
	addOnCases(t, "orbit.yaml", func(t *testing.T, resource, facts []byte) []values.Layer {
		t.Helper()
		obj := strictly[v2alpha1.Orbit](t, resource)
		before := obj.DeepCopy()
		layers, err := derive.Orbit(&obj, strictly[derive.OrbitFacts](t, facts))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, &obj); diff != "" {
			t.Errorf("deriving changed the resource:\n%s", diff)
		}
		return layers
	})
}

func orbitWith(name, freeForm string, tls *v2alpha1.OrbitTLS) *v2alpha1.Orbit {
	obj := &v2alpha1.Orbit{}
	obj.Name, obj.Namespace = name, "team"
	obj.Spec.TLS = tls
	obj.Spec.Chart = &v2alpha1.ChartValues{Values: &apiextensionsv1.JSON{Raw: []byte(freeForm)}}
	return obj
}

func TestTheEndpointOfAnOrbit(t *testing.T) {
	const fiftyLong = "a-name-of-forty-four-characters-and-not-one-more"
	own := &v2alpha1.OrbitTLS{SecretName: "graph-tls"}
	for name, tc := range map[string]struct {
		release, freeForm string
		tls               *v2alpha1.OrbitTLS
		want, wantSecret  string
	}{
		"without TLS there is none":            {"graph", `{}`, nil, "", ""},
		"with the Secret of the field":         {"graph", `{}`, own, "tls://graph-orbit-webserver.team.svc:50054", "graph-tls"},
		"a name that ends in orbit":            {"graph-orbit", `{}`, own, "tls://graph-orbit-webserver.team.svc:50054", "graph-tls"},
		"a Secret of the values wins":          {"graph", `{"tls":{"existingSecret":"mine"}}`, own, "tls://graph-orbit-webserver.team.svc:50054", "mine"},
		"values that switch TLS off":           {"graph", `{"tls":{"enabled":false}}`, own, "", ""},
		"values that remove the Secret":        {"graph", `{"tls":{"existingSecret":null}}`, own, "", ""},
		"values alone":                         {"graph", `{"tls":{"enabled":true,"existingSecret":"mine"}}`, nil, "tls://graph-orbit-webserver.team.svc:50054", "mine"},
		"a Secret alone switches nothing on":   {"graph", `{"tls":{"existingSecret":"mine"}}`, nil, "", ""},
		"a switch in quotes is on for a chart": {"graph", `{"tls":{"enabled":"false","existingSecret":"mine"}}`, nil, "tls://graph-orbit-webserver.team.svc:50054", "mine"},
		"a port of one's own":                  {"graph", `{"webserver":{"service":{"grpcPort":443}}}`, own, "tls://graph-orbit-webserver.team.svc:443", "graph-tls"},
		"a name of one's own":                  {"graph", `{"nameOverride":"kg"}`, own, "tls://graph-kg-webserver.team.svc:50054", "graph-tls"},
		"a whole name of one's own":            {"graph", `{"fullnameOverride":"kg"}`, own, "tls://kg-webserver.team.svc:50054", "graph-tls"},
		"a long name is cut as the chart does": {fiftyLong, `{"nameOverride":"fifteen-letters"}`, own, "tls://" + fiftyLong + "-fifteen-letter-webserver.team.svc:50054", "graph-tls"},
	} {
		t.Run(name, func(t *testing.T) {
			obj := orbitWith(tc.release, tc.freeForm, tc.tls)
			layers, err := derive.Orbit(obj, derive.OrbitFacts{})
			if err != nil {
				t.Fatal(err)
			}
			got, ca := derive.Endpoint(obj, values.Merge(layers...))
			var wantCA *v2alpha1.ReportedSecretKey
			if tc.wantSecret != "" {
				wantCA = &v2alpha1.ReportedSecretKey{Name: tc.wantSecret, Key: "ca.crt"}
			}
			if got != tc.want || !cmp.Equal(ca, wantCA) {
				t.Errorf("got %q and %v, want %q and %v", got, ca, tc.want, wantCA)
			}
		})
	}
}

func TestMonitorsOfAnOrbitFollowTheCluster(t *testing.T) {
	for name, tc := range map[string]struct {
		pods, rules         bool
		freeForm            string
		wantPods, wantRules any
	}{
		"a cluster that serves neither":                {false, false, `{}`, nil, nil},
		"a cluster without rules":                      {true, false, `{}`, true, nil},
		"a cluster that serves both":                   {true, true, `{}`, true, true},
		"rules without metrics would fail the render":  {false, true, `{}`, nil, nil},
		"values that turn the metrics off":             {true, true, `{"metrics":{"prometheus":{"enabled":false}}}`, false, nil},
		"values that remove the switch of the metrics": {true, true, `{"metrics":{"prometheus":{"enabled":null}}}`, nil, nil},
		"values that speak of something else":          {true, true, `{"metrics":{"prometheus":{"port":9}}}`, true, true},
		"values that turn the rules off":               {true, true, `{"alerts":{"enabled":false}}`, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			layers, err := derive.Orbit(orbitWith("graph", tc.freeForm, nil), derive.OrbitFacts{PodMonitors: tc.pods, PrometheusRules: tc.rules})
			if err != nil {
				t.Fatal(err)
			}
			e := values.Merge(layers...)
			pods, rules := scalar(e, "metrics", "prometheus", "enabled"), scalar(e, "alerts", "enabled")
			if pods != tc.wantPods || rules != tc.wantRules {
				t.Errorf("got %v and %v, want %v and %v", pods, rules, tc.wantPods, tc.wantRules)
			}
		})
	}
}

// scalar is the value at a path, nil where there is none.
func scalar(e values.Effective, path ...string) any {
	if value, found := e.Lookup(path); found {
		return value
	}
	return nil
}
