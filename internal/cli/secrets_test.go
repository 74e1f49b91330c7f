//go:build bridge

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/cli"
)

// TestSecretsPlanShowsNoValue looks for the values of testdata, plain and as they stand in the files.
func TestSecretsPlanShowsNoValue(t *testing.T) {
	values := []string{"hunter2", "correct-horse", "BEGIN CERTIFICATE", "LS0tLS1CRUdJTi", "aHVudGVyM", "odW50ZXIy", "Y29ycmVjdC1ob3Jz"}
	for dir, args := range map[string]string{
		"secrets-plan":        "secrets plan -f in --existing existing",
		"secrets-plan-broken": "secrets plan -f in --existing existing",
	} {
		for _, form := range []string{"text", "json"} {
			got := runIn(t, filepath.Join("testdata", dir), "", strings.Fields(args+" -o "+form))
			if got.code != cli.ExitFaults {
				t.Errorf("%s exits with %d", dir, got.code)
			}
			for i, value := range values {
				if strings.Contains(got.stdout+got.stderr, value) {
					t.Errorf("%s prints value %d as %s", dir, i, form)
				}
			}
		}
	}
}

func TestSecretsPlanOnWhatIsThere(t *testing.T) {
	const declared = `apiVersion: apps.gitlab.com/v2alpha1
kind: GitLabSecrets
metadata: {name: gitlab, namespace: NAMESPACE}
spec:
  secrets:
  - name: database
    generators: [{type: random, key: password, charset: hex, length: 32, persistent: true}]
`
	const live = "apiVersion: v1\nkind: Secret\nmetadata: {name: database, namespace: NAMESPACE}\nstringData: {password: hunter2}\n"
	in := func(text, namespace string) string { return strings.ReplaceAll(text, "NAMESPACE", namespace) }
	for name, c := range map[string]struct {
		declared, existing string
		code               int
		stdout, stderr     string
	}{
		"a Secret of the namespace is there": {
			declared: in(declared, "prod"), existing: in(live, "prod"), code: cli.ExitClean, stdout: "  keep      password\n",
		},
		"a Secret without a namespace counts as being in that of the GitLabSecrets": {
			declared: in(declared, "prod"), existing: in(live, ""), code: cli.ExitClean, stdout: "  keep      password\n",
		},
		"a GitLabSecrets without a namespace takes the Secrets of any": {
			declared: in(declared, ""), existing: in(live, "prod"), code: cli.ExitClean, stdout: "  keep      password\n",
		},
		"a Secret of another namespace is not there": {
			declared: in(declared, "prod"), existing: in(live, "test"), code: cli.ExitClean, stdout: "  generate  password\n",
			stderr: "Secrets of other namespaces than that of GitLabSecrets prod/gitlab, passed over: 1\n",
		},
		"one Secret in two namespaces needs to know which": {
			declared: in(declared, ""), existing: in(live, "prod") + "---\n" + in(live, "test"), code: cli.ExitTrouble,
			stderr: "Secret database is there in live.yaml line 1 and in live.yaml line 6, of different namespaces: write its namespace into GitLabSecrets default/gitlab\n",
		},
		"a value that is null is there and empty": {
			declared: in(declared, ""), existing: "apiVersion: v1\nkind: Secret\nmetadata: {name: database}\ndata: {password: null}\n",
			code: cli.ExitClean, stdout: "  keep      password\n",
		},
		"data that is a list is an error of the Secret": {
			declared: in(declared, ""), existing: "apiVersion: v1\nkind: Secret\nmetadata: {name: database}\ndata: [password]\n",
			code: cli.ExitFaults, stderr: "data: must be a map of keys and their values [FieldInvalid]\n",
		},
		"a file that is no YAML stops the plan, since a Secret may be in it": {
			declared: in(declared, ""), existing: "a: b: c\n", code: cli.ExitFaults, stderr: "live.yaml:1:1: error: is no valid YAML",
		},
		"a unit that was ready and is missing is reported": {
			declared: in(declared, "prod") + "status: {secrets: [{name: database, ready: true, readyUnits: [password]}]}\n",
			existing: "# nothing\n", code: cli.ExitFaults, stdout: "  report    password: ",
		},
		"a status of another shape is said": {
			declared: in(declared, "prod") + "status: {secrets: all of them}\n", existing: "# nothing\n", code: cli.ExitTrouble,
			stderr: "declared.yaml:8: the status of GitLabSecrets prod/gitlab is not as the Operator writes it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"declared.yaml": c.declared, "live.yaml": c.existing} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := runIn(t, dir, "", strings.Fields("secrets plan -f declared.yaml --existing live.yaml"))
			if got.code != c.code {
				t.Errorf("exits with %d, want %d", got.code, c.code)
			}
			if !strings.Contains(got.stdout, c.stdout) || !strings.Contains(got.stderr, c.stderr) {
				t.Errorf("want %q and %q, got:\n%s%s", c.stdout, c.stderr, got.stdout, got.stderr)
			}
		})
	}
}
