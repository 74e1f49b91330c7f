package schema

import (
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// reporter turns findings into faults at the fields a person wrote.
type reporter struct {
	plan      *plan
	effective values.Effective
	prover    prover
	faults    []rules.Fault
}

// report adds the fault of one finding in the values of the chart at a path.
func (r *reporter) report(f finding, given map[string]any, at []string) {
	path, ours := r.path(f, at)
	if !ours {
		return
	}
	origin := r.effective.Origin(path)
	value, written := r.effective.Lookup(path)
	fault := rules.Fault{Code: rules.SchemaViolation, Field: origin.Field, Value: rules.Absent, Lacking: f.lacking}
	if written {
		fault.Value = values.Digest(map[string]any{"": value})
	}
	words := f.words
	if f.found {
		found, _ := lookup(given, f.at)
		words += foundWords(path, found, origin)
	}
	switch {
	case f.missing && written && value == nil:
		words += ": the null removes it"
	case f.missing:
		if origin.Kind != values.FreeForm && origin.Kind != values.Reference {
			fault.Field = fieldOf(path)
		}
	case origin.Kind == values.Override && origin.Field == "":
		fault.Code = rules.ChartFault
		words = "the Operator sets " + path.String() + ", but the chart refuses it: it " + words
	case written && origin.Field == "":
		fault.Field = fieldOf(path)
		words = "has a default of the Operator that the chart refuses: it " + words + "; set another value here"
	case !written:
		fault.Code, fault.Field = rules.ChartFault, ""
		words = "the chart's own default of " + path.String() + " " + words + "; set " + fieldOf(path) + " to get past it"
	}
	fault.Message = words + " " + r.source(at, f.where)
	r.faults = append(r.faults, fault)
}

// path returns where a finding lies in the values of the release. A global of a subchart was put there by Helm unless
// the person wrote it below the subchart: then it lies where it came from, and that it is there at all is nobody's fault.
func (r *reporter) path(f finding, at []string) (values.Path, bool) {
	path := values.Path(join(at, f.at...))
	if len(at) == 0 || len(f.at) == 0 || f.at[0] != chartutil.GlobalKey {
		return path, true
	}
	if _, written := r.effective.Lookup(path); written {
		return path, true
	}
	if len(f.at) == 1 {
		return path, false
	}
	for i := len(at) - 1; i > 0; i-- {
		above := values.Path(join(at[:i], f.at...))
		if _, written := r.effective.Lookup(above); written {
			return above, true
		}
	}
	return values.Path(f.at), true
}

// foundWords adds the value where it may be seen.
func foundWords(path values.Path, value any, origin values.Origin) string {
	if text := values.Printable(path, value, origin); !strings.Contains(text, "[masked]") {
		return ", not " + text
	}
	return ""
}

// fieldOf returns the field at which a person can set a value of the chart.
func fieldOf(path values.Path) string {
	return values.Path(append([]string{"spec", "chart", "values"}, path...)).String()
}

// source names the chart and the place in its schema.
func (r *reporter) source(at []string, where string) string {
	text := "(chart " + r.plan.ref.String()
	if len(at) > 0 {
		text += ", subchart " + dotted(at)
	}
	if where != "" {
		text += ", " + where
	}
	return text + ")"
}

// misplaced reports something else than a map where the values of a subchart belong.
func (r *reporter) misplaced(place []string) {
	path := values.Path(place)
	origin := r.effective.Origin(path)
	value, written := r.effective.Lookup(path)
	if !written {
		r.faults = append(r.faults, r.broken("its default values for the subchart "+dotted(place)+" are no map"))
		return
	}
	fault := rules.Fault{Code: rules.ValuesTypeMismatch, Field: origin.Field, Value: values.Digest(map[string]any{"": value})}
	if fault.Field == "" {
		fault.Field = fieldOf(path)
	}
	about := "the subchart " + dotted(place)
	if sub, ok := r.plan.find(place); !ok {
		about = "a subchart of that name"
	} else if len(sub.switches) > 0 && value == nil {
		about += "; to switch it off set " + sub.switches[0] + " to false"
	}
	fault.Message = "must be a map, not " + shape(value, nil) + ": it holds the values of " + about + " " + r.source(nil, "")
	r.faults = append(r.faults, fault)
}

// broken reports a chart that Helm refuses whatever a person writes.
func (r *reporter) broken(why string) rules.Fault {
	return rules.Fault{Code: rules.ChartFault, Message: "the chart cannot be used: " + why + " " + r.source(nil, "")}
}

// unreadable reports what of a schema is not checked, once for each chart.
func (r *reporter) unreadable(at []string, gaps []string) {
	r.faults = append(r.faults, rules.Fault{
		Severity: rules.Warning, Code: rules.SchemaUnreadable,
		Message: "the chart's values.schema.json is not checked in full: " + strings.Join(gaps, "; ") + " " + r.source(at, ""),
	})
}

// find returns the subchart at a path of names; its switches are relative to the whole release.
func (p *plan) find(place []string) (subchart, bool) {
	at := subchart{of: p.root}
	for i, name := range place {
		found := false
		for _, sub := range at.of.subcharts() {
			if sub.name == name {
				at, found = sub, true
				break
			}
		}
		if !found {
			return subchart{}, false
		}
		for j, condition := range at.switches {
			at.switches[j] = strings.Join(join(place[:i], condition), ".")
		}
	}
	return at, true
}
