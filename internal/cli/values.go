package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// values prints the effective values of every resource that has any. What is wrong with the resource is said on
// standard error: values that are refused are the ones a person wants to look at.
func (c *command) values(ctx context.Context) (int, error) {
	return c.explain(ctx, request{strict: true, noRender: true, defaults: c.defaults}, func(name string, seen *reviewed) error {
		if c.origins {
			c.writeOrigins(name, seen)
			return nil
		}
		return c.writeValues(name, seen)
	})
}

// explain reviews what -f names and hands each result to show.
func (c *command) explain(ctx context.Context, req request, show func(name string, seen *reviewed) error) (int, error) {
	b, err := c.load(c.files)
	if err != nil {
		return 0, err
	}
	var r report
	printed := 0
	for _, d := range b.documents {
		seen, err := c.judge(ctx, b, d, &r, req)
		if err != nil {
			return 0, err
		}
		if seen == nil || seen.chartless {
			continue
		}
		if printed++; printed > 1 {
			say(c.Stdout, "---\n")
		}
		if err := show(d.named().String(), seen); err != nil {
			return 0, err
		}
	}
	r.writeLines(c.Stderr)
	if printed == 0 && r.summary.Failed == 0 {
		return 0, cannot("there is no resource with chart values in %s", strings.Join(c.files, ", "))
	}
	return r.code(), nil
}

func title(name string, seen *reviewed) string {
	if seen.chart == "" {
		return "# " + name + ", without a chart"
	}
	return "# " + name + ", chart " + seen.chart
}

func (c *command) writeValues(name string, seen *reviewed) error {
	tree := map[string]any{}
	for _, l := range c.leaves(seen) {
		value := l.Value
		if !c.showSecrets {
			value = masked(l.Path, value, l.Origin)
		}
		put(tree, l.Path, value)
	}
	text, err := yaml.Marshal(tree)
	if err != nil {
		return fmt.Errorf("write the values of %s: %w", name, err)
	}
	say(c.Stdout, "%s\n%s", title(name, seen), text)
	return nil
}

func put(tree map[string]any, p values.Path, value any) {
	for _, key := range p[:len(p)-1] {
		next, ok := tree[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			tree[key] = next
		}
		tree = next
	}
	tree[p[len(p)-1]] = value
}

// writeOrigins lists each leaf with who set it. The value stands last, where its length moves nothing.
func (c *command) writeOrigins(name string, seen *reviewed) {
	say(c.Stdout, "%s\n", title(name, seen))
	table := tabwriter.NewWriter(c.Stdout, 0, 0, 2, ' ', 0)
	say(table, "VALUE OF\tSET BY\tFIELD\tVALUE\n")
	for _, l := range c.leaves(seen) {
		text := l.Text()
		if c.showSecrets {
			text = values.Printable(nil, l.Value, values.Origin{Kind: values.Derived})
		}
		field := l.Origin.Field
		if field == "" {
			field = "-"
		}
		say(table, "%s\t%s\t%s\t%s\n", l.Path, layer(l.Origin), field, text)
	}
	_ = table.Flush() // the answer itself is buffered and checked at its end
}

// layer names who set a value.
func layer(o values.Origin) string {
	if o.Source == values.SourceOperatorDefault {
		return o.Source
	}
	return o.Kind.String()
}

// leaves returns the effective leaves, and those of the chart's defaults that nothing replaces where they were asked
// for.
func (c *command) leaves(seen *reviewed) []values.Leaf {
	if seen.defaults == nil {
		return seen.effective.Leaves()
	}
	above := values.Tree(values.FreeForm, "", seen.effective.Values())
	merged := values.Merge(values.Tree(values.ChartDefault, "", seen.defaults), above).Leaves()
	for i, l := range merged {
		if l.Origin.Kind != values.ChartDefault {
			merged[i].Origin = seen.effective.Origin(l.Path)
		}
	}
	return merged
}

// masked returns the value with every part replaced that may be a secret.
func masked(p values.Path, value any, o values.Origin) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, child := range v {
			out[key] = masked(below(p, key), child, o)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			out[i] = masked(below(p, strconv.Itoa(i)), child, o)
		}
		return out
	}
	if text := values.Printable(p, value, o); text == maskText {
		return text
	}
	return value
}

// maskText is what a masked value prints as; a text of the same letters would print in quotes.
const maskText = "[masked]"

func below(p values.Path, key string) values.Path { return append(append(values.Path{}, p...), key) }
