//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/folders"
)

func TestAssetsPrintsTheFolderTheUserHasSetAndNothingElse(t *testing.T) {
	t.Setenv(assetsVariable, "/opt/envtest")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"assets"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "/opt/envtest\n"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

func TestWrongCommandLinesAreRefused(t *testing.T) {
	cases := map[string]struct {
		args []string
		want error
	}{
		"an unknown verb":                 {[]string{"start"}, errUsage},
		"a word after the verb":           {[]string{"up", "now"}, errUsage},
		"an unknown flag":                 {[]string{"up", "--fast"}, errReported},
		"a name that cannot be a folder":  {[]string{"status", "--name", "../x"}, folders.ErrName},
		"a number of nodes out of reason": {[]string{"status", "--nodes", "0"}, errUsage},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			var out bytes.Buffer
			if err := run(t.Context(), c.args, &out, io.Discard); !errors.Is(err, c.want) {
				t.Errorf("want %v, got %v", c.want, err)
			}
			if out.Len() > 0 {
				t.Errorf("nothing goes to the output, got %q", out.String())
			}
		})
	}
}

func TestShellWord(t *testing.T) {
	cases := map[string]struct{ path, want string }{
		"a plain path stays":            {"/a/b-c_1.x", "/a/b-c_1.x"},
		"a space is quoted":             {"/my files", "'/my files'"},
		"a quote is quoted for a shell": {"/it's", `'/it'\''s'`},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			if got := shellWord(c.path); got != c.want {
				t.Errorf("want %s, got %s", c.want, got)
			}
		})
	}
}

func TestHelpNamesEveryVerb(t *testing.T) {
	var text bytes.Buffer
	if err := run(t.Context(), []string{"help"}, io.Discard, &text); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"assets", "up", "down", "status", "env"} {
		if !strings.Contains(text.String(), "\n  "+verb+" ") {
			t.Errorf("%s is missing", verb)
		}
	}
}
