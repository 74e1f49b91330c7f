package derive_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/values"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGitLabCoreLayers(t *testing.T) {
	inputs, err := filepath.Glob(filepath.Join("testdata", "*", "in.yaml"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no cases found: %v", err)
	}
	for _, input := range inputs {
		dir := filepath.Dir(input)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			obj, facts := readCase(t, input)
			layers, err := derive.GitLabCore(obj, facts)
			if err != nil {
				t.Fatal(err)
			}
			got := listing(values.Merge(layers...))
			file := filepath.Join(dir, "want.yaml")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// listing shows every value with its origin, a line each, and below them the values that have no effect.
func listing(e values.Effective) string {
	var b strings.Builder
	for _, l := range e.Leaves() {
		fmt.Fprintf(&b, "%s: %s  # %s: %s\n", l.Path, l.Text(), l.Origin.Kind, l.Origin)
	}
	for _, s := range e.Shadows() {
		fmt.Fprintf(&b, "# warning: %s %s\n", s.Field(), s.Message())
	}
	return b.String()
}

// readCase reads a resource and, behind it, the facts of the case.
func readCase(t *testing.T, file string) (*v2alpha1.GitLabCore, derive.GitLabCoreFacts) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	resource, rest, _ := strings.Cut(string(data), "\n---\n")
	obj := &v2alpha1.GitLabCore{}
	if err := yaml.UnmarshalStrict([]byte(resource), obj); err != nil {
		t.Fatal(err)
	}
	facts := derive.GitLabCoreFacts{ChartVersion: obj.Spec.Version.Version}
	facts.ManagerServiceAccount = "gitlab-manager"
	if err := yaml.UnmarshalStrict([]byte(rest), &facts); err != nil {
		t.Fatal(err)
	}
	return obj, facts
}
