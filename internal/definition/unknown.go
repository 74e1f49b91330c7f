package definition

import (
	"maps"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// maxListed bounds how many known fields a message lists when none is near.
const maxListed = 12

// Unknown returns a fault for each field the definition does not have, with the nearest one it has. The API server
// answers these itself before any webhook; the CLI has nobody else to ask. Free-form parts have no unknown fields.
func (s *Set) Unknown(u *unstructured.Unstructured) []rules.Fault {
	k := s.kindOf(u)
	if k == nil {
		return nil
	}
	object, err := plain(u.Object, 0)
	if err != nil {
		return nil
	}
	content := object.(map[string]any)
	_, _, inMetadata, err := objectmeta.GetObjectMetaWithOptions(content, objectmeta.ObjectMetaOptions{
		DropMalformedFields: true, ReturnUnknownFieldPaths: true,
	})
	if err != nil {
		inMetadata = nil
	}
	paths := slices.Concat(inMetadata, pruning.PruneWithOptions(content, k.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}))
	faults := make([]rules.Fault, 0, len(paths))
	for _, path := range paths {
		value, _ := at(u.Object, path)
		faults = append(faults, fault(rules.FieldUnknown, path, k.notAField(path), value))
	}
	return rules.Verdict{Faults: faults}.Sorted().Faults
}

func (k *kind) notAField(path string) string {
	parent, name := "", path
	if cut := strings.LastIndex(path, "."); cut >= 0 {
		parent, name = path[:cut], path[cut+1:]
	}
	text := "is not a field of " + k.gvk.Kind
	s := schemaAt(k.structural, parent)
	if s == nil || len(s.Properties) == 0 {
		return text
	}
	known := slices.Sorted(maps.Keys(s.Properties))
	if near := nearest(name, known); near != "" {
		return text + "; did you mean " + near + "?"
	}
	switch {
	case len(known) == 1:
		return text + "; the only field here is " + known[0]
	case len(known) <= maxListed:
		return text + "; the fields here are " + strings.Join(known, ", ")
	}
	return text
}

// nearest returns the known word a person most likely meant, or "" when none is close enough to be a typing mistake: one
// letter in three.
func nearest(word string, known []string) string {
	best, bound := "", len(word)/3
	for _, candidate := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(candidate), bound); d <= bound {
			best, bound = candidate, d-1
		}
	}
	return best
}

// distance is the number of letters to insert, drop or replace; past the bound any larger number may come back.
func distance(a, b string, bound int) int {
	if len(a)-len(b) > bound || len(b)-len(a) > bound {
		return bound + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
