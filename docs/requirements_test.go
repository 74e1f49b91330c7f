// Package docs_test holds the documents to the code.
package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryNamedTestExists keeps requirements.md from promising a test that is not there.
func TestEveryNamedTestExists(t *testing.T) {
	var sources strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") && filepath.Base(path) != "requirements_test.go" {
			text, err := os.ReadFile(path)
			sources.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("requirements.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(document)) {
		if !regexp.MustCompile(`^\| [GSOP]\d`).MatchString(line) {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		last := cells[len(cells)-1]
		if !regexp.MustCompile("`|open: |not applicable").MatchString(last) {
			t.Errorf("nothing holds: %s", line)
		}
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(last, -1) {
			if !strings.Contains(sources.String(), name[1]) {
				t.Errorf("no test is called %q", name[1])
			}
		}
	}
	if rows < 100 {
		t.Errorf("read %d requirements", rows)
	}
}
