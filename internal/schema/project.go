package schema

import (
	"encoding/json"
	"slices"
	"strings"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// projection lists the few values that dependency processing looks at: conditions, tags, and whether the place of a
// subchart's values holds a map. All else of what a person wrote cannot change which subcharts are enabled, so the
// outcome is computed by Helm once for each projection and kept.
type projection struct {
	conditions [][]string
	places     [][]string // where the values of a subchart may lie, under every name Helm could look for
}

func project(root *outline) projection {
	var p projection
	p.chart(root, nil, nil)
	p.globals()
	p.conditions = distinct(p.conditions)
	p.places = distinct(p.places)
	return p
}

// chart collects for one chart, reached by a path of names. Helm coalesces the values of a nested chart into those of
// the whole release while it processes dependencies, so a nested subchart's name counts at the top as well.
func (p *projection) chart(o *outline, at []string, above []string) {
	for _, sub := range o.subcharts() {
		for _, condition := range sub.switches {
			p.conditions = append(p.conditions, join(at, strings.Split(condition, ".")...))
		}
		for _, name := range slices.Compact([]string{sub.name, sub.of.meta.Name}) {
			p.places = append(p.places, join(at, name), []string{name})
			if slices.Contains(above, name) || len(at) > maxNesting {
				continue
			}
			p.chart(sub.of, join(at, name), join(above, name))
		}
	}
}

// globals adds, for each condition on a global, the same global at every other level: globals travel down, and nested
// maps of a global are shared between levels.
func (p *projection) globals() {
	var rests [][]string
	for _, condition := range p.conditions {
		if i := slices.Index(condition, chartutil.GlobalKey); i >= 0 {
			rests = append(rests, condition[i:])
		}
	}
	for _, rest := range distinct(rests) {
		p.conditions = append(p.conditions, rest)
		for _, place := range p.places {
			p.conditions = append(p.conditions, join(place, rest...))
		}
	}
}

// conditions splits the condition of a dependency as Helm does, blanks included.
func conditions(d *helmchart.Dependency) []string {
	var out []string
	for part := range strings.SplitSeq(strings.TrimSpace(d.Condition), ",") {
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}

func join(at []string, more ...string) []string { return append(slices.Clone(at), more...) }

func distinct(paths [][]string) [][]string {
	slices.SortFunc(paths, slices.Compare)
	return slices.CompactFunc(paths, slices.Equal)
}

// apply reduces values to the projection. Nothing a person wrote survives but booleans, nulls and the names of keys, so
// that Helm, which logs what it does not understand, has nothing to give away.
func (p projection) apply(values map[string]any) map[string]any {
	out := map[string]any{}
	for _, path := range p.conditions {
		carry(out, values, path)
	}
	for _, path := range p.places {
		carry(out, values, path)
	}
	switch tags := values["tags"].(type) {
	case nil:
	case map[string]any:
		kept := map[string]any{}
		for tag, on := range tags {
			if !isMap(on) {
				kept[tag] = faceless(on)
			}
		}
		out["tags"] = kept
	default:
		out["tags"] = faceless(tags)
	}
	return out
}

// carry copies the maps on a path and the first value on it that is no map: a map hides a default that is none.
func carry(into, from map[string]any, path []string) {
	for _, key := range path {
		value, ok := from[key]
		if !ok {
			return
		}
		next, ok := value.(map[string]any)
		if !ok {
			into[key] = faceless(value)
			return
		}
		below, ok := into[key].(map[string]any)
		if !ok {
			below = map[string]any{}
			into[key] = below
		}
		into, from = below, next
	}
}

// faceless keeps what Helm asks for, true, false or null, and hides the rest.
func faceless(value any) any {
	switch value.(type) {
	case nil, bool:
		return value
	}
	return "?"
}

func isMap(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

// key is equal for equal projections.
func key(projected map[string]any) string {
	text, err := json.Marshal(projected)
	if err != nil {
		return "" // maps of strings, booleans and nulls always marshal
	}
	return string(text)
}
