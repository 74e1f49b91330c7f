package schema

import (
	"maps"
	"reflect"

	"helm.sh/helm/v3/pkg/chartutil"
)

// coalescer computes the values every chart of a release gets, as Helm does, without copying what nobody changed. Maps
// of defaults are shared and never written to; only the globals are, since Helm shares the nested maps of a global
// between a chart and its subcharts and writes into them, which can be seen.
type coalescer struct {
	memo     memo
	learning bool
	whole    bool
	// touched are the globals to work out, unless it is nil: then it is all of them.
	touched  map[string]bool
	badPlace [][]string // places of subcharts that hold no map
}

// memo remembers what two maps of defaults coalesce to, by identity. It is filled once, with no values of a person, and
// only read afterwards. All maps it knows are defaults or results it holds itself, so that no identity is ever reused.
type memo map[overlaid]map[string]any

type overlaid struct {
	upper, lower uintptr
	keepNulls    bool
}

func identity(m map[string]any) uintptr { return reflect.ValueOf(m).Pointer() }

// release coalesces what a person wrote with a tree of charts. The values may be written to.
func (c *coalescer) release(root *node, values map[string]any) map[string]any {
	return c.chart(root, values, nil)
}

// chart coalesces the values of one chart and, below it, those of its subcharts. Only what a check can depend on is put
// together, unless the whole is asked for.
func (c *coalescer) chart(n *node, values map[string]any, at []string) map[string]any {
	var out map[string]any
	if n.needed == nil || c.whole {
		if out = maps.Clone(n.values); out == nil {
			out = make(map[string]any, len(values))
		}
		for key, value := range values {
			c.value(n, key, value, out, at)
		}
	} else {
		out = make(map[string]any, len(n.needed))
		for _, key := range n.needed {
			if fallback, known := n.values[key]; known {
				out[key] = fallback
			}
			if value, written := values[key]; written {
				c.value(n, key, value, out, at)
			}
		}
	}
	if len(n.subcharts) > 0 {
		if _, written := values[chartutil.GlobalKey]; !written {
			c.own(out)
		}
		c.subcharts(n, out, at)
	}
	if c.touched != nil && (n.hears || c.whole) {
		addUntouched(n.globals, out, c.touched)
	}
	return out
}

// value puts one written value over the chart's own.
func (c *coalescer) value(n *node, key string, value any, out map[string]any, at []string) {
	fallback, known := n.values[key]
	table, isTable := value.(map[string]any)
	below, hasTable := fallback.(map[string]any)
	switch {
	case known && value == nil:
		delete(out, key)
	case isTable && hasTable && key == chartutil.GlobalKey && (len(at) > 0 || len(n.subcharts) > 0):
		foldGlobals(table, c.only(below), n.isSubchart(key))
		out[key] = table
	case isTable && hasTable:
		out[key] = c.overlay(table, below, n.isSubchart(key))
	default:
		out[key] = value
	}
}

func (c *coalescer) subcharts(n *node, values map[string]any, at []string) {
	for _, sub := range n.subcharts {
		given, there := values[sub.name]
		table, ok := given.(map[string]any)
		if there && !ok {
			c.badPlace = append(c.badPlace, join(at, sub.name))
			delete(values, sub.name)
			table = nil
		}
		table = maps.Clone(table)
		if table == nil {
			table = map[string]any{}
		}
		c.passGlobals(table, values)
		values[sub.name] = c.chart(sub, table, join(at, sub.name))
	}
}

// overlay puts upper over lower without writing into either. With keepNulls a null of upper stays, else it deletes what
// lower has.
func (c *coalescer) overlay(upper, lower map[string]any, keepNulls bool) map[string]any {
	pair := overlaid{upper: identity(upper), lower: identity(lower), keepNulls: keepNulls}
	if known, ok := c.memo[pair]; ok {
		return known
	}
	out := maps.Clone(lower)
	for key, value := range upper {
		fallback, known := lower[key]
		table, isTable := value.(map[string]any)
		below, hasTable := fallback.(map[string]any)
		switch {
		case value == nil && known && fallback != nil && !keepNulls:
			delete(out, key)
		case isTable && hasTable:
			out[key] = c.overlay(table, below, keepNulls)
		default:
			out[key] = value
		}
	}
	if c.learning {
		c.memo[pair] = out
	}
	return out
}

// fold does the same as overlay, into the upper map.
func fold(upper, lower map[string]any, keepNulls bool) {
	for key, fallback := range lower {
		foldOne(upper, key, fallback, keepNulls)
	}
}

func foldOne(upper map[string]any, key string, fallback any, keepNulls bool) {
	value, there := upper[key]
	below, hasTable := fallback.(map[string]any)
	table, isTable := value.(map[string]any)
	switch {
	case !there && hasTable:
		upper[key] = deepCopy(below)
	case !there:
		upper[key] = fallback
	case value == nil && fallback != nil && !keepNulls:
		delete(upper, key)
	case isTable && hasTable:
		fold(table, below, keepNulls)
	}
}

// deepCopy copies maps; lists and scalars are never written to and stay shared.
func deepCopy(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for key, value := range m {
		if table, ok := value.(map[string]any); ok {
			value = deepCopy(table)
		}
		out[key] = value
	}
	return out
}
