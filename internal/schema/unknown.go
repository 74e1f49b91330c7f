package schema

import (
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// Unknown returns warnings for what a person wrote without effect: keys that neither the default values of the chart and
// its subcharts nor their schemas know and that no template mentions, with the nearest known key, and nulls that delete
// nothing. Maps in which any key is as good as another (labels, annotations, an empty or null default) are left alone, and
// so is what Check refuses. The error says that the chart cannot be loaded.
func (k *Checker) Unknown(c *chart.Chart, e values.Effective) ([]rules.Fault, error) {
	p, err := k.plan(c)
	if err != nil {
		return nil, err
	}
	s := seeker{reporter: reporter{plan: p, effective: e}, known: p.known()}
	s.table(e.Written(), s.known.defaults, nil)
	return p.unrefused(s.faults, e), nil
}

// unrefused drops the warnings about nulls at fields where an error stands: a null that breaks the schema has an effect.
func (p *plan) unrefused(warnings []rules.Fault, e values.Effective) []rules.Fault {
	idle := func(f rules.Fault) bool { return f.Code == rules.NullWithoutEffect }
	if !slices.ContainsFunc(warnings, idle) {
		return warnings
	}
	refused := map[string]bool{}
	for _, f := range p.check(e) {
		if f.Severity == rules.Error {
			refused[f.Field] = true
		}
	}
	return slices.DeleteFunc(warnings, func(f rules.Fault) bool { return idle(f) && refused[f.Field] })
}

// known is what a chart lets a person set.
type known struct {
	defaults map[string]any // the whole release, all subcharts, with their switches
	globals  map[string]any // of all charts together: a global reaches every one of them
}

func learn(p *plan) *known {
	k := &known{defaults: p.root.defaults(), globals: map[string]any{}}
	for _, condition := range p.projection.conditions {
		if _, there := lookup(k.defaults, condition); !there {
			plantNull(k.defaults, condition)
		}
	}
	if _, there := k.defaults["tags"]; !there {
		k.defaults["tags"] = nil
	}
	p.root.collectGlobals(k.globals)
	k.defaults[chartutil.GlobalKey] = k.globals
	return k
}

func plantNull(into map[string]any, path []string) {
	for _, key := range path[:len(path)-1] {
		switch next := into[key].(type) {
		case map[string]any:
			into = next
		case nil:
			below := map[string]any{}
			into[key] = below
			into = below
		default:
			return
		}
	}
	if last := path[len(path)-1]; into[last] == nil {
		into[last] = nil
	}
}

func (o *outline) collectGlobals(into map[string]any) {
	if global, ok := o.values[chartutil.GlobalKey].(map[string]any); ok {
		fold(into, global, true)
	}
	for _, dep := range o.deps {
		dep.collectGlobals(into)
	}
}

// seeker walks what was written and what is known side by side.
type seeker struct {
	reporter
	known *known
}

func (s *seeker) table(written, defaults map[string]any, at []string) {
	for _, key := range sortedKeys(written) {
		path := join(at, key)
		fallback, there := defaults[key]
		if key == chartutil.GlobalKey && s.isChart(at) {
			fallback, there = s.known.globals, true
		}
		below, isTable := written[key].(map[string]any)
		switch {
		case !there && !s.mayBeSet(at, key):
			s.unknown(path, defaults)
		case written[key] == nil && fallback == nil:
			s.idleNull(path)
		case isTable && !freeFormKey(key):
			if known, ok := fallback.(map[string]any); ok && len(known) > 0 {
				s.table(below, known, path)
			}
		}
	}
}

// isChart reports whether the values of a chart lie at the path.
func (s *seeker) isChart(at []string) bool {
	_, ok := s.plan.find(at)
	return ok
}

// mayBeSet reports whether a key without a default is still no surprise.
func (s *seeker) mayBeSet(at []string, key string) bool {
	if freeFormKey(key) || s.plan.mentions.has(key) {
		return true
	}
	for _, schema := range s.schemasAt(at) {
		if allows(schema, key) {
			return true
		}
		if additional, written := schema["additionalProperties"]; written && additional != true {
			return true // a map of its own kind, or closed: then Check refuses the key
		}
		if ref, ok := schema["$ref"].(string); ok && !strings.HasPrefix(ref, "#") {
			return true // described elsewhere
		}
	}
	return false
}

// freeFormKey reports whether a map of that name takes any key in every chart there is. Of the names that end in config
// only the plain one does: charts hand such a map on as a file.
func freeFormKey(key string) bool {
	lower := strings.ToLower(key)
	for _, ending := range []string{"labels", "annotations", "nodeselector", "env"} {
		if strings.HasSuffix(lower, ending) {
			return true
		}
	}
	return lower == "config" || strings.HasPrefix(lower, "extra")
}

func (s *seeker) unknown(path values.Path, defaults map[string]any) {
	fault := s.warning(rules.UnknownValue, path)
	names := sortedKeys(defaults)
	for _, schema := range s.schemasAt(path[:len(path)-1]) {
		properties, _ := schema["properties"].(map[string]any)
		names = append(names, sortedKeys(properties)...)
	}
	fault.Message = "is not a key the chart knows; it may have no effect"
	if near := nearest(path[len(path)-1], names); near != "" {
		fault.Message = "is not a key the chart knows; did you mean " + near + "?"
	}
	fault.Message += " " + s.source(nil, "")
	s.faults = append(s.faults, fault)
}

// idleNull reports a null that deletes nothing, unless it takes away what a layer below it set.
func (s *seeker) idleNull(path values.Path) {
	if s.effective.SetAnywhere(path) {
		return
	}
	fault := s.warning(rules.NullWithoutEffect, path)
	fault.Message = "is null, which removes a default of the chart, but the chart has none here; leave it out " + s.source(nil, "")
	s.faults = append(s.faults, fault)
}

func (s *seeker) warning(code rules.Code, path values.Path) rules.Fault {
	value, _ := s.effective.Lookup(path)
	return rules.Fault{
		Severity: rules.Warning, Code: code, Field: s.effective.Origin(path).Field,
		Value: values.Digest(map[string]any{"": value}),
	}
}
