package floors

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// source is what one folder of Go files imports and where it writes a reason by hand.
type source struct {
	path           string
	inside         []string
	outside        []string
	literalReasons []string
}

// read collects the packages of the module below tree.
func read(tree fs.FS, module string) ([]source, error) {
	found := map[string]*source{}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return enter(tree, name)
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return add(found, tree, name, module)
	})
	if err != nil {
		return nil, fmt.Errorf("read the module's Go files: %w", err)
	}
	out := make([]source, 0, len(found))
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		s := found[folder]
		slices.Sort(s.inside)
		s.inside = slices.Compact(s.inside)
		slices.Sort(s.outside)
		s.outside = slices.Compact(s.outside)
		out = append(out, *s)
	}
	return out, nil
}

// enter skips what is not part of the product: hidden folders, test data, nested modules, and the suites below test/.
func enter(tree fs.FS, name string) error {
	base := path.Base(name)
	if name == "." {
		return nil
	}
	if strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules" || name == "test" {
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// add parses one file, whatever its build tags, but for a generator that is part of no build.
func add(found map[string]*source, tree fs.FS, name, module string) error {
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if bytes.HasPrefix(data, []byte("//go:build ignore\n")) {
		return nil
	}
	s := found[path.Dir(name)]
	if s == nil {
		s = &source{path: path.Dir(name)}
		found[s.path] = s
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, data, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", name, err)
	}
	for _, spec := range file.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("read an import of %s: %w", name, err)
		}
		if rest, ok := strings.CutPrefix(target, module+"/"); ok {
			s.inside = append(s.inside, rest)
		} else {
			s.outside = append(s.outside, target)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if at, literal := literalReason(n); literal != "" {
			s.literalReasons = append(s.literalReasons, fmt.Sprintf(
				"%s writes the reason %s by hand; name it as a constant in api/ and use that", files.Position(at), literal))
		}
		return true
	})
	return nil
}

// literalReason finds a reason written as a string literal: in an outcome or a condition, converted to outcome.Reason,
// declared as one, or assigned as one word to a field named Reason.
func literalReason(n ast.Node) (token.Pos, string) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		return literalField(n)
	case *ast.CallExpr:
		if name(n.Fun) == "outcome.Reason" && len(n.Args) == 1 {
			return text(n.Args[0])
		}
	case *ast.ValueSpec:
		if name(n.Type) == "outcome.Reason" && len(n.Values) > 0 {
			return text(n.Values[0])
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			field, ok := left.(*ast.SelectorExpr)
			if !ok || field.Sel.Name != "Reason" || i >= len(n.Rhs) {
				continue
			}
			// A sentence is no reason of a condition, which is one word.
			if at, literal := text(n.Rhs[i]); literal != "" && !strings.Contains(literal, " ") {
				return at, literal
			}
		}
	}
	return token.NoPos, ""
}

// literalField looks at the composite literals that carry a reason to the user.
func literalField(n *ast.CompositeLit) (token.Pos, string) {
	full := name(n.Type)
	bearer := slices.Contains([]string{"outcome.Wait", "outcome.Refuse", "outcome.Fail"}, full) ||
		strings.HasSuffix(full, ".Condition")
	if !bearer {
		return token.NoPos, ""
	}
	for _, element := range n.Elts {
		pair, keyed := element.(*ast.KeyValueExpr)
		if !keyed {
			return text(element)
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Reason" {
			return text(pair.Value)
		}
	}
	return token.NoPos, ""
}

// name returns "package.Name" of a qualified identifier, and "" of anything else.
func name(e ast.Expr) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if p, ok := s.X.(*ast.Ident); ok {
		return p.Name + "." + s.Sel.Name
	}
	return ""
}

// text returns a string literal as written, and "" for any other expression. The empty string clears a reason and is fine.
func text(e ast.Expr) (token.Pos, string) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING || l.Value == `""` || l.Value == "``" {
		return token.NoPos, ""
	}
	return l.Pos(), l.Value
}
