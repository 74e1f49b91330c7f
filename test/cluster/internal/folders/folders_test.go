package folders

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunForHoldsNamesToFolderNames(t *testing.T) {
	cases := map[string]struct {
		name string
		ok   bool
	}{
		"the default name is fine":              {"portcullis", true},
		"digits and inner dashes are fine":      {"e2e-2", true},
		"a path is refused":                     {"../x", false},
		"an empty name is refused":              {"", false},
		"upper case is refused":                 {"E2E", false},
		"a dash at the end is refused":          {"a-", false},
		"forty characters are the most":         {strings.Repeat("a", 40), true},
		"forty-one characters are one too many": {strings.Repeat("a", 41), false},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			run, err := RunFor("/r", c.name)
			if c.ok != (err == nil) || (!c.ok && !errors.Is(err, ErrName)) {
				t.Fatalf("name %q: got %v", c.name, err)
			}
			if want := filepath.Join("/r", ".cache", "cluster", "run", c.name); c.ok && run.Folder != want {
				t.Errorf("want %s, got %s", want, run.Folder)
			}
		})
	}
}

func TestRootIsFoundFromAnyFolderBelowIt(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "test", "cluster", "controlplane")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Root(deep); !errors.Is(err, ErrNoRepository) {
		t.Fatalf("without a go.mod there is no repository: got %v", err)
	}
	if err := os.WriteFile(filepath.Join(deep, "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, start := range []string{root, deep, filepath.Dir(deep)} {
		got, err := Root(start)
		if err != nil || got != root {
			t.Errorf("from %s: want %s, got %s, %v", start, root, got, err)
		}
	}
}
