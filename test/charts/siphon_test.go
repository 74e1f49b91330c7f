package charts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/test/charts"
)

// split is a pipeline as an operator asks for it, its namespace the release's.
const split = `
namespace: team
configMode: split
global: {gitlabVersion: v19.4.1-ee}
image: {tag: "1.2.3"}
siphonConnectionConfigMap: {create: true, data: {queueing: {driver: nats}}}
siphonLayoutConfigMap: {create: true, data: {streams: [siphon_stream_main_db]}}
waitForMigrations: {enabled: false}
deployments:
  example-postgres-producer: {enabled: false}
  events-siphon-producer-main:
    enabled: true
    podmonitor: true
    split: {role: producer}
    envFromSecrets: [{name: SIPHON_DB_PASSWORD, secretName: database, secretKey: password}]
    podSpec: {imagePullSecrets: [{name: registry}]}
  events-siphon-consumer-clickhouse: {enabled: true, split: {role: consumer}}
  events-siphon-reconciler-clickhouse: {enabled: true, split: {role: reconciler}}
`

func siphon(o options) options {
	o.of = charts.Siphon()
	return o
}

func (r render) names() []string {
	var out []string
	for _, o := range r.objects {
		out = append(out, o["kind"].(string)+"/"+o.name())
	}
	slices.Sort(out)
	return out
}

func TestASplitSiphonRendersOneConfigurationForAllRoles(t *testing.T) {
	want := []string{
		"ConfigMap/siphon-connection", "ConfigMap/siphon-layout",
		"Deployment/events-siphon-consumer-clickhouse", "Deployment/events-siphon-producer-main", "Deployment/events-siphon-reconciler-clickhouse",
		"PodMonitor/events-siphon-producer-main-podmonitor",
		"ServiceAccount/events-siphon-consumer-clickhouse-sa", "ServiceAccount/events-siphon-producer-main-sa", "ServiceAccount/events-siphon-reconciler-clickhouse-sa",
	}
	for _, version := range charts.Siphon().Versions() {
		out := mustHelm(t, version, split, siphon(options{}))
		if diff := cmp.Diff(want, out.names()); diff != "" {
			t.Errorf("objects of %s (-want +got):\n%s", version, diff)
		}
	}
}

func TestASiphonLivesInTheNamespaceOfItsValues(t *testing.T) {
	out := mustHelm(t, "1.18.0", strings.Replace(split, "namespace: team", "namespace: elsewhere", 1), siphon(options{}))
	for _, o := range out.objects {
		want := "elsewhere"
		if o["kind"] == "PodMonitor" {
			want = "monitoring"
		}
		if got := o.metadata()["namespace"]; got != want {
			t.Errorf("%s %s is in %v, want %s", o["kind"], o.name(), got, want)
		}
	}
}

// Nothing of the release is in a name, so that a second release of one namespace wants the objects of the first.
func TestTwoSiphonsOfOneNamespaceWantTheSameObjects(t *testing.T) {
	first := mustHelm(t, "1.18.0", split, siphon(options{release: "one"})).names()
	second := mustHelm(t, "1.18.0", split, siphon(options{release: "two"})).names()
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the names differ:\n%s", diff)
	}
}

func TestTheTablesOfASiphonComeFromAnImageVolume(t *testing.T) {
	out := mustHelm(t, "1.18.0", split, siphon(options{}))
	pod := out.find(t, "Deployment", "events-siphon-producer-main")["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	var got any
	for _, volume := range pod["volumes"].([]any) {
		if v := volume.(map[string]any); v["name"] == "siphon-tables" {
			got = v["image"].(map[string]any)["reference"]
		}
	}
	if got != "registry.example.com/siphon-tables:v19.4.1-ee" {
		t.Errorf("the tables come from %v", got)
	}
	if _, there := pod["imagePullSecrets"]; !there {
		t.Error("what podSpec names does not reach the pod")
	}
	if _, there := out.values["_deploymentsPrepared"]; !there {
		t.Error("no template writes into the values")
	}
}

func TestWhatASiphonRefuses(t *testing.T) {
	tests := map[string]struct{ version, old, fresh, want string }{
		"the example that is left on":            {"1.18.0", "example-postgres-producer: {enabled: false}", "", "example-postgres-producer.split.role"},
		"a deployment without a role":            {"1.18.0", "split: {role: consumer}", "split: {}", "split.role is required"},
		"a role nobody plays":                    {"1.18.0", "role: consumer", "role: observer", "role"},
		"no GitLab version":                      {"1.18.0", "gitlabVersion: v19.4.1-ee", "", "global.gitlabVersion is required"},
		"no image tag":                           {"1.18.0", `tag: "1.2.3"`, "", "image.tag is required"},
		"a connection that is not created":       {"1.18.0", "siphonConnectionConfigMap: {create: true,", "siphonConnectionConfigMap: {create: false,", "siphonConnectionConfigMap.create"},
		"a wait that does not know how":          {"1.18.0", "waitForMigrations: {enabled: false}", "", "waitForMigrations.image is required"},
		"an unknown key at the root":             {"1.18.0", "namespace: team", "namespaces: [team]", "namespaces"},
		"an unknown key of a deployment":         {"1.18.0", "podmonitor: true", "podMonitor: true", "podMonitor"},
		"a Secret without a key":                 {"1.18.0", ", secretKey: password", "", "secretKey"},
		"a value before 1.18 brought it":         {"1.17.0", "configMode: split", "configMode: split\npriorityClassName: high", "priorityClassName"},
		"a profile that is not there":            {"1.18.0", "podmonitor: true", "profile: large", "deploymentProfiles.large"},
		"a bundled deployment without a content": {"1.18.0", "podmonitor: true", "configMode: bundled", "mode and appConfig"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			values := strings.Replace(split, tc.old, tc.fresh, 1)
			if values == split {
				t.Fatal("nothing was replaced")
			}
			if _, err := helm(t, tc.version, values, siphon(options{})); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("want a failure that names %q, got %v", tc.want, err)
			}
		})
	}
}

func TestABundledSiphonHasAConfigurationForEachDeployment(t *testing.T) {
	values := `
image: {tag: "1.2.3"}
deploymentProfiles: {large: {replicas: 3}}
deployments: {example-postgres-producer: {profile: large}}
`
	out := mustHelm(t, "1.18.0", values, siphon(options{}))
	want := []string{"ConfigMap/example-postgres-producer-config", "Deployment/example-postgres-producer", "ServiceAccount/example-postgres-producer-sa"}
	if diff := cmp.Diff(want, out.names()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	deployment := out.find(t, "Deployment", "example-postgres-producer")
	if got := deployment["spec"].(map[string]any)["replicas"]; got != float64(3) {
		t.Errorf("the profile gives %v replicas", got)
	}
	config := out.find(t, "ConfigMap", "example-postgres-producer-config")["data"].(map[string]any)["config.yaml"].(string)
	for _, part := range []string{"driver: nats", "schema: public", "producers:"} {
		if !strings.Contains(config, part) {
			t.Errorf("the configuration has no %q:\n%s", part, config)
		}
	}
}
