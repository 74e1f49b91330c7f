package schema

import (
	"crypto/sha256"
	"slices"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// outline is a chart without its templates and files: what decides which subcharts are enabled and which values they
// get. It is immutable; fresh makes a Helm chart of it that dependency processing may spend.
type outline struct {
	meta   helmchart.Metadata
	values map[string]any
	schema string // key of the schema in the Checker; empty without one
	deps   []*outline
}

// outlineOf reads a loaded chart and calls keep with every schema it has.
func outlineOf(c *helmchart.Chart, keep func(key string, text []byte)) *outline {
	o := &outline{meta: *c.Metadata, values: c.Values}
	if c.Schema != nil {
		sum := sha256.Sum256(c.Schema)
		o.schema = string(sum[:])
		keep(o.schema, c.Schema)
	}
	for _, dep := range c.Dependencies() {
		o.deps = append(o.deps, outlineOf(dep, keep))
	}
	// The loader finds subcharts in random order.
	slices.SortStableFunc(o.deps, func(a, b *outline) int {
		return slices.Compare([]string{a.meta.Name, a.meta.Version}, []string{b.meta.Name, b.meta.Version})
	})
	return o
}

// fresh makes a chart that Helm's dependency processing may change. The values are shared: Helm copies them before it
// writes. The schema of a node is its key.
func (o *outline) fresh() *helmchart.Chart {
	meta := o.meta
	meta.Dependencies = make([]*helmchart.Dependency, 0, len(o.meta.Dependencies))
	for _, dep := range o.meta.Dependencies {
		if dep == nil {
			continue
		}
		own := *dep
		own.ImportValues = slices.Clone(dep.ImportValues)
		meta.Dependencies = append(meta.Dependencies, &own)
	}
	if len(meta.Dependencies) == 0 {
		meta.Dependencies = nil
	}
	c := &helmchart.Chart{Metadata: &meta, Values: o.values}
	if o.schema != "" {
		c.Schema = []byte(o.schema)
	}
	for _, dep := range o.deps {
		c.AddDependency(dep.fresh())
	}
	return c
}

// subchart is a subchart under a name it has in its parent: with aliases, one chart has several.
type subchart struct {
	name string
	of   *outline
	// switches are the values that turn it on and off, from Chart.yaml, relative to the chart at the top of a path.
	switches []string
}

// subcharts returns every subchart under every name it gets, enabled or not, in the order Helm gives them.
func (o *outline) subcharts() []subchart {
	var out []subchart
	for _, dep := range o.deps {
		if !slices.ContainsFunc(o.meta.Dependencies, func(d *helmchart.Dependency) bool { return matches(d, dep) }) {
			out = append(out, subchart{name: dep.meta.Name, of: dep})
		}
	}
	for _, wanted := range o.meta.Dependencies {
		i := slices.IndexFunc(o.deps, func(dep *outline) bool { return matches(wanted, dep) })
		if i < 0 {
			continue
		}
		sub := subchart{name: o.deps[i].meta.Name, of: o.deps[i], switches: conditions(wanted)}
		if wanted.Alias != "" {
			sub.name = wanted.Alias
		}
		out = append(out, sub)
	}
	return out
}

func matches(wanted *helmchart.Dependency, dep *outline) bool {
	return wanted != nil && wanted.Name == dep.meta.Name && chartutil.IsCompatibleRange(wanted.Version, dep.meta.Version)
}

// defaults returns the chart's own values with those of all its subcharts below, enabled or not, under every name. What
// a parent sets for a subchart replaces the subchart's own value. A null of a parent stays, as a mark of what it deletes.
func (o *outline) defaults() map[string]any {
	out := deepCopy(o.values)
	for _, sub := range o.subcharts() {
		below := sub.of.defaults()
		delete(below, chartutil.GlobalKey)
		switch own := out[sub.name].(type) {
		case nil:
			out[sub.name] = below
		case map[string]any:
			fold(own, below, true)
		}
	}
	return out
}
