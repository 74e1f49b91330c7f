// Package floors holds the floor plan of the project and the check that every import goes down.
//
// Test only. The table is the documentation: it names each package, its floor and what it may touch. Check reads source
// files, whatever their build tags, so a package hidden behind the tag bridge keeps the same rules.
package floors

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Check reads the Go files of the module in tree and returns one sentence for each breach of the floor plan, sorted.
// Tests (_test.go) and everything below test/ are exempt; nested modules and hidden folders are not read.
func Check(tree fs.FS, module string) ([]string, error) {
	packages, err := read(tree, module)
	if err != nil {
		return nil, err
	}
	plan := planOf(packages)
	var found []string
	for _, p := range packages {
		r, known := plan[p.path]
		if !known {
			found = append(found, p.path+" has no floor; add it to the table in internal/floors/table.go and say what it may touch")
			continue
		}
		found = append(found, imports(r, p, plan)...)
		found = append(found, outside(r, p)...)
		if r.nature != words && r.floor < testFloor {
			found = append(found, p.literalReasons...)
		}
	}
	found = append(found, cones(packages, plan)...)
	slices.Sort(found)
	return found, nil
}

// planOf gives every package that is present its row, with the path it was found at.
func planOf(packages []source) map[string]room {
	rows := make(map[string]room)
	for _, r := range table() {
		rows[r.path] = r
	}
	plan := make(map[string]room)
	for _, p := range packages {
		r, known := rows[p.path]
		if !known {
			r, known = rows[path.Dir(p.path)+"/*"]
		}
		if known {
			r.path = p.path
			plan[p.path] = r
		}
	}
	return plan
}

// Vacant returns one sentence for each row of the floor plan that no package in tree stands on, in the order of the table.
func Vacant(tree fs.FS, module string) ([]string, error) {
	packages, err := read(tree, module)
	if err != nil {
		return nil, err
	}
	stood := make(map[string]bool)
	for _, p := range packages {
		stood[p.path] = true
		stood[path.Dir(p.path)+"/*"] = true
	}
	var found []string
	for _, r := range table() {
		if !stood[r.path] {
			found = append(found, r.path+" is in the table and no package is there; take the row out until there is one")
		}
	}
	return found, nil
}

// imports compares the imports of one package from within the module with the floors.
func imports(r room, p source, plan map[string]room) []string {
	var found []string
	for _, name := range p.inside {
		o, known := plan[name]
		switch {
		case !known:
			found = append(found, fmt.Sprintf("%s (floor %d) imports %s, which has no floor or does not exist", r.path, r.floor, name))
		case o.floor >= r.floor:
			found = append(found, fmt.Sprintf("%s (floor %d) may not import %s (floor %d); move the shared type to floor 0",
				r.path, r.floor, o.path, o.floor))
		case r.nature == effect && o.nature == words:
			found = append(found, fmt.Sprintf("%s is an effect and may not import %s; take what it needs as a parameter", r.path, o.path))
		case (r.nature == effect || r.nature == pure) && (o.nature == effect || o.nature == mixed):
			found = append(found, fmt.Sprintf("%s may import pure packages only, and %s is none; let its caller pass the value", r.path, o.path))
		}
	}
	return found
}

// outside compares the imports of one package from outside the module with what its nature allows.
func outside(r room, p source) []string {
	var found []string
	for _, name := range p.outside {
		if within(name, r.also) || within(name, harmless()) {
			continue
		}
		if within(name, r.nature.forbidden()) {
			found = append(found, fmt.Sprintf("%s may not import %s: it takes values and returns values; move the call to an effect package", r.path, name))
			continue
		}
		only := r.nature.allowed()
		if thirdParty(name) && only != nil && !within(name, only) {
			found = append(found, fmt.Sprintf("%s may not import %s: a published API group uses the Kubernetes type libraries only", r.path, name))
		}
	}
	return found
}

// cones follows imports to their end and reports every effect a sealed package can reach, with the way there.
func cones(packages []source, plan map[string]room) []string {
	byPath := make(map[string]source, len(packages))
	for _, p := range packages {
		byPath[p.path] = p
	}
	var found []string
	for _, root := range sealedCones() {
		way := map[string]string{root: root}
		for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
			for _, next := range byPath[queue[0]].inside {
				if _, seen := way[next]; seen {
					continue
				}
				way[next] = way[queue[0]] + " -> " + next
				queue = append(queue, next)
				if plan[next].nature == effect {
					found = append(found, fmt.Sprintf("%s must not reach the effect %s: %s", root, next, way[next]))
				}
			}
		}
	}
	return found
}

// within reports whether name is one of the entries or lies below one.
func within(name string, entries []string) bool {
	return slices.ContainsFunc(entries, func(e string) bool { return name == e || strings.HasPrefix(name, e+"/") })
}

// thirdParty reports whether an import path is outside the standard library: its first element has a dot.
func thirdParty(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return strings.Contains(first, ".")
}
