//go:build bridge

package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/test/invalid"
)

const docs = "../../docs"

func TestEveryCodeIsDocumented(t *testing.T) {
	documented := headings(t)
	source := read(t, "../rules/codes.go")
	codes := regexp.MustCompile(`(?m)^\t\w+ +Code = "(\w+)"$`).FindAllStringSubmatch(source, -1)
	if len(codes) < 30 {
		t.Fatalf("found only %d codes in codes.go", len(codes))
	}
	var known []string
	for _, c := range codes {
		known = append(known, c[1])
		if !slices.Contains(documented, c[1]) {
			t.Errorf("docs/codes.md has no heading for %s", c[1])
		}
	}
	for _, heading := range documented {
		if !slices.Contains(known, heading) {
			t.Errorf("docs/codes.md explains %s, which is no code", heading)
		}
	}
}

func headings(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(read(t, docs+"/codes.md"), -1) {
		out = append(out, m[1])
	}
	return out
}

// TestExamplesAreReal holds every example of the documents to a golden file, so that they say what the product says.
func TestExamplesAreReal(t *testing.T) {
	printed := realLines(t)
	// A render that takes 30 seconds is in no golden file; the sentence is built by package plan.
	printed["spec: chart gitlab 10.4.1 was not rendered to its end, so this verdict is without its templates: it took longer than 30s"] = true
	examples := 0
	for line := range strings.Lines(read(t, docs+"/codes.md")) {
		if example, ok := strings.CutPrefix(line, "    "); ok {
			examples++
			holds(t, printed, example)
		}
	}
	inside := false
	for line := range strings.Lines(read(t, docs+"/cli.md")) {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside
		case inside && !strings.HasPrefix(line, "$ "):
			examples++
			holds(t, printed, line)
		}
	}
	if examples < 60 {
		t.Errorf("found only %d lines of examples", examples)
	}
}

func holds(t *testing.T, printed map[string]bool, line string) {
	t.Helper()
	if line = strings.TrimRight(strings.ReplaceAll(line, "manifests/", "in/"), "\n"); !printed[line] && !printed[line+","] {
		t.Errorf("no golden file has the example:\n%s", line)
	}
}

func realLines(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "want.*"))
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]bool{}
	for _, f := range files {
		for line := range strings.Lines(read(t, f)) {
			printed[strings.TrimRight(line, "\n")] = true
		}
	}
	examples, err := invalid.Examples("gitlabcore")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		for _, f := range e.Want.Faults {
			printed[f.Field+": "+f.Message] = true
		}
	}
	return printed
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
