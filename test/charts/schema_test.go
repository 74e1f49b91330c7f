package charts_test

import (
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/test/charts"
)

func TestWhatTheSchemasRefuse(t *testing.T) {
	tests := map[string]struct {
		version, values, want string
	}{
		"text for a switch":                                       {"10.4.1", "global: {hosts: {https: 'yes'}}", "/global/hosts/https"},
		"an unknown key at the root":                              {"10.4.1", "globl: {}", "globl"},
		"an unknown key deeper":                                   {"10.4.1", "global: {psql: {hots: a}}", "hots"},
		"a number for a name":                                     {"10.4.1", "global: {hosts: {domain: 5}}", "/global/hosts/domain"},
		"an edition nobody sells":                                 {"10.4.1", "global: {edition: core}", "/global/edition"},
		"a component's own schema":                                {"10.4.1", "gitlab: {gitlab-shell: {sshDaemon: telnet}}", "/sshDaemon"},
		"a schema behind a public $id":                            {"10.4.1", "gitlab: {sidekiq: {concurrency: 0}}", "/concurrency"},
		"an aliased subchart":                                     {"10.4.1", "certmanager: {webhok: 1}", "certmanager"},
		"an unversioned schema":                                   {"10.4.1", "prometheus: {replicas: two}", "/replicas"},
		"a class before it existed":                               {"10.3.0", "gatewayApiResources: {class: {name: a}}", "/gatewayApiResources"},
		"orbit before it existed":                                 {"10.3.0", "global: {appConfig: {orbit: {enabled: true}}}", "/global/appConfig"},
		"a value 10.5 has dropped":                                {"10.5.0", "global: {appConfig: {defaultTheme: 2}}", "/global/appConfig"},
		"a value 10.5 has brought":                                {"10.4.1", "global: {appConfig: {sessionExpireMinutes: 2}}", "/global/appConfig"},
		"a value 11.0 has renamed":                                {"11.0.0", "gitlab: {webservice: {workerProcesses: 4}}", "workerProcesses"},
		"a schema that does not compile, once its subchart is on": {"10.4.1", "traefik: {install: true}", "entryPoints"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := helm(t, tc.version, tc.values, options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("want a violation that names %q, got %v", tc.want, err)
			}
		})
	}
}

func TestWhatTheSchemasAccept(t *testing.T) {
	tests := map[string]struct{ version, values string }{
		"a null for every scalar":          {"10.4.1", "global: {edition: null, hosts: {https: null}}"},
		"free-form maps":                   {"10.4.1", "gitlab: {webservice: {annotations: {a: b}, extraEnv: {A: 1}}}"},
		"the value before 10.5 dropped it": {"10.4.1", "global: {appConfig: {defaultTheme: 2}}"},
		"the value since 10.5 brought it":  {"11.0.0", "global: {appConfig: {sessionExpireMinutes: 2}}"},
		"the value before 11.0 renamed it": {"10.5.0", "gitlab: {webservice: {workerProcesses: 4}}"},
		"the value since 11.0 renamed it":  {"11.0.0", "gitlab: {webservice: {workers: 4}}"},
		"a subchart that is off":           {"10.4.1", "gitlab: {toolbox: {enabled: false}}\ngitlab-runner: {install: false, replicas: many}"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := checkSchemas(t, tc.version, tc.values); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkSchemas is the part of a render that checks values; it stops before any template runs.
func checkSchemas(t *testing.T, version, values string) error {
	t.Helper()
	loaded := load(t, version)
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	if err := chartutil.ProcessDependenciesWithMerge(loaded, given); err != nil {
		return err
	}
	_, err = chartutil.ToRenderValues(loaded, given, chartutil.ReleaseOptions{Name: "gl", Namespace: "team"}, capabilities(t, options{}))
	return err
}

func TestEveryChartIsSound(t *testing.T) {
	for _, version := range charts.Versions() {
		t.Run(version, func(t *testing.T) { checkChart(t, load(t, version)) })
	}
}

// checkChart is what a linter asks of a chart and its subcharts: sound metadata, readable values and schema, no file
// with an unresolved mark, every dependency packed.
func checkChart(t *testing.T, c *chart.Chart) {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Errorf("chart %s: %v", c.ChartFullPath(), err)
	}
	for _, file := range c.Raw {
		if strings.Contains(string(file.Data), "[%") {
			t.Errorf("%s/%s: a mark was left", c.ChartFullPath(), file.Name)
		}
		if file.Name != "values.yaml" && file.Name != "Chart.yaml" && file.Name != "values.schema.json" {
			continue
		}
		if err := yaml.UnmarshalStrict(file.Data, &map[string]any{}); err != nil {
			t.Errorf("%s/%s: %v", c.ChartFullPath(), file.Name, err)
		}
	}
	packed := map[string]bool{}
	for _, sub := range c.Dependencies() {
		packed[sub.Name()] = true
		checkChart(t, sub)
	}
	for _, wanted := range c.Metadata.Dependencies {
		if !packed[wanted.Name] {
			t.Errorf("chart %s: %s is not packed", c.ChartFullPath(), wanted.Name)
		}
	}
}
