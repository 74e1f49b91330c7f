package values

import (
	"slices"
	"strconv"
)

// Effective is the merged tree. It is immutable; everything it returns is a copy.
type Effective struct {
	layers []Layer
	root   *entry
}

// entry is a merged value. A map remembers every layer that has it, a leaf the one layer that set it last.
type entry struct {
	table  map[string]*entry // nil for a leaf
	value  any
	layers []int // ascending; of a leaf exactly one
}

// Merge merges layers, the lowest first, exactly as «helm -f a -f b» merges files: maps merge, a list or scalar
// replaces, a null replaces and stays in the result, and where a map meets anything else the upper layer wins. The
// chart's own defaults are no part of it: coalescing before the last layer would bring a nulled default back.
func Merge(layers ...Layer) Effective {
	e := Effective{layers: slices.Clone(layers), root: &entry{table: map[string]*entry{}}}
	for i, layer := range layers {
		if layer.root != nil && len(layer.root.table) > 0 {
			e.root.merge(layer.root, i)
		}
	}
	return e
}

func (e *entry) merge(n *node, layer int) {
	e.layers = append(e.layers, layer)
	for key, upper := range n.table {
		lower, ok := e.table[key]
		if ok && lower.table != nil && upper.table != nil {
			lower.merge(upper, layer)
			continue
		}
		e.table[key] = sprout(upper, layer)
	}
}

func sprout(n *node, layer int) *entry {
	e := &entry{value: n.value, layers: []int{layer}}
	if n.table != nil {
		e.table = make(map[string]*entry, len(n.table))
		for key, child := range n.table {
			e.table[key] = sprout(child, layer)
		}
	}
	return e
}

// Values returns the whole tree as Helm wants it. The caller may change it.
func (e Effective) Values() map[string]any {
	if e.root == nil {
		return map[string]any{}
	}
	return e.root.plain().(map[string]any)
}

// Written returns the part of the tree that a person wrote as chart values, in the free-form values or in a referenced
// object: the leaves whose origin is one of the two, and no map that holds none. The caller may change it.
func (e Effective) Written() map[string]any {
	if e.root == nil || len(e.root.table) == 0 {
		return map[string]any{}
	}
	if out, ok := e.written(e.root); ok {
		return out.(map[string]any)
	}
	return map[string]any{}
}

func (e Effective) written(at *entry) (any, bool) {
	if len(at.table) == 0 {
		if kind := e.layers[e.foremost(at)].kind; kind != FreeForm && kind != Reference {
			return nil, false
		}
		return at.plain(), true
	}
	var out map[string]any
	for key, child := range at.table {
		value, ok := e.written(child)
		if !ok {
			continue
		}
		if out == nil {
			out = make(map[string]any, len(at.table))
		}
		out[key] = value
	}
	return out, out != nil
}

func (e *entry) plain() any {
	if e.table == nil {
		return normal(e.value)
	}
	out := make(map[string]any, len(e.table))
	for key, child := range e.table {
		out[key] = child.plain()
	}
	return out
}

// Lookup returns a copy of the value at a path, lists included, and whether there is one. A null is there.
func (e Effective) Lookup(p Path) (any, bool) {
	if e.root == nil {
		return map[string]any{}, len(p) == 0
	}
	at, tail := e.root.find(p)
	if at.table != nil {
		return at.plain(), len(tail) == 0
	}
	value, ok := dig(at.value, tail)
	return normal(value), ok
}

// find follows a path as far as there are maps and returns the last entry and what is left of the path.
func (e *entry) find(p Path) (*entry, Path) {
	for i, key := range p {
		child, ok := e.table[key]
		if !ok {
			return e, p[i:]
		}
		e = child
	}
	return e, nil
}

// dig follows a path inside a leaf: through lists and the maps in them.
func dig(value any, p Path) (any, bool) {
	for _, key := range p {
		switch v := value.(type) {
		case []any:
			i, ok := index(key, len(v))
			if !ok {
				return nil, false
			}
			value = v[i]
		case map[string]any:
			child, ok := v[key]
			if !ok {
				return nil, false
			}
			value = child
		default:
			return nil, false
		}
	}
	return value, true
}

// Origin returns where the value at a path comes from. Of a leaf it is the layer that set it last; below a list it is
// the list's, with the rest of the path appended where the field is a path into values. Of a map it is the layer a
// person would look at first: free-form, then references, then structured fields. Of a path that is not there it is
// that of the nearest map above it, with the missing keys appended; where not even the first key is there, the chart's.
func (e Effective) Origin(p Path) Origin {
	none := Origin{Kind: ChartDefault, Source: SourceChartDefault}
	if e.root == nil {
		return none
	}
	at, tail := e.root.find(p)
	if at == e.root && len(p) > 0 {
		return none
	}
	return e.originOf(at, p[:len(p)-len(tail)], tail)
}

// SetAnywhere reports whether a layer sets the value at a path to something other than null, whatever became of it.
func (e Effective) SetAnywhere(p Path) bool {
	for _, layer := range e.layers {
		if layer.root == nil {
			continue
		}
		if n, tail := layer.root.find(p); len(tail) == 0 && (n.table != nil || n.value != nil) {
			return true
		}
	}
	return false
}

func (e Effective) originOf(at *entry, p, tail Path) Origin {
	best := e.foremost(at)
	if best < 0 {
		return Origin{Kind: ChartDefault, Source: SourceChartDefault}
	}
	layer := e.layers[best]
	n, _ := layer.root.find(p)
	return layer.origin(n, p, tail)
}

// foremost returns which of the layers that have an entry a person would look at first, or -1 if none has it.
func (e Effective) foremost(at *entry) int {
	best := -1
	for _, i := range at.layers {
		if best < 0 || e.layers[i].kind.rank() >= e.layers[best].kind.rank() {
			best = i
		}
	}
	return best
}

// Leaf is one value with its origin. Lists and empty maps are leaves.
type Leaf struct {
	Path   Path
	Value  any
	Origin Origin
}

// Text returns the printable form of the leaf; see Printable.
func (l Leaf) Text() string { return Printable(l.Path, l.Value, l.Origin) }

// Leaves returns every leaf in the order of its path. Each has exactly one origin.
func (e Effective) Leaves() []Leaf {
	var out []Leaf
	if e.root != nil {
		e.collect(e.root, nil, &out)
	}
	slices.SortFunc(out, func(a, b Leaf) int { return comparePaths(a.Path, b.Path) })
	return out
}

func (e Effective) collect(at *entry, p Path, out *[]Leaf) {
	if len(at.table) == 0 {
		if len(p) > 0 {
			*out = append(*out, Leaf{Path: p, Value: at.plain(), Origin: e.originOf(at, p, nil)})
		}
		return
	}
	for key, child := range at.table {
		e.collect(child, p.child(key), out)
	}
}

// scalars visits every scalar at and below a value, those in lists included.
func scalars(p Path, value any, visit func(Path, any)) {
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			scalars(p.child(key), child, visit)
		}
	case []any:
		for i, child := range v {
			scalars(p.child(strconv.Itoa(i)), child, visit)
		}
	default:
		visit(p, v)
	}
}
