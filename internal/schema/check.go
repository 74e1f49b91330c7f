package schema

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

func (p *plan) check(e values.Effective) []rules.Fault {
	written := e.Values()
	v := p.variant(written)
	r := reporter{plan: p, effective: e, prover: v.prover}
	if v.broken != "" {
		return []rules.Fault{r.broken(v.broken)}
	}
	for _, place := range v.badPlaces {
		r.misplaced(place)
		remove(written, place)
	}
	c := coalescer{memo: v.memo, touched: v.touches(written)}
	release := c.release(v.root, written)
	for _, place := range c.badPlace {
		r.misplaced(place)
	}
	r.chart(v.root, release, nil)
	slices.SortStableFunc(r.faults, func(a, b rules.Fault) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(r.faults, func(a, b rules.Fault) bool {
		return a.Field == b.Field && a.Message == b.Message && a.Code == b.Code
	})
}

// chart checks one chart and, below it, its subcharts.
func (r *reporter) chart(n *node, given map[string]any, at []string) {
	if n.schema != nil {
		r.gaps(n.schema, at)
		if n.schema.schema != nil {
			r.validate(n.schema, given, at)
		}
	}
	for _, sub := range n.subcharts {
		if below, ok := given[sub.name].(map[string]any); ok {
			r.chart(sub, below, join(at, sub.name))
		}
	}
}

func (r *reporter) validate(c *compiled, given map[string]any, at []string) {
	if r.prover.proves(c, given) {
		return
	}
	err := c.validate(given)
	if err == nil {
		return
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		r.unreadable(at, []string{"its references run in a circle"})
		return
	}
	x := explainer{compiled: c, given: given}
	for _, f := range x.explain(invalid) {
		r.report(f, given, at)
	}
}

// validate shields from what the library may do with a hostile schema.
func (c *compiled) validate(given map[string]any) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return c.schema.Validate(given) //nolint:wrapcheck // the one caller takes it apart
}

func (r *reporter) gaps(c *compiled, at []string) {
	if len(c.gaps) > 0 {
		r.unreadable(at, c.gaps)
	}
}

func dotted(at []string) string { return strings.Join(at, ".") }
