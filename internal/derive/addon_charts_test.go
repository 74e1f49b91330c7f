package derive_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/internal/values"
	"github.com/portcullis-operator/portcullis/test/charts"
)

func chartOf(t *testing.T, of charts.Chart, version string) *chart.Chart {
	t.Helper()
	contents, err := of.Files(version)
	if err != nil {
		t.Fatal(err)
	}
	var files []chart.File
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		files = append(files, chart.File{Name: name, Data: contents[name]})
	}
	made, err := chart.FromFiles(files, chart.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func caseOf(t *testing.T, file string) (resource, facts []byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(data), "\n---\n")
	return []byte(first), []byte(rest)
}

func siphonCase(t *testing.T, name string) values.Effective {
	t.Helper()
	resource, facts := caseOf(t, name+"/siphon.yaml")
	obj := strictly[v2alpha1.Siphon](t, resource)
	layers, err := derive.Siphon(&obj, strictly[derive.SiphonFacts](t, facts))
	if err != nil {
		t.Fatal(err)
	}
	return values.Merge(layers...)
}

func orbitCase(t *testing.T, name string) (*v2alpha1.Orbit, values.Effective) {
	t.Helper()
	resource, facts := caseOf(t, name+"/orbit.yaml")
	obj := strictly[v2alpha1.Orbit](t, resource)
	layers, err := derive.Orbit(&obj, strictly[derive.OrbitFacts](t, facts))
	if err != nil {
		t.Fatal(err)
	}
	return &obj, values.Merge(layers...)
}

// known reports what a chart has to say against values, as if a person had written every one of them.
func known(t *testing.T, of charts.Chart, version string, e values.Effective) {
	t.Helper()
	made, checker := chartOf(t, of, version), schema.NewChecker()
	written := values.Merge(values.Tree(values.FreeForm, "values", e.Values()))
	faults, err := checker.Check(made, written)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := checker.Unknown(made, written)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(faults, unknown...) {
		t.Errorf("chart %s %s: %s %s", of.Name(), version, f.Field, f.Message)
	}
}

func rendered(t *testing.T, of charts.Chart, version string, release object.Release, e values.Effective) []*unstructured.Unstructured {
	t.Helper()
	capabilities := render.BuiltIn("v1.35.0")
	capabilities.APIVersions = append(capabilities.APIVersions, "monitoring.coreos.com/v1", "monitoring.coreos.com/v1/PodMonitor", "monitoring.coreos.com/v1/PrometheusRule")
	out, err := render.Render(t.Context(), render.Request{
		Release: release, Chart: chartOf(t, of, version), Values: e.Values(), Capabilities: capabilities,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Objects
}

func kindsAndNames(objects []*unstructured.Unstructured) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName())
	}
	slices.Sort(out)
	return out
}

func TestEveryDerivedValueIsKnownToItsChart(t *testing.T) {
	for _, version := range charts.Siphon().Versions() {
		known(t, charts.Siphon(), version, siphonCase(t, "siphon-every-field"))
		known(t, charts.Siphon(), version, siphonCase(t, "siphon-required-fields-alone"))
	}
	for _, version := range charts.Orbit().Versions() {
		for _, name := range []string{"orbit-every-field", "orbit-required-fields-alone"} {
			_, e := orbitCase(t, name)
			known(t, charts.Orbit(), version, e)
		}
	}
}

func TestASiphonRendersItsThreeDeploymentsInItsNamespace(t *testing.T) {
	want := []string{
		"ConfigMap team/cdc-siphon-connection", "ConfigMap team/cdc-siphon-layout",
		"Deployment team/cdc-siphon-consumer-clickhouse", "Deployment team/cdc-siphon-producer-main", "Deployment team/cdc-siphon-reconciler-clickhouse",
		"PodMonitor team/cdc-siphon-consumer-clickhouse-podmonitor", "PodMonitor team/cdc-siphon-producer-main-podmonitor", "PodMonitor team/cdc-siphon-reconciler-clickhouse-podmonitor",
		"ServiceAccount team/cdc-siphon-consumer-clickhouse-sa", "ServiceAccount team/cdc-siphon-producer-main-sa", "ServiceAccount team/cdc-siphon-reconciler-clickhouse-sa",
	}
	release := object.Release{Name: "cdc", Namespace: "team", Kind: "siphon"}
	for _, version := range charts.Siphon().Versions() {
		objects := rendered(t, charts.Siphon(), version, release, siphonCase(t, "siphon-every-field"))
		if diff := cmp.Diff(want, kindsAndNames(objects)); diff != "" {
			t.Errorf("chart %s (-want +got):\n%s", version, diff)
		}
		for _, o := range objects {
			if o.GetKind() == "Deployment" {
				checkSiphonPod(t, o)
			}
		}
	}
}

// checkSiphonPod looks for what a pod of siphon-every-field needs: its credentials, the certificates, the tables.
func checkSiphonPod(t *testing.T, deployment *unstructured.Unstructured) {
	t.Helper()
	pod, _, _ := unstructured.NestedMap(deployment.Object, "spec", "template", "spec")
	container := pod["containers"].([]any)[0].(map[string]any)
	env := map[string]string{}
	for _, entry := range container["env"].([]any) {
		ref, _, _ := unstructured.NestedStringMap(entry.(map[string]any), "valueFrom", "secretKeyRef")
		env[entry.(map[string]any)["name"].(string)] = ref["name"] + "/" + ref["key"]
	}
	want := map[string]string{
		"SIPHON_DB_PASSWORD": "siphon-postgresql/pg", "CLICKHOUSE_PASSWORD": "siphon-clickhouse/ch",
		"NATS_USERNAME": "siphon-nats/user", "NATS_PASSWORD": "siphon-nats/password",
	}
	if diff := cmp.Diff(want, env); diff != "" {
		t.Errorf("%s: credentials (-want +got):\n%s", deployment.GetName(), diff)
	}
	if image := container["image"].(string); !strings.HasSuffix(image, ":"+derive.SiphonImageTag) {
		t.Errorf("%s runs %s", deployment.GetName(), image)
	}
	wantPull := []any{map[string]any{"name": "mirror"}}
	if diff := cmp.Diff(wantPull, pod["imagePullSecrets"]); diff != "" {
		t.Errorf("%s: pull secrets (-want +got):\n%s", deployment.GetName(), diff)
	}
	var volumes []string
	for _, v := range pod["volumes"].([]any) {
		image, _, _ := unstructured.NestedString(v.(map[string]any), "image", "reference")
		secret, _, _ := unstructured.NestedString(v.(map[string]any), "secret", "secretName")
		volumes = append(volumes, image+secret)
	}
	for _, volume := range []string{"mirror.example.com/gitlab/siphon-tables:v19.2.1-ee", "siphon-nats-tls"} {
		if !slices.Contains(volumes, volume) {
			t.Errorf("%s mounts no %s", deployment.GetName(), volume)
		}
	}
}

func TestAnOrbitRendersItsWorkloads(t *testing.T) {
	release := object.Release{Name: "graph", Namespace: "team", Kind: "orbit"}
	for _, version := range charts.Orbit().Versions() {
		for _, name := range []string{"orbit-every-field", "orbit-required-fields-alone"} {
			_, e := orbitCase(t, name)
			var deployments, monitors []string
			for _, o := range rendered(t, charts.Orbit(), version, release, e) {
				switch o.GetKind() {
				case "Deployment":
					deployments = append(deployments, o.GetName())
				case "PodMonitor", "PrometheusRule":
					monitors = append(monitors, o.GetName())
				case "Secret":
					t.Errorf("chart %s renders Secret %s", version, o.GetName())
				}
			}
			slices.Sort(deployments)
			want := []string{"graph-orbit-dispatcher", "graph-orbit-indexer-code", "graph-orbit-indexer-sdlc", "graph-orbit-webserver"}
			if diff := cmp.Diff(want, deployments); diff != "" {
				t.Errorf("chart %s, %s (-want +got):\n%s", version, name, diff)
			}
			if served := name == "orbit-every-field"; (len(monitors) > 0) != served {
				t.Errorf("chart %s, %s: monitors %v", version, name, monitors)
			}
		}
	}
}

func TestTheEndpointOfAnOrbitIsTheServiceTheChartRenders(t *testing.T) {
	obj, e := orbitCase(t, "orbit-every-field")
	for _, release := range []string{"graph", "graph-orbit", "orbit", strings.Repeat("n", 44)} {
		obj.Name = release
		objects := rendered(t, charts.Orbit(), "4.1.0", object.Release{Name: release, Namespace: "team", Kind: "orbit"}, e)
		var service string
		for _, o := range objects {
			if o.GetKind() == "Service" {
				service = "tls://" + o.GetName() + ".team.svc:50054"
			}
		}
		if got, _ := derive.Endpoint(obj, e); got != service || got == "" {
			t.Errorf("release %s: got %s, want %s", release, got, service)
		}
	}
}
