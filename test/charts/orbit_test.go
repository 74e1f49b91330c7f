package charts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/test/charts"
)

// graph is a knowledge graph as an operator asks for it.
const graph = `
gitlab: {baseUrl: "https://gitlab.example.com"}
nats: {url: "nats://nats.example.com:4222", streamName: siphon_stream_main_db}
clickhouse:
  datalake: {host: clickhouse.example.com, database: gitlab, user: reader}
  graph: {host: clickhouse.example.com, database: graph, user: writer, readUser: reader}
dispatcher: {enabled: true}
analytics: {enabled: false}
secrets:
  perKey:
    gitlabJwtVerifyingKey: {secretName: jwt, key: key}
    gitlabJwtSigningKey: {secretName: jwt, key: key}
    datalakePassword: {secretName: datalake, key: password}
    graphPassword: {secretName: graph, key: password}
    graphReadPassword: {secretName: graph-read, key: password}
`

func orbit(o options) options {
	o.of = charts.Orbit()
	return o
}

func TestAnOrbitRendersWebserverDispatcherAndTwoPools(t *testing.T) {
	want := []string{
		"ConfigMap/gl-orbit-dispatcher-config", "ConfigMap/gl-orbit-indexer-code-config", "ConfigMap/gl-orbit-indexer-sdlc-config", "ConfigMap/gl-orbit-webserver-config",
		"Deployment/gl-orbit-dispatcher", "Deployment/gl-orbit-indexer-code", "Deployment/gl-orbit-indexer-sdlc", "Deployment/gl-orbit-webserver",
		"PodDisruptionBudget/gl-orbit-indexer-code", "PodDisruptionBudget/gl-orbit-indexer-sdlc", "PodDisruptionBudget/gl-orbit-webserver",
		"Service/gl-orbit-webserver", "ServiceAccount/gl-orbit",
	}
	for _, version := range charts.Orbit().Versions() {
		if diff := cmp.Diff(want, mustHelm(t, version, graph, orbit(options{})).names()); diff != "" {
			t.Errorf("objects of %s (-want +got):\n%s", version, diff)
		}
	}
}

func TestWhatAnOrbitCanBeMadeToRender(t *testing.T) {
	monitoring := []string{"monitoring.coreos.com/v1"}
	tests := map[string]struct {
		version, values string
		apis            []string
		want            map[string]int
	}{
		"no dispatcher by default":              {"4.1.0", strings.Replace(graph, "dispatcher: {enabled: true}", "", 1), nil, map[string]int{"Deployment": 3}},
		"maps merge":                            {"4.1.0", graph + "indexer: {pools: {}}", nil, map[string]int{"Deployment": 4}},
		"a null takes a pool away":              {"4.1.0", graph + "indexer: {pools: {sdlc: null, code: null}}", nil, map[string]int{"Deployment": 2}},
		"a pool that is off":                    {"4.1.0", graph + "indexer: {pools: {sdlc: {enabled: false}}}", nil, map[string]int{"Deployment": 3}},
		"a pool beside the others":              {"4.1.0", graph + "indexer: {pools: {more: {}}}", nil, map[string]int{"Deployment": 5}},
		"no indexer at all":                     {"4.1.0", graph + "indexer: {enabled: false}", nil, map[string]int{"Deployment": 2}},
		"one replica needs no budget":           {"4.1.0", graph + "indexer: {replicas: 1}", nil, map[string]int{"PodDisruptionBudget": 1}},
		"a setup is a hook":                     {"4.1.0", graph + "clickhouseSetup: {enabled: true, adminSecret: {secretName: admin}}", nil, map[string]int{"Job": 1}},
		"dashboards bring a hook":               {"4.1.0", graph + "dashboards: {enabled: true}", nil, map[string]int{"Job": 1, "Role": 1, "RoleBinding": 1}},
		"a health check reaches out":            {"4.1.0", graph + "healthCheck: {enabled: true, targets: [{namespace: a}, {namespace: b}]}", nil, map[string]int{"Role": 2, "RoleBinding": 2}},
		"a health check at home":                {"4.1.0", graph + "healthCheck: {enabled: true}", nil, map[string]int{"Role": 1, "RoleBinding": 1}},
		"KEDA that is not served":               {"4.1.0", graph + "indexer: {keda: {enabled: true}}\nhealthCheck: {enabled: true}", nil, map[string]int{"ScaledObject": 0}},
		"KEDA of all pools":                     {"4.1.0", graph + "indexer: {keda: {enabled: true}}\nhealthCheck: {enabled: true}", []string{"keda.sh/v1alpha1"}, map[string]int{"ScaledObject": 2}},
		"KEDA of one pool":                      {"4.1.0", graph + "indexer: {pools: {code: {keda: {enabled: true}}}}\nhealthCheck: {enabled: true}", []string{"keda.sh/v1alpha1"}, map[string]int{"ScaledObject": 1}},
		"monitoring that is not served":         {"4.1.0", graph + "metrics: {prometheus: {enabled: true}}\nalerts: {enabled: true}", nil, map[string]int{"PodMonitor": 0, "PrometheusRule": 0}},
		"monitoring":                            {"4.1.0", graph + "metrics: {prometheus: {enabled: true}}\nalerts: {enabled: true}", monitoring, map[string]int{"PodMonitor": 4, "PrometheusRule": 1}},
		"monitoring that 4.0 does not look for": {"4.0.0", graph + "metrics: {prometheus: {enabled: true}}\nalerts: {enabled: true}", nil, map[string]int{"PodMonitor": 4, "PrometheusRule": 1}},
		"any object passed through":             {"4.1.0", graph + "extraResources: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}]", nil, map[string]int{"ClusterRole": 1}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			out, got := mustHelm(t, tc.version, tc.values, orbit(options{apiVersions: tc.apis})), map[string]int{}
			for kind := range tc.want {
				got[kind] = 0
			}
			for _, o := range out.objects {
				if _, asked := tc.want[o["kind"].(string)]; asked {
					got[o["kind"].(string)]++
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatAnOrbitNeeds(t *testing.T) {
	tests := map[string]struct{ old, fresh, want string }{
		"a Secret for each credential": {"graphReadPassword: {secretName: graph-read, key: password}", "", "secrets.perKey.graphReadPassword.secretName is required"},
		"a stream":                     {"streamName: siphon_stream_main_db", "", "nats.streamName is required"},
		"a certificate":                {"gitlab:", "tls: {enabled: true}\ngitlab:", "tls.existingSecret is required"},
		"a certificate of NATS":        {"streamName:", "tls: {enabled: true}, streamName:", "nats.tls.existingSecret is required"},
		"a collector":                  {"analytics: {enabled: false}", "analytics: {collector_url: null}", "analytics.collector_url is required"},
		"a Secret of an administrator": {"gitlab:", "clickhouseSetup: {enabled: true}\ngitlab:", "clickhouseSetup.adminSecret.secretName is required"},
		"a health check to scale by":   {"gitlab:", "indexer: {keda: {enabled: true}}\ngitlab:", "healthCheck.enabled"},
		"metrics to alert on":          {"gitlab:", "alerts: {enabled: true}\ngitlab:", "metrics.prometheus.enabled"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			values := strings.Replace(graph, tc.old, tc.fresh, 1)
			if values == graph {
				t.Fatal("nothing was replaced")
			}
			if _, err := helm(t, "4.1.0", values, orbit(options{})); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("want a failure that names %q, got %v", tc.want, err)
			}
		})
	}
}

// Names are cut at 63 before a suffix, so that two pools that begin alike become one: three objects are there twice.
func TestALongNameAndPoolsThatBeginAlikeRenderObjectsTwice(t *testing.T) {
	pools := "indexer: {pools: {sdlc: null, code: null, sdlc-one: {}, sdlc-two: {}}}"
	names := mustHelm(t, "4.1.0", graph+pools, orbit(options{release: strings.Repeat("a", 44)})).names()
	twice := map[string]bool{}
	for i := 1; i < len(names); i++ {
		if kind, _, _ := strings.Cut(names[i], "/"); names[i] == names[i-1] {
			twice[kind] = true
		}
	}
	if diff := cmp.Diff(map[string]bool{"ConfigMap": true, "Deployment": true, "PodDisruptionBudget": true}, twice); diff != "" {
		t.Errorf("kinds with an object that is there twice (-want +got):\n%s", diff)
	}
	if names := mustHelm(t, "4.1.0", graph, orbit(options{release: strings.Repeat("a", 44)})).names(); len(slices.Compact(names)) != 13 {
		t.Errorf("the default pools of the longest name: %v", names)
	}
}

func TestWhatTheWebserverOfAnOrbitIsTold(t *testing.T) {
	out := mustHelm(t, "4.1.0", strings.Replace(graph, "gitlab:", "tls: {enabled: true, existingSecret: cert}\ngitlab:", 1), orbit(options{}))
	config := out.find(t, "ConfigMap", "gl-orbit-webserver-config")["data"].(map[string]any)["default.yaml"].(string)
	for _, part := range []string{
		"grpc_bind_address: \"0.0.0.0:50054\"", "url: http://clickhouse.example.com:8123", "username: \"reader\"", "stream_name: \"siphon_stream_main_db\"",
		"base_url: \"https://gitlab.example.com\"", "cert_path:", "analytics:\n  enabled: false",
	} {
		if !strings.Contains(config, part) {
			t.Errorf("the configuration has no %q:\n%s", part, config)
		}
	}
	if out.find(t, "Service", "gl-orbit-webserver") == nil || out.has("Secret") {
		t.Error("the chart renders a Secret")
	}
	on := mustHelm(t, "4.1.0", strings.Replace(graph, "analytics: {enabled: false}", "", 1), orbit(options{}))
	config = on.find(t, "ConfigMap", "gl-orbit-webserver-config")["data"].(map[string]any)["default.yaml"].(string)
	if !strings.Contains(config, "analytics:\n  enabled: true") {
		t.Error("product analytics are not on by default")
	}
}
