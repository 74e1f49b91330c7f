//go:build bridge

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/cli"
	"github.com/portcullis-operator/portcullis/test/charts"
)

func TestCommandLines(t *testing.T) {
	shelf := t.TempDir()
	if err := charts.WriteArchives(shelf, "10.4.1"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		"no command prints the usage and fails": {args: "", code: cli.ExitTrouble, stderr: "portcullis validate [flags] PATH..."},
		"help is an answer":                     {args: "help", code: cli.ExitClean, stdout: "Exit codes: 0 no errors, 1 at least one error, 2 the check could not be made."},
		"help of a command lists its flags":     {args: "validate --help", code: cli.ExitClean, stdout: "--fail-on-warning"},
		"an unknown command":                    {args: "check", code: cli.ExitTrouble, stderr: `portcullis: there is no command "check": the commands are validate, values, render, secrets plan and version`},
		"an unknown flag":                       {args: "validate --chart x in", code: cli.ExitTrouble, stderr: "portcullis: unknown flag: --chart; «portcullis validate --help» lists the flags"},
		"no path":                               {args: "validate", code: cli.ExitTrouble, stderr: "portcullis: validate needs files or folders to read, or - for standard input"},
		"a path that does not exist":            {args: "validate nowhere.yaml", code: cli.ExitTrouble, stderr: "portcullis: nowhere.yaml does not exist"},
		"a form that comes later":               {args: "validate -o sarif in", code: cli.ExitTrouble, stderr: "portcullis: -o sarif is not known to this build: the forms are text and json"},
		"a version that is none":                {args: "validate --kube-version newest in", code: cli.ExitTrouble, stderr: `--kube-version must be a version such as 1.37.2, not "newest"`},
		"an API that is none":                   {args: "validate --api-versions a//b in", code: cli.ExitTrouble, stderr: `"a//b" is neither`},
		"a folder of charts that is none":       {args: "validate --charts nowhere in", code: cli.ExitTrouble, stderr: "--charts names the folder of charts, and nowhere is none"},
		"values without a file":                 {args: "values", code: cli.ExitTrouble, stderr: "portcullis: values needs -f with a file or folder to read, or - for standard input"},
		"values with a bare file":               {args: "values in/gitlab.yaml", code: cli.ExitTrouble, stderr: "portcullis: values reads what -f names; write -f in/gitlab.yaml"},
		"values of a file without a resource":   {args: "values -f in/rest.yaml", code: cli.ExitTrouble, stderr: "portcullis: there is no resource with chart values in in/rest.yaml"},
		"version": {args: "version", code: cli.ExitClean, stdout: "portcullis v1.2.3\n" +
			"built with go1.26.0, Helm v3.22.0, Kubernetes libraries v0.37.2\n" +
			"checks GitLabCore, GitLabSecrets, Orbit and Siphon of apps.gitlab.com/v2alpha1\n"},
		"secrets without what to do":                        {args: "secrets", code: cli.ExitTrouble, stderr: `there is no command "secrets": the commands are`},
		"secrets with what it does not do":                  {args: "secrets rotate -f in", code: cli.ExitTrouble, stderr: `there is no command "secrets rotate"`},
		"help of secrets plan":                              {args: "secrets plan --help", code: cli.ExitClean, stdout: "--existing FOLDER"},
		"a plan without a file":                             {args: "secrets plan", code: cli.ExitTrouble, stderr: "portcullis: secrets plan needs -f with a file or folder to read, or - for standard input"},
		"a plan of a file without a GitLabSecrets":          {args: "secrets plan -f in/rest.yaml", code: cli.ExitTrouble, stderr: "portcullis: there is no GitLabSecrets in in/rest.yaml"},
		"a plan in a form that is none":                     {args: "secrets plan -f in -o yaml", code: cli.ExitTrouble, stderr: "portcullis: -o yaml is not known to this build: the forms are text and json"},
		"a plan on a folder that is none":                   {args: "secrets plan -f in/secrets.yaml --existing nowhere", code: cli.ExitTrouble, stderr: "portcullis: nowhere does not exist"},
		"a GitLabSecrets has no chart values":               {args: "values -f in/secrets.yaml", code: cli.ExitTrouble, stderr: "portcullis: there is no resource with chart values in in/secrets.yaml"},
		"a GitLabSecrets needs no charts":                   {args: "validate --charts nowhere in/secrets.yaml", code: cli.ExitClean, stdout: "1 passed, 0 failed, 0 warnings, 0 skipped\n"},
		"the chart's own defaults where they are asked for": {args: "values --defaults --origins -f in/gitlab.yaml", code: cli.ExitClean, stdout: "global.hosts.https "},
		"flags may stand behind paths, and every path is read once": {args: "validate in/gitlab.yaml --no-render ./in/gitlab.yaml", code: cli.ExitClean,
			stdout: "1 passed, 0 failed, 0 warnings, 0 skipped\n"},
		"a folder without a manifest is worth a word": {args: "validate in/empty", code: cli.ExitClean,
			stdout: "0 passed, 0 failed, 0 warnings, 0 skipped\n", stderr: "portcullis: there is no file *.yaml, *.yml or *.json in in/empty\n"},
		"the templates of a chart are no manifests": {args: "validate --no-render .", code: cli.ExitClean,
			stderr: "portcullis: helm/chart is a chart, so its files are not read as resources\n"},
		"a kind the listed APIs do not hold": {args: "validate in/routed.yaml --api-versions monitoring.coreos.com/v1/ServiceMonitor", code: cli.ExitClean,
			stdout: "the cluster does not serve gateway.networking.k8s.io/v1/HTTPRoute"},
	} {
		t.Run(name, func(t *testing.T) {
			got := runIn(t, workFolder(t), shelf, strings.Fields(c.args))
			if got.code != c.code {
				t.Errorf("exits with %d, want %d; standard error: %s", got.code, c.code, got.stderr)
			}
			if !strings.Contains(got.stdout, c.stdout) {
				t.Errorf("want %q on standard output, got:\n%s", c.stdout, got.stdout)
			}
			if !strings.Contains(got.stderr, c.stderr) {
				t.Errorf("want %q on standard error, got:\n%s", c.stderr, got.stderr)
			}
		})
	}
}

// bareSecrets is a GitLabSecrets that declares nothing.
const bareSecrets = "apiVersion: apps.gitlab.com/v2alpha1\nkind: GitLabSecrets\nmetadata: {name: gitlab}\nspec: {}\n"

// workFolder lays out a folder such as people keep: resources, a chart beside them, a hidden folder.
func workFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	core := optional(t, filepath.Join("testdata", "good", "in", "gitlab.yaml"), "")
	for name, text := range map[string]string{
		"in/gitlab.yaml":                core,
		"in/routed.yaml":                core + "  networking:\n    gateway: {name: shared}\n",
		"in/rest.yaml":                  "apiVersion: v1\nkind: Service\nmetadata: {name: other}\n",
		"in/secrets.yaml":               bareSecrets,
		"in/empty/README.md":            "nothing",
		"helm/chart/Chart.yaml":         "name: chart\nversion: 1.0.0\n",
		"helm/chart/templates/all.yaml": "{{ broken",
		".hidden/broken.yaml":           "a: b: c",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSecretsAreShownOnlyOnDemand holds both commands that print values to it, over texts that would leak in each of
// the ways there are: by origin, by key, and in what a chart renders from them.
func TestSecretsAreShownOnlyOnDemand(t *testing.T) {
	shelf := t.TempDir()
	if err := charts.WriteArchives(shelf, "10.4.1"); err != nil {
		t.Fatal(err)
	}
	for dir, c := range map[string]struct {
		args    string
		secrets []string
	}{
		"values":        {"values -f in", []string{"inline-hunter2", "relay.internal.example.com"}},
		"render-secret": {"render -f in", []string{"correct-horse", "Y29ycmVjdC1ob3JzZQ==", "c29tZWJvZHk="}},
	} {
		shown := runIn(t, filepath.Join("testdata", dir), shelf, strings.Fields(c.args+" --show-secrets"))
		hidden := runIn(t, filepath.Join("testdata", dir), shelf, strings.Fields(c.args))
		for i, secret := range c.secrets {
			if !strings.Contains(shown.stdout, secret) {
				t.Errorf("%s: secret %d is not shown with --show-secrets", c.args, i)
			}
			if strings.Contains(hidden.stdout+hidden.stderr, secret) {
				t.Errorf("%s: secret %d is shown", c.args, i)
			}
		}
	}
}

func TestMissingDefaultChartsAreSaid(t *testing.T) {
	got := runIn(t, filepath.Join("testdata", "good"), filepath.Join(t.TempDir(), "none"), []string{"validate", "in"})
	if want := "portcullis: warning: there is no folder ./charts; name the folder of charts with --charts or HELM_CHARTS\n"; got.stderr != want {
		t.Errorf("want %q on standard error, got %q", want, got.stderr)
	}
	if got.code != cli.ExitFaults {
		t.Errorf("exits with %d, want %d", got.code, cli.ExitFaults)
	}
}

func TestBrokenChartIsSaidAndTheOthersAreUsed(t *testing.T) {
	shelf := t.TempDir()
	if err := charts.WriteArchives(shelf, "10.4.1"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shelf, "broken-1.0.0.tgz"), []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runIn(t, filepath.Join("testdata", "good"), shelf, []string{"validate", "in"})
	if !strings.HasPrefix(got.stderr, "portcullis: warning: broken-1.0.0.tgz cannot be used as a chart: ") {
		t.Errorf("the broken archive is not named: %q", got.stderr)
	}
	if got.code != cli.ExitClean {
		t.Errorf("exits with %d, want %d", got.code, cli.ExitClean)
	}
}
