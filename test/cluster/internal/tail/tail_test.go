package tail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", window)
	cases := map[string]struct {
		text string
		want string
	}{
		"the last lines are kept":                 {"a\nb\nc\n", "b\nc"},
		"a short log is given whole":              {"a\n", "a"},
		"an empty log says so":                    {"", "(the log is empty)"},
		"a log longer than the window is cut off": {long + "\ny\nz\n", "y\nz"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := Lines(path, 2); got != c.want {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
	if got := Lines(filepath.Join(t.TempDir(), "none"), 2); !strings.HasPrefix(got, "(no log") {
		t.Errorf("a missing log says so: got %q", got)
	}
}
