package values

import (
	"maps"
	"slices"
	"strings"
)

// LayerKind says who wrote a layer.
type LayerKind int

const (
	// ChartDefault is what the chart itself ships.
	ChartDefault LayerKind = iota
	// Derived is what the structured fields of the resource, and the operator's own defaults, lead to.
	Derived
	// Reference is a ConfigMap or Secret named under spec.chart.valuesFrom.
	Reference
	// FreeForm is spec.chart.values.
	FreeForm
	// Override is what the Operator sets over everything.
	Override
)

// String returns the words a message or a listing prints.
func (k LayerKind) String() string {
	switch k {
	case Derived:
		return "derived"
	case Reference:
		return "values reference"
	case FreeForm:
		return "free-form values"
	case Override:
		return "Operator override"
	case ChartDefault:
	}
	return "chart default"
}

// What Origin.Source says where no field of the person stands behind a leaf.
const (
	SourceOperatorDefault  = "operator default"
	SourceOperatorOverride = "Operator override"
	SourceChartDefault     = "chart default"
)

// Origin tells where a leaf comes from.
type Origin struct {
	// Kind is the layer.
	Kind LayerKind
	// Field is the complete field the person wrote, such as spec.hostname, spec.chart.values.global.hosts.domain or
	// spec.chart.valuesFrom[1] (ConfigMap gitlab-values, global.hosts.domain). Empty where no field stands behind it.
	Field string
	// Source names what stands behind it where a field alone does not say: the referenced object, or one of the Source
	// constants.
	Source string
	// Sensitive marks a value that came from a Secret. It is never printed.
	Sensitive bool
}

// String returns the field, or the source where there is no field.
func (o Origin) String() string {
	if o.Field != "" {
		return o.Field
	}
	return o.Source
}

// userWritten reports whether a person decided on the value: a structured field, a reference or the free-form values.
func (o Origin) userWritten() bool {
	return o.Kind == FreeForm || o.Kind == Reference || (o.Kind == Derived && o.Field != "")
}

// rank orders the layers by how likely the person who reads a fault has to look there.
func (k LayerKind) rank() int {
	switch k {
	case FreeForm:
		return 4
	case Reference:
		return 3
	case Derived:
		return 2
	case Override:
		return 1
	case ChartDefault:
	}
	return 0
}

// commonField returns the longest field that all given ones lie in: spec.postgresql for spec.postgresql.host and
// spec.postgresql.passwordSecretRef.name. Empty fields do not count.
func commonField(fields []string) string {
	var common []string
	first := true
	for _, field := range fields {
		if field == "" {
			continue
		}
		parts := strings.Split(field, ".")
		if first {
			common, first = parts, false
			continue
		}
		common = common[:sharedLength(common, parts)]
	}
	return strings.Join(common, ".")
}

// unrelated returns the fields in order, those of one part of the spec as the one they have in common; nothing where a
// single one is left.
func unrelated(fields []string) []string {
	parts := map[string][]string{}
	for _, field := range fields {
		if segments := strings.SplitN(field, ".", 3); field != "" {
			part := strings.Join(segments[:min(2, len(segments))], ".")
			parts[part] = append(parts[part], field)
		}
	}
	if len(parts) < 2 {
		return nil
	}
	out := make([]string, 0, len(parts))
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		out = append(out, commonField(parts[part]))
	}
	return out
}

func sharedLength(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
