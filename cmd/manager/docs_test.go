package main

import (
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tables of docs/operating.md: a name, and the default in backquotes where it is not empty.
var (
	flagRow     = regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| (?:`([^`]*)`)? *\\| .")
	variableRow = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| (?:`([^`]*)`)? *\\| .")
	variable    = regexp.MustCompile(`(?m)^\tenv\w+ += "([A-Z_]+)"$`)
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func rows(t *testing.T, row *regexp.Regexp) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(read(t, "../../docs/operating.md"), -1) {
		out[m[1]] = m[2]
	}
	return out
}

func TestEveryFlagIsDocumentedWithItsDefault(t *testing.T) {
	want := map[string]string{}
	(&settings{}).flags().VisitAll(func(f *flag.Flag) { want[f.Name] = f.DefValue })
	if len(want) < 15 {
		t.Fatalf("found only %d flags", len(want))
	}
	if diff := cmp.Diff(want, rows(t, flagRow)); diff != "" {
		t.Errorf("the flags and docs/operating.md differ, -flags +document:\n%s", diff)
	}
}

func TestEveryVariableIsDocumented(t *testing.T) {
	documented := rows(t, variableRow)
	found := variable.FindAllStringSubmatch(read(t, "settings.go"), -1)
	if len(found) < 6 {
		t.Fatalf("found only %d variables", len(found))
	}
	for _, m := range found {
		if _, told := documented[m[1]]; !told {
			t.Errorf("docs/operating.md does not explain %s", m[1])
		}
		delete(documented, m[1])
	}
	for name := range documented {
		t.Errorf("docs/operating.md explains %s, which the manager does not read", name)
	}
}
