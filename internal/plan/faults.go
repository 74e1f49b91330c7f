package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// fault makes a fault whose message is also what tells it from another one when an old object is compared with a new.
func fault(severity rules.Severity, code rules.Code, field, message string) rules.Fault {
	sum := sha256.Sum256([]byte(message))
	return rules.Fault{Severity: severity, Code: code, Field: field, Message: message, Value: hex.EncodeToString(sum[:])}
}

func unavailable(missing *chart.NotFoundError) string {
	if len(missing.Available) == 0 {
		return fmt.Sprintf("no chart %s is at hand, so version %s cannot be used: put its archive into the folder of HELM_CHARTS", missing.Ref.Name, missing.Ref.Version)
	}
	nearest := missing.Available[:min(3, len(missing.Available))]
	return fmt.Sprintf("chart %s %s is not at hand; the nearest versions that are: %s", missing.Ref.Name, missing.Ref.Version, strings.Join(nearest, ", "))
}

func referenceFaults(in Inputs) []rules.Fault {
	var out []rules.Fault
	for _, r := range in.References {
		switch {
		case r.Invalid:
			out = append(out, fault(rules.Error, rules.ValuesReferenceInvalid, r.Field, r.Problem))
		case r.Lacking():
			out = append(out, fault(rules.Warning, rules.ReferenceMissing, r.Field, r.Problem))
		}
	}
	return out
}

func shadowFaults(effective values.Effective) []rules.Fault {
	shadows := effective.Shadows()
	out := make([]rules.Fault, 0, len(shadows))
	for _, s := range shadows {
		out = append(out, fault(rules.Warning, shadowCode(s.Kind), s.Field(), s.Message()))
	}
	return out
}

func shadowCode(kind values.ShadowKind) rules.Code {
	switch kind {
	case values.OverrideReplaced:
		return rules.OverriddenValue
	case values.TableReplaced:
		return rules.TableReplaced
	case values.FieldShadowed:
		return rules.ShadowedField
	}
	return rules.ShadowedField
}

// renderFault says why a chart did not render. What a chart refuses in its own words cannot be traced to one value, so
// it is reported at the spec as a whole, with the template that said it.
func renderFault(ref chart.Ref, err error) rules.Fault {
	who := fmt.Sprintf("chart %s %s", ref.Name, ref.Version)
	e, ok := errors.AsType[*render.Error](err)
	if !ok {
		return fault(rules.Warning, rules.RenderSkipped, "spec", who+" was not rendered, so this verdict is without its templates: "+err.Error())
	}
	where := ""
	if e.Template != "" {
		where = " (" + e.Template + ")"
	}
	switch e.Kind {
	case render.Failed:
		return fault(rules.Error, rules.RenderFailed, "spec", fmt.Sprintf("%s refuses these values: %s%s", who, e.Text, where))
	case render.Limit:
		return fault(rules.Error, rules.RenderLimit, "spec", fmt.Sprintf("rendering %s with these values passes a limit: %s%s", who, e.Text, where))
	case render.Canceled, render.Internal:
		return fault(rules.Warning, rules.RenderSkipped, "spec", fmt.Sprintf("%s was not rendered to its end, so this verdict is without its templates: %s", who, e.Text))
	case render.Chart:
		return fault(rules.Error, rules.ChartFault, "spec.version", fmt.Sprintf("%s cannot be installed: %s%s", who, e.Text, where))
	case render.Template, render.Values, render.Input:
		return fault(rules.Error, rules.RenderFailed, "spec", fmt.Sprintf("%s does not render with these values: %s%s", who, e.Text, where))
	}
	return fault(rules.Error, rules.RenderFailed, "spec", fmt.Sprintf("%s does not render with these values: %s%s", who, e.Text, where))
}

// releaseFaults says what the rendered objects show.
func releaseFaults(p *Plan) []rules.Fault {
	var out []rules.Fault
	for _, ref := range p.Rendered.DuplicateObjects() {
		out = append(out, fault(rules.Error, rules.DuplicateObject, "spec", fmt.Sprintf(
			"chart %s %s renders %s more than once with these values; one would overwrite the other on every pass", p.Chart.Ref.Name, p.Chart.Ref.Version, ref)))
	}
	skipped, unserved := map[string][]string{}, map[string][]string{}
	for _, o := range p.Rendered.Objects {
		gvk := o.GroupVersionKind()
		if _, never := object.NeverApplied(o); never {
			skipped[gvk.Kind] = append(skipped[gvk.Kind], o.GetName())
		} else if !p.Capabilities.Assumed && !p.Capabilities.Partial && !serves(p.Capabilities, gvk) {
			key := object.KindKey(gvk)
			unserved[key] = append(unserved[key], o.GetName())
		}
	}
	if len(skipped) > 0 {
		out = append(out, fault(rules.Warning, rules.ObjectSkipped, "spec",
			"the Operator applies no RBAC and no definitions; an administrator creates these where they are needed: "+listed(skipped)))
	}
	for _, kind := range sortedKeys(unserved) {
		out = append(out, fault(rules.Warning, rules.KindNotServed, "spec", fmt.Sprintf(
			"the cluster does not serve %s, so %s cannot be applied: install that API, or turn the component off in spec.chart.values", kind, strings.Join(unserved[kind], ", "))))
	}
	return out
}

func serves(c Capabilities, gvk schema.GroupVersionKind) bool {
	return slices.Contains(c.APIVersions, gvk.GroupVersion().String()+"/"+gvk.Kind)
}

func listed(names map[string][]string) string {
	parts := make([]string, 0, len(names))
	for _, kind := range sortedKeys(names) {
		parts = append(parts, kind+" "+strings.Join(names[kind], ", "))
	}
	return strings.Join(parts, "; ")
}

func sortedKeys(m map[string][]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare)
	return keys
}
