package schema

import (
	"maps"

	"helm.sh/helm/v3/pkg/chartutil"
)

// undisturbed reports that a person's values leave alone what the subcharts are handed besides the globals at the top: no
// subchart has globals of its own in them, and none is taken away. Then the globals that are not written are in every
// chart what they are without any values of a person, since each one travels by itself.
func (n *node) undisturbed(written map[string]any) bool {
	for _, sub := range n.subcharts {
		given, there := written[sub.name]
		table, ok := given.(map[string]any)
		if there && !ok {
			return false
		}
		if _, there := table[chartutil.GlobalKey]; there || !sub.undisturbed(table) {
			return false
		}
	}
	return true
}

// touches returns the globals a person wrote, and nil where all of them have to be worked out, or none is handed down.
func (v *variant) touches(written map[string]any) map[string]bool {
	global, ok := globals(written)
	if !ok || !v.plain || len(v.root.subcharts) == 0 || !v.root.undisturbed(written) {
		return nil
	}
	out := make(map[string]bool, len(global))
	for key := range global {
		out[key] = true
	}
	return out
}

// learn keeps the globals of a chart and its subcharts, from values in which a person wrote nothing. It reports whether
// they are ordinary ones: maps, under a name no subchart has.
func (n *node) learn(given map[string]any) bool {
	global, ok := globals(given)
	_, own := globals(n.values)
	n.globals = global
	ordinary := ok && own && n.name != chartutil.GlobalKey
	for _, sub := range n.subcharts {
		below, _ := given[sub.name].(map[string]any)
		ordinary = sub.learn(below) && ordinary
	}
	return ordinary
}

// addUntouched completes the globals of a chart with those that were not worked out.
func addUntouched(learned, values map[string]any, touched map[string]bool) {
	global, _ := globals(values)
	out := make(map[string]any, len(learned)+len(global))
	for key, value := range learned {
		if !touched[key] {
			out[key] = value
		}
	}
	maps.Copy(out, global)
	if _, there := values[chartutil.GlobalKey]; there || len(out) > 0 {
		values[chartutil.GlobalKey] = out
	}
}

// only returns those globals of a chart that are worked out.
func (c *coalescer) only(global map[string]any) map[string]any {
	if c.touched == nil {
		return global
	}
	out := make(map[string]any, len(c.touched))
	for key := range c.touched {
		if value, there := global[key]; there {
			out[key] = value
		}
	}
	return out
}

// own makes the globals of a chart its own before anything writes into them.
func (c *coalescer) own(values map[string]any) {
	if global, ok := values[chartutil.GlobalKey].(map[string]any); ok {
		values[chartutil.GlobalKey] = deepCopy(c.only(global))
	}
}

// passGlobals hands the globals of a chart down. What the parent sets wins. The maps below the second level are the
// parent's own, not copies; those on the second level are copied when something has to be written into them.
func (c *coalescer) passGlobals(child, parent map[string]any) {
	down, ok := globals(child)
	if !ok {
		return
	}
	from, ok := globals(parent)
	if !ok {
		c.own(child)
		return
	}
	down = c.only(down)
	out := maps.Clone(down)
	for key, value := range down {
		if table, ok := value.(map[string]any); ok && !isMap(from[key]) {
			out[key] = deepCopy(table) // it stays, and may be written to
		}
	}
	for key, value := range from {
		table, isTable := value.(map[string]any)
		existing, there := down[key]
		below, hasTable := existing.(map[string]any)
		switch {
		case isTable && hasTable:
			out[key] = foldShared(table, below, true)
		case !there, !isTable && !hasTable:
			out[key] = value
		}
	}
	child[chartutil.GlobalKey] = out
}

// globals returns an empty map where there are none, and false where something else takes their place.
func globals(values map[string]any) (map[string]any, bool) {
	value, there := values[chartutil.GlobalKey]
	if !there {
		return map[string]any{}, true
	}
	table, ok := value.(map[string]any)
	return table, ok
}

// foldGlobals does the same as fold where the maps right below are shared with another chart.
func foldGlobals(upper, lower map[string]any, keepNulls bool) {
	for key, fallback := range lower {
		table, isTable := upper[key].(map[string]any)
		below, hasTable := fallback.(map[string]any)
		if isTable && hasTable {
			upper[key] = foldShared(table, below, keepNulls)
		} else {
			foldOne(upper, key, fallback, keepNulls)
		}
	}
}

// foldShared does the same as fold and returns the result. A map that somebody shares is copied when something has to be
// written into it; what lies in it is not.
func foldShared(upper, lower map[string]any, keepNulls bool) map[string]any {
	own := false
	for key, fallback := range lower {
		value, there := upper[key]
		if !own && (!there || value == nil && fallback != nil && !keepNulls) {
			upper, own = maps.Clone(upper), true
		}
		foldOne(upper, key, fallback, keepNulls)
	}
	return upper
}
