package rules_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryCodeIsProduced keeps codes away that nothing says yet: a reader of the list would wait for them.
func TestEveryCodeIsProduced(t *testing.T) {
	text, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`(?m)^\t(\w+) +Code = "(\w+)"$`).FindAllStringSubmatch(string(text), -1)
	if len(codes) < 30 {
		t.Fatalf("found only %d codes in codes.go", len(codes))
	}
	produced := map[string]bool{}
	used := regexp.MustCompile(`\brules\.(\w+)`)
	for _, folder := range []string{"..", "../../webhooks"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range used.FindAllStringSubmatch(string(source), -1) {
				produced[m[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range codes {
		if c[1] != c[2] {
			t.Errorf("the code %s is called %s", c[2], c[1])
		}
		if !produced[c[1]] {
			t.Errorf("nothing produces %s", c[1])
		}
	}
}
