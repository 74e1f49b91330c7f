package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mark is the import path of the GitLab kinds, as the symbols and the type names of a program spell it.
const mark = "github.com/portcullis-operator/portcullis/api/apps/v2alpha1"

// TestUntaggedProgramsCarryNoGitLabKind builds the programs as the Harbor operator alone is built, and looks into them.
// The tagged build of the first one shows that the search would find what it looks for.
func TestUntaggedProgramsCarryNoGitLabKind(t *testing.T) {
	if testing.Short() {
		t.Skip("builds whole programs")
	}
	for name, c := range map[string]struct {
		program string
		tags    string
		carries bool
	}{
		"the offline command": {program: "cmd/portcullis"},
		"the manager":         {program: "cmd/manager"},
		"the offline command with the GitLab kinds": {program: "cmd/portcullis", tags: "bridge", carries: true},
	} {
		t.Run(name, func(t *testing.T) {
			binary := buildProgram(t, c.program, c.tags)
			symbols, err := exec.CommandContext(t.Context(), "go", "tool", "nm", binary).Output()
			if err != nil {
				t.Fatalf("list the symbols: %v", err)
			}
			var found []string
			for line := range strings.Lines(string(symbols)) {
				if strings.Contains(line, mark) {
					found = append(found, strings.TrimSpace(line))
				}
			}
			if carries := len(found) > 0; carries != c.carries {
				t.Errorf("has symbols of %s: %v, want %v %s", mark, carries, c.carries, strings.Join(found[:min(5, len(found))], "\n"))
			}
			// Type names are data, not symbols.
			content, err := os.ReadFile(binary)
			if err != nil {
				t.Fatal(err)
			}
			if carries := bytes.Contains(content, []byte(mark)); carries != c.carries {
				t.Errorf("holds the text %s: %v, want %v", mark, carries, c.carries)
			}
		})
	}
}

func buildProgram(t *testing.T, program, tags string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), filepath.Base(program))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-tags="+tags, "-o", binary, "./"+program)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", program, err, out)
	}
	return binary
}
