//go:build !bridge

package cli_test

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/cli"
)

func TestBuildWithoutTheGitLabKindsRefusesThem(t *testing.T) {
	for _, args := range []string{"validate -", "values -f -", "render -f -", "secrets plan -f -"} {
		kind := "GitLabCore"
		if strings.HasPrefix(args, "secrets") {
			kind = "GitLabSecrets"
		}
		var stdout, stderr bytes.Buffer
		code := cli.Run(t.Context(), cli.Env{
			Name: "portcullis", Stdout: &stdout, Stderr: &stderr,
			Stdin:  strings.NewReader("apiVersion: apps.gitlab.com/v2alpha1\nkind: " + kind + "\nmetadata:\n  name: gitlab\n"),
			Folder: func(path string) fs.FS { return os.DirFS(path) },
		}, strings.Fields(args))
		if code != cli.ExitFaults {
			t.Errorf("%s exits with %d, want %d", args, code, cli.ExitFaults)
		}
		want := "stdin:2:1: error: " + kind + " default/gitlab: kind: " + kind + " cannot be checked: this build of portcullis was made " +
			"without the GitLab kinds; use one made with the build tag bridge [KindUnknown]\n"
		if got := stdout.String() + stderr.String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s says %q, want %q", args, got, want)
		}
	}
}
