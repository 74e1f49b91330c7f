//go:build bridge

package cli_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/cli"
	"github.com/portcullis-operator/portcullis/test/charts"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden runs every case of testdata as a person would: with its folder as the working directory and the test
// charts in ./charts, unless it has charts of its own there. A case of a command that answers in JSON as well is run a second time for it.
func TestGolden(t *testing.T) {
	shelf := t.TempDir()
	for _, err := range []error{
		charts.GitLab().WriteArchives(shelf, "10.3.0", "10.4.0", "10.4.1"),
		charts.Siphon().WriteArchives(shelf, "1.18.0"), charts.Orbit().WriteArchives(shelf, "4.1.0"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	dirs, err := filepath.Glob(filepath.Join("testdata", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no cases found: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			args := strings.Fields(optional(t, filepath.Join(dir, "args"), "validate in"))
			answer := runIn(t, dir, shelf, args)
			compare(t, filepath.Join(dir, "want.txt"), answer.stdout)
			compare(t, filepath.Join(dir, "want.err"), answer.stderr)
			compare(t, filepath.Join(dir, "want.exit"), strconv.Itoa(answer.code)+"\n")
			if (args[0] != "validate" && args[0] != "secrets") || slices.Contains(args, "-o") {
				return
			}
			inJSON := runIn(t, dir, shelf, append(args, "-o", "json"))
			compare(t, filepath.Join(dir, "want.json"), inJSON.stdout)
			if inJSON.code != answer.code {
				t.Errorf("the exit code is %d as text and %d as JSON", answer.code, inJSON.code)
			}
		})
	}
}

// answer is what one run gave.
type answer struct {
	stdout, stderr string
	code           int
}

func runIn(t *testing.T, dir, shelf string, args []string) answer {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := cli.Env{
		Name:   "portcullis",
		Stdin:  strings.NewReader(optional(t, filepath.Join(dir, "stdin"), "")),
		Stdout: &stdout, Stderr: &stderr,
		Folder: func(path string) fs.FS {
			if _, err := os.Stat(filepath.Join(dir, "charts")); path == "charts" && err != nil {
				return os.DirFS(shelf)
			}
			return os.DirFS(filepath.Join(dir, path))
		},
		ManagerServiceAccount: "gitlab-manager",
		Build:                 cli.Build{Version: "v1.2.3", Go: "go1.26.0", Helm: "v3.22.0", Kubernetes: "v0.37.2"},
	}
	code := cli.Run(t.Context(), env, args)
	return answer{stdout.String(), stderr.String(), code}
}

func optional(t *testing.T, file, otherwise string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		return otherwise
	}
	return string(text)
}

// compare holds an answer to its golden file. No file stands for no answer.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if got != "" {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(optional(t, file, ""), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
