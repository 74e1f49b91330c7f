package values

// Layer is one source of values. It is immutable and shares nothing with what it was made from.
type Layer struct {
	kind      LayerKind
	field     string
	source    string
	sensitive bool
	root      *node
}

// node is a value of one layer: a map of nodes, or a leaf. Lists are leaves, since they never merge.
type node struct {
	table map[string]*node // nil for a leaf
	value any
	field string // the structured field, for built layers only
}

// Tree makes a layer whose fields are the given one followed by the path of the value, such as spec.chart.values.
func Tree(kind LayerKind, field string, tree map[string]any) Layer {
	return Layer{kind: kind, field: field, root: grow(DeepCopy(tree), "")}
}

// ReferenceTree makes the layer of one referenced object: field spec.chart.valuesFrom[1], source «ConfigMap
// gitlab-values». Nothing of a sensitive layer is ever printed.
func ReferenceTree(field, source string, sensitive bool, tree map[string]any) Layer {
	return Layer{kind: Reference, field: field, source: source, sensitive: sensitive, root: grow(DeepCopy(tree), "")}
}

// Kind returns who wrote the layer.
func (l Layer) Kind() LayerKind { return l.kind }

// Builder collects the values of a layer whose leaves come from different fields.
type Builder struct {
	kind LayerKind
	root *node
}

// NewBuilder starts an empty layer.
func NewBuilder(kind LayerKind) *Builder {
	return &Builder{kind: kind, root: &node{table: map[string]*node{}}}
}

// Set puts a value at a path, with the field it comes from; an empty field marks a default or override of the
// operator's own. The value is copied. A later Set of the same path wins.
func (b *Builder) Set(field string, value any, path ...string) {
	if len(path) == 0 {
		return
	}
	at := b.root
	for _, key := range path[:len(path)-1] {
		next, ok := at.table[key]
		if !ok || next.table == nil {
			next = &node{table: map[string]*node{}}
			at.table[key] = next
		}
		at = next
	}
	at.table[path[len(path)-1]] = grow(normal(value), field)
}

// Layer returns what was set so far. Later calls of Set do not change it.
func (b *Builder) Layer() Layer { return Layer{kind: b.kind, root: b.root.clone()} }

// grow turns a normal value into nodes; the value must be the layer's own.
func grow(value any, field string) *node {
	table, ok := value.(map[string]any)
	if !ok {
		return &node{value: value, field: field}
	}
	n := &node{table: make(map[string]*node, len(table)), field: field}
	for key, child := range table {
		n.table[key] = grow(child, field)
	}
	return n
}

func (n *node) clone() *node {
	out := &node{value: n.value, field: n.field}
	if n.table != nil {
		out.table = make(map[string]*node, len(n.table))
		for key, child := range n.table {
			out.table[key] = child.clone()
		}
	}
	return out
}

// find follows a path as far as the layer has it and returns the last node and what is left of the path.
func (n *node) find(p Path) (*node, Path) {
	for i, key := range p {
		child, ok := n.table[key]
		if !ok {
			return n, p[i:]
		}
		n = child
	}
	return n, nil
}

// origin returns the origin of a value of this layer, with a tail that lies below the node, in a list or not there yet.
func (l Layer) origin(at *node, p, tail Path) Origin {
	full := append(append(Path{}, p...), tail...)
	o := Origin{Kind: l.kind, Sensitive: l.sensitive}
	switch l.kind {
	case ChartDefault:
		o.Source = SourceChartDefault
	case Override:
		o.Source = SourceOperatorOverride
	case Reference:
		o.Source = l.source
		o.Field = l.field + " (" + l.source + ")"
		if len(full) > 0 {
			o.Field = l.field + " (" + l.source + ", " + full.String() + ")"
		}
	case FreeForm:
		o.Field = full.under(l.field)
	case Derived:
		if o.Field = commonField(at.fields(nil)); o.Field == "" {
			o.Source = SourceOperatorDefault
		}
	}
	return o
}

// fields lists the fields of all leaves at and below the node.
func (n *node) fields(into []string) []string {
	into = append(into, n.field)
	for _, child := range n.table {
		into = child.fields(into)
	}
	return into
}

// leaves visits every leaf, an empty map included.
func (n *node) leaves(p Path, visit func(Path, *node)) {
	if len(n.table) == 0 {
		if len(p) > 0 {
			visit(p, n)
		}
		return
	}
	for key, child := range n.table {
		child.leaves(p.child(key), visit)
	}
}
