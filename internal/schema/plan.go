package schema

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/portcullis-operator/portcullis/internal/chart"
)

// plan is what a Checker knows of one chart.
type plan struct {
	ref        chart.Ref
	root       *outline
	projection projection
	schemas    map[string]*compiled // shared with other charts
	mentions   mentions
	known      func() *known // built when an unknown key is first looked for

	single   *variant // of a chart without subcharts, which has only one
	mu       sync.Mutex
	variants map[string]*variant
}

// maxVariants bounds how many sets of enabled subcharts are kept for one chart. Instances of one chart rarely differ in
// more than a few switches.
const maxVariants = 16

// variant is a chart with one set of enabled subcharts, processed by Helm.
type variant struct {
	root   *node
	memo   memo
	prover prover
	// plain says that globals are handed down as usual, so that each can be worked out by itself.
	plain bool
	// defaults are the values of a release for which a person wrote nothing; prover and memo know maps of it.
	defaults map[string]any
	// badPlaces are places of subcharts where the person's values hold no map, which makes Helm give up.
	badPlaces [][]string
	// broken is set when the chart's own defaults make Helm give up.
	broken string
}

// node is a chart of a variant under its name in the parent.
type node struct {
	name      string
	values    map[string]any
	schema    *compiled
	subcharts []*node
	// needed are the keys a check can depend on: those the schema speaks of, the subcharts and the globals. It is nil
	// when that may be any key.
	needed []string
	// hears says that a check can depend on the globals of this chart itself, and globals are those it has when a person
	// wrote nothing.
	hears   bool
	globals map[string]any
}

func (n *node) isSubchart(key string) bool {
	return slices.ContainsFunc(n.subcharts, func(sub *node) bool { return sub.name == key })
}

// variant returns the chart as Helm would process it for the given values.
func (p *plan) variant(values map[string]any) *variant {
	if p.single != nil {
		return p.single
	}
	projected := p.projection.apply(values)
	name := key(projected)
	p.mu.Lock()
	v, ok := p.variants[name]
	p.mu.Unlock()
	if ok {
		return v
	}
	v = p.process(projected)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.variants) >= maxVariants {
		clear(p.variants)
	}
	p.variants[name] = v
	return v
}

// process lets Helm decide. Helm stops at the first place without a map; each such place is noted and taken out, so that
// the rest can be judged too.
func (p *plan) process(projected map[string]any) *variant {
	v := &variant{memo: memo{}}
	for {
		processed := p.root.fresh()
		err := processDependencies(processed, projected)
		if err == nil {
			v.root = p.nodeOf(processed, false)
			break
		}
		places := p.blamed(err, projected)
		if len(places) == 0 {
			v.broken = "its own default values do not fit its subcharts"
			return v
		}
		for _, place := range places {
			remove(projected, place)
		}
		v.badPlaces = append(v.badPlaces, places...)
	}
	learner := coalescer{memo: v.memo, learning: true}
	v.defaults = learner.release(v.root, map[string]any{})
	v.plain = v.root.learn(v.defaults)
	v.prover = prover{valid: map[held]struct{}{}}
	v.prover.learn(v.root, v.defaults)
	return v
}

// learn holds the values of a chart and its subcharts against their schemas.
func (p prover) learn(n *node, given map[string]any) {
	p.learning = true
	if n.schema != nil && n.schema.schema != nil {
		p.proves(n.schema, given)
	}
	for _, sub := range n.subcharts {
		if below, ok := given[sub.name].(map[string]any); ok {
			p.learn(sub, below)
		}
	}
}

func processDependencies(c *helmchart.Chart, values map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("processing dependencies: %v", r)
		}
	}()
	if err := chartutil.ProcessDependenciesWithMerge(c, values); err != nil {
		return fmt.Errorf("processing dependencies: %w", err)
	}
	return nil
}

// blamed returns the places Helm's error may mean: it names only the last part.
func (p *plan) blamed(err error, values map[string]any) [][]string {
	m := regexp.MustCompile(`type mismatch on (.+?): (?:%!t|true$|false$)`).FindStringSubmatch(err.Error())
	if m == nil {
		return nil
	}
	var out [][]string
	for _, place := range p.projection.places {
		if place[len(place)-1] != m[1] {
			continue
		}
		if value, there := lookup(values, place); there && !isMap(value) {
			out = append(out, place)
		}
	}
	return out
}

func remove(values map[string]any, place []string) {
	if parent, ok := lookup(values, place[:len(place)-1]); ok {
		if table, ok := parent.(map[string]any); ok {
			delete(table, place[len(place)-1])
		}
	}
}

// nodeOf takes over a processed chart. All values of a chart are needed when a schema above speaks of what is in them.
// Globals are needed wherever they travel.
func (p *plan) nodeOf(c *helmchart.Chart, whole bool) *node {
	n := &node{name: c.Metadata.Name, values: c.Values, schema: p.schemas[string(c.Schema)]}
	var spoken, flat []string
	above := whole
	if n.schema != nil && n.schema.schema != nil {
		whole = whole || n.schema.any
		spoken, flat = n.schema.keys, n.schema.flat
	}
	needed := slices.Clone(spoken)
	if c.Parent() != nil || len(c.Dependencies()) > 0 {
		needed = append(needed, chartutil.GlobalKey)
	}
	for _, dep := range c.Dependencies() {
		inside := (whole || slices.Contains(spoken, dep.Metadata.Name)) && !slices.Contains(flat, dep.Metadata.Name)
		n.subcharts = append(n.subcharts, p.nodeOf(dep, above || inside))
		needed = append(needed, dep.Metadata.Name)
	}
	n.hears = above || (whole || slices.Contains(spoken, chartutil.GlobalKey)) && !slices.Contains(flat, chartutil.GlobalKey)
	if !whole {
		slices.Sort(needed)
		n.needed = append([]string{}, slices.Compact(needed)...)
	}
	return n
}
