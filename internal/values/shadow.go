package values

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ShadowKind says in which way an upper layer takes the effect from a lower one.
type ShadowKind int

const (
	// FieldShadowed is a structured field whose value a reference or the free-form values replace.
	FieldShadowed ShadowKind = iota
	// OverrideReplaced is a value a person wrote that an Operator override replaces.
	OverrideReplaced
	// TableReplaced is a map replaced by a scalar or a list, or the reverse. A null over a map is no such clash: it is
	// how a person removes the chart's default.
	TableReplaced
)

// Shadow is a value a person set that has no effect, because an upper layer set it differently. Equal values are no
// shadow, nor is a reference whose value the free-form values replace: that is what layers are for.
type Shadow struct {
	// Path is the value both layers set; of a whole map that was replaced it is the map's.
	Path Path
	// Upper is what won.
	Upper Origin
	// Lower is what has no effect.
	Lower Origin
	// Kind says which of the rules it breaks.
	Kind ShadowKind
	// Value is the printable form of what won; masked where it may be a secret.
	Value string
	// UpperShape and LowerShape name what each set, with its article: «a map», «a string».
	UpperShape, LowerShape string
	// Fields are the structured fields that filled a map which something else than a map replaced, where they are several
	// that have nothing in common: Lower then has no field of its own to name.
	Fields []string
}

// Field returns the field the warning belongs to: the value an override replaces, else the value that replaces another.
func (s Shadow) Field() string {
	if s.Kind == OverrideReplaced {
		return s.Lower.Field
	}
	return s.Upper.Field
}

// Message returns one sentence in plain words, to be put behind Field. It quotes no value a person wrote.
func (s Shadow) Message() string {
	switch {
	case s.Kind == OverrideReplaced:
		return "has no effect: the Operator always sets " + s.Path.String() + " to " + s.Value + "; remove it"
	case len(s.Fields) > 0:
		return "removes everything that " + someFields(s.Fields) + " set under " + s.Path.String() + "; write a map here, or leave it out"
	case s.Kind == TableReplaced:
		return "puts " + s.UpperShape + " where " + s.Lower.String() + " has " + s.LowerShape +
			", which is lost as a whole; give it the same shape, or remove one of the two"
	default:
		return "replaces what " + s.Lower.String() + " sets for " + s.Path.String() + "; remove one of the two"
	}
}

// someFields names two or three fields and counts the rest.
func someFields(fields []string) string {
	const named = 2
	if len(fields) > named+1 {
		return strings.Join(fields[:named], ", ") + fmt.Sprintf(" and %d other fields", len(fields)-named)
	}
	last := len(fields) - 1
	return strings.Join(fields[:last], ", ") + " and " + fields[last]
}

// Shadows returns every shadow in the order of its path.
func (e Effective) Shadows() []Shadow {
	found := map[string]Shadow{}
	for i, layer := range e.layers {
		if layer.root == nil || layer.kind == ChartDefault || layer.kind == Override {
			continue
		}
		layer.root.leaves(nil, func(p Path, n *node) {
			if s, ok := e.shadowOf(i, p, n); ok {
				found[s.Path.String()+"\x00"+s.Lower.Field] = s
			}
		})
	}
	out := make([]Shadow, 0, len(found))
	for _, s := range found {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Shadow) int {
		if c := comparePaths(a.Path, b.Path); c != 0 {
			return c
		}
		return slices.Compare([]string{a.Lower.Field}, []string{b.Lower.Field})
	})
	return out
}

// shadowOf judges one leaf of one layer against what became of it.
func (e Effective) shadowOf(layer int, p Path, lower *node) (Shadow, bool) {
	if len(lower.table) == 0 && lower.table != nil && e.isTable(p) {
		return Shadow{}, false // an empty map that others filled
	}
	winner, upper, at, ok := e.winner(layer, p)
	if !ok || winner == layer {
		return Shadow{}, false
	}
	loser, _ := e.layers[layer].root.find(at)
	s := Shadow{
		Path: at, Upper: e.layers[winner].origin(upper, at, nil), Lower: e.layers[layer].origin(loser, at, nil),
		UpperShape: shape(upper), LowerShape: shape(loser),
	}
	if !s.Lower.userWritten() || (loser.table == nil && upper.table == nil && reflect.DeepEqual(loser.value, upper.value)) {
		return Shadow{}, false
	}
	s.Value = Printable(at, plainNode(upper), s.Upper)
	if s.Lower.Kind == Derived && loser.table != nil && upper.table == nil {
		s.Fields = unrelated(loser.fields(nil))
	}
	clash := (upper.table == nil) != (loser.table == nil) && (upper.table != nil || upper.value != nil)
	switch {
	case s.Upper.Kind == Override && upper.table != nil && loser.table == nil && e.removes(layer, at):
		return Shadow{}, false // what it removed is a shadow of its own; only the value itself has no effect
	case s.Upper.Kind == Override:
		s.Kind = OverrideReplaced
	case clash && (loser.table != nil || loser.value != nil):
		s.Kind = TableReplaced
	case s.Lower.Kind == Derived && s.Upper.Kind != Derived:
		s.Kind = FieldShadowed
	default:
		return Shadow{}, false
	}
	return s, true
}

// winner finds the highest layer above the given one that replaced the value at p or a map it lies in, with the node
// that did and where.
func (e Effective) winner(layer int, p Path) (int, *node, Path, bool) {
	for i := len(e.layers) - 1; i > layer; i-- {
		if e.layers[i].root == nil {
			continue
		}
		n, tail := e.layers[i].root.find(p)
		if len(tail) == 0 || n.table == nil {
			return i, n, p[:len(p)-len(tail)], true
		}
	}
	return 0, nil, nil, false
}

// removes reports whether a layer below the given one has values under the map at p.
func (e Effective) removes(layer int, p Path) bool {
	return slices.ContainsFunc(e.layers[:layer], func(below Layer) bool {
		if below.root == nil || below.kind == ChartDefault {
			return false
		}
		n, tail := below.root.find(p)
		return len(tail) == 0 && len(n.table) > 0
	})
}

func (e Effective) isTable(p Path) bool {
	at, tail := e.root.find(p)
	return len(tail) == 0 && at.table != nil
}

func shape(n *node) string {
	if n.table != nil {
		return "a map"
	}
	return describe(n.value)
}

func plainNode(n *node) any {
	if n.table == nil {
		return n.value
	}
	out := make(map[string]any, len(n.table))
	for key, child := range n.table {
		out[key] = plainNode(child)
	}
	return out
}
