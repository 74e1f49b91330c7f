package schema

import (
	"fmt"
	"sync"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// Checker checks values against charts. What it works out about a chart is kept for the life of the Checker and shared:
// one plan for each chart digest, one compiled schema for each distinct schema text, so that many versions of a chart
// with the same subcharts cost little more than one. It is safe for concurrent use, and work in progress is waited for,
// not repeated.
type Checker struct {
	mu      sync.Mutex
	plans   map[string]func() (*plan, error)
	schemas map[string]func() *compiled
}

// NewChecker returns a Checker that knows no chart yet.
func NewChecker() *Checker {
	return &Checker{plans: map[string]func() (*plan, error){}, schemas: map[string]func() *compiled{}}
}

// Warm does everything ahead that a check of the chart needs, the compiling of all its schemas above all. It fails only
// when the chart cannot be loaded.
func (k *Checker) Warm(c *chart.Chart) error {
	p, err := k.plan(c)
	if err != nil {
		return err
	}
	p.variant(map[string]any{})
	p.known()
	return nil
}

// Check returns every fault of the values against the schema of the chart and of each enabled subchart, at the fields
// the person wrote, in one order whatever the order of maps. The error says that the chart cannot be loaded.
func (k *Checker) Check(c *chart.Chart, e values.Effective) ([]rules.Fault, error) {
	p, err := k.plan(c)
	if err != nil {
		return nil, err
	}
	return p.check(e), nil
}

// Defaults returns the default values of the chart with those of all its subcharts below, enabled or not.
func (k *Checker) Defaults(c *chart.Chart) (map[string]any, error) {
	p, err := k.plan(c)
	if err != nil {
		return nil, err
	}
	return values.DeepCopy(p.root.defaults()), nil
}

func (k *Checker) plan(c *chart.Chart) (*plan, error) {
	k.mu.Lock()
	build, ok := k.plans[c.Digest]
	if !ok {
		build = sync.OnceValues(func() (*plan, error) { return k.build(c) })
		k.plans[c.Digest] = build
	}
	k.mu.Unlock()
	return build()
}

func (k *Checker) build(c *chart.Chart) (*plan, error) {
	loaded, err := c.Helm()
	if err != nil {
		return nil, fmt.Errorf("reading the schema of chart %s: %w", c.Ref, err)
	}
	p := &plan{ref: c.Ref, variants: map[string]*variant{}, schemas: map[string]*compiled{}, mentions: mentions{}}
	p.mentions.chart(loaded)
	p.root = outlineOf(loaded, func(key string, text []byte) { p.schemas[key] = k.schema(key, text) })
	p.projection = project(p.root)
	if len(p.root.deps) == 0 {
		p.single = p.process(nil)
	}
	p.known = sync.OnceValue(func() *known { return learn(p) })
	return p, nil
}

func (k *Checker) schema(key string, text []byte) *compiled {
	k.mu.Lock()
	build, ok := k.schemas[key]
	if !ok {
		build = sync.OnceValue(func() *compiled { return compile(text) })
		k.schemas[key] = build
	}
	k.mu.Unlock()
	return build()
}
