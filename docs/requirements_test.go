// Package docs_test holds the documents to the code.
package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	requirement = regexp.MustCompile(`^\| [GSOP]\d`)
	answered    = regexp.MustCompile("`|open: |not applicable")
	quoted      = regexp.MustCompile("`([^`]+)`")
)

// TestEveryNamedTestExists keeps requirements.md from promising a test that is not there.
func TestEveryNamedTestExists(t *testing.T) {
	known := testNames(t)
	document, err := os.ReadFile("requirements.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(document)) {
		if !requirement.MatchString(line) {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		last := cells[len(cells)-1]
		if !answered.MatchString(last) {
			t.Errorf("nothing holds: %s", line)
		}
		for _, name := range quoted.FindAllStringSubmatch(last, -1) {
			if !known[name[1]] {
				t.Errorf("no test is called %q", name[1])
			}
		}
	}
	if rows < 100 {
		t.Errorf("read %d requirements", rows)
	}
}

// testNames returns the names of all tests: functions of the testing package, and the sentences of specs and cases. A
// sentence that goes on with a variable counts with what is written out of it.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for name := range namesOf(file) {
			known[name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// titled are the functions whose first argument is the sentence of a test.
var titled = map[string]bool{
	"Describe": true, "DescribeTable": true, "DescribeTableSubtree": true, "Context": true, "When": true, "It": true, "Specify": true, "Entry": true, "Run": true,
}

// namesOf collects what a file of tests calls its tests: Test, Fuzz and Benchmark functions, titles, and the keys of the
// tables whose cases are sentences.
func namesOf(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && runs(f.Name.Name) {
			names[f.Name.Name] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if len(n.Args) > 0 && titled[called(n.Fun)] {
				names[written(n.Args[0])] = true
			}
		case *ast.CompositeLit:
			if _, table := n.Type.(*ast.MapType); !table {
				return true
			}
			for _, element := range n.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					names[written(pair.Key)] = true
				}
			}
		}
		return true
	})
	delete(names, "")
	return names
}

func runs(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Benchmark")
}

// called returns the name of a function without its package.
func called(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// written returns the text of a literal, and of a sum of texts what comes before the first variable.
func written(e ast.Expr) string {
	text, _ := sum(e)
	return text
}

// sum also says whether the whole expression is written out.
func sum(e ast.Expr) (text string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, whole := sum(e.X)
		if !whole {
			return left, false
		}
		right, whole := sum(e.Y)
		return left + right, whole
	}
	return "", false
}

func TestOnlyATestIsATest(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "x_test.go", `package x
// TestInAComment and "it is said in a comment" are none.
func TestNamed(t *testing.T) { t.Log("it is only logged") }
func (w world) TestOfAType() {}
var _ = Describe("a thing", func() {
	It("does " + "this", func() {})
	DescribeTable("goes on", check, Entry("with "+name, 1))
})
func cases() { for name := range map[string]int{"a case of a table": 1} { t.Run(name, nil) } }
`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := namesOf(file)
	for _, want := range []string{"TestNamed", "a thing", "does this", "goes on", "with ", "a case of a table"} {
		if !names[want] {
			t.Errorf("%q is not found", want)
		}
		delete(names, want)
	}
	if len(names) > 0 {
		t.Errorf("found besides: %v", names)
	}
}
