package values

import (
	"reflect"
	"slices"
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
	switch s.Kind {
	case OverrideReplaced:
		return "has no effect: the Operator always sets " + s.Path.String() + " to " + s.Value + "; remove it"
	case TableReplaced:
		return "puts " + s.UpperShape + " where " + s.Lower.String() + " has " + s.LowerShape +
			", which is lost as a whole; give it the same shape, or remove one of the two"
	default:
		return "replaces what " + s.Lower.String() + " sets for " + s.Path.String() + "; remove one of the two"
	}
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
	clash := (upper.table == nil) != (loser.table == nil) && (upper.table != nil || upper.value != nil)
	switch {
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
