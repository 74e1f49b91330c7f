package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/values"
	"github.com/portcullis-operator/portcullis/internal/version"
)

// Gather asks for every fact a plan depends on. Its error says that a fact could not be asked for; what the facts
// themselves lack is part of Inputs.
func Gather(ctx context.Context, facts Facts, resource Resource, settings derive.Settings) (Inputs, error) {
	in := Inputs{Resource: resource, Settings: settings}
	namespace := resource.Object().GetNamespace()
	var err error
	if in.Target, in.VersionErr, err = resolve(ctx, facts, namespace, resource.version()); err != nil {
		return Inputs{}, err
	}
	if in.Target != "" {
		if in, err = in.withChart(facts, in.Target); err != nil {
			return Inputs{}, err
		}
	}
	for i, ref := range resource.valuesFrom() {
		if !readable(ref) {
			// It keeps its place in the list, so that the fields of the others keep their index.
			in.References = append(in.References, Referenced{Reference: derive.Reference{Missing: true}})
			continue
		}
		r, err := reference(ctx, facts, namespace, i, ref)
		if err != nil {
			return Inputs{}, err
		}
		in.References = append(in.References, r)
	}
	if in.Neighbours, err = resource.neighbours(ctx, facts); err != nil {
		return Inputs{}, err
	}
	if in.Capabilities, err = facts.Capabilities(ctx); err != nil {
		return Inputs{}, fmt.Errorf("read what the cluster serves: %w", err)
	}
	return in, nil
}

// At returns the inputs for another chart version, with everything else as it was gathered. The reconciler keeps the
// running version with it when the asked-for one is refused.
func (in Inputs) At(facts Facts, target string) (Inputs, error) {
	in.Target, in.VersionErr, in.Chart, in.ChartErr = target, nil, nil, nil
	return in.withChart(facts, target)
}

func (in Inputs) withChart(facts Facts, target string) (Inputs, error) {
	ref := chart.Ref{Name: in.Resource.chart(), Version: target}
	in.Chart, in.ChartErr = facts.Chart(ref)
	if in.ChartErr == nil {
		return in, nil
	}
	if _, ok := errors.AsType[*chart.NotFoundError](in.ChartErr); !ok {
		return Inputs{}, fmt.Errorf("open chart %s %s: %w", ref.Name, ref.Version, in.ChartErr)
	}
	return in, nil
}

// resolve returns the target, or why the object names none, or why that could not be found out.
func resolve(ctx context.Context, facts Facts, namespace string, spec v2alpha1.VersionSpec) (target string, verdict, err error) {
	var referenced version.Referenced
	if ref := spec.VersionRef; ref != nil && ref.Name != "" && spec.Version == "" {
		content, err := facts.ConfigMap(ctx, namespace, ref.Name)
		if err != nil {
			return "", nil, fmt.Errorf("read ConfigMap %s for the version: %w", ref.Name, err)
		}
		referenced = version.Referenced{
			Unknown: content.Presence == Unknown,
			Found:   content.Presence == Present,
			Data:    content.Data,
		}
	}
	target, verdict = version.Resolve(spec, referenced)
	return target, verdict, nil
}

// readable reports whether an entry names something to read. One that does not is refused by the definition, and a second
// fault about it would only be in the way.
func readable(ref v2alpha1.ValuesReference) bool {
	return ref.Name != "" && (ref.Kind == v2alpha1.ValuesReferenceConfigMap || ref.Kind == v2alpha1.ValuesReferenceSecret)
}

func reference(ctx context.Context, facts Facts, namespace string, index int, ref v2alpha1.ValuesReference) (Referenced, error) {
	read := facts.ConfigMap
	if ref.Kind == v2alpha1.ValuesReferenceSecret {
		read = facts.Secret
	}
	out := Referenced{
		Reference: derive.Reference{
			Kind: string(ref.Kind), Name: ref.Name, Key: ref.Key(),
			Sensitive: ref.Kind == v2alpha1.ValuesReferenceSecret,
			Missing:   true,
		},
		Field:    fmt.Sprintf("spec.chart.valuesFrom[%d]", index),
		Optional: ref.Optional,
	}
	content, err := read(ctx, namespace, ref.Name)
	if err != nil {
		return Referenced{}, fmt.Errorf("read %s %s for chart values: %w", ref.Kind, ref.Name, err)
	}
	out.Identity, out.Unread = content.Identity, content.Presence == Unknown
	text, problem := usable(content, ref)
	if problem != "" {
		out.Problem = problem
		return out, nil
	}
	tree, err := values.Decode([]byte(text))
	if err != nil {
		// The decoder's errors never quote the document, so this sentence is safe for a Secret too.
		out.Problem, out.Invalid = fmt.Sprintf("key %s of %s %s %s", ref.Key(), ref.Kind, ref.Name, err), true
		return out, nil
	}
	out.Tree, out.Missing = tree, false
	return out, nil
}

// usable returns the text of a reference, or what keeps it from being read.
func usable(content Content, ref v2alpha1.ValuesReference) (text, problem string) {
	switch {
	case content.Presence == Unknown:
		return "", fmt.Sprintf("%s %s was not looked up, so its values are not part of this check", ref.Kind, ref.Name)
	case content.Presence == Missing:
		return "", fmt.Sprintf("%s %s does not exist", ref.Kind, ref.Name)
	case content.Labels[object.LabelConfigSource] != "true":
		return "", fmt.Sprintf("%s %s does not carry the label %s: \"true\", so it counts as missing", ref.Kind, ref.Name, object.LabelConfigSource)
	}
	text, ok := content.Data[ref.Key()]
	if !ok {
		return "", fmt.Sprintf("%s %s has no key %s", ref.Kind, ref.Name, ref.Key())
	}
	return text, ""
}

// Digest identifies the inputs without telling the content of any Secret: two passes with one digest do the same.
func (in Inputs) Digest() string {
	release := in.Resource.Release()
	parts := struct {
		Release                     object.Release
		Target, Chart, Capabilities string
		Spec, Derived               any
		References                  []string
	}{
		Release: release, Target: in.Target, Capabilities: in.Capabilities.Digest(),
		Spec: in.Resource.spec(), Derived: in.Resource.derived(in),
	}
	if in.Chart != nil {
		parts.Chart = in.Chart.Digest
	}
	for _, r := range in.References {
		parts.References = append(parts.References, r.Kind+"/"+r.Name+"/"+r.Key+"@"+r.Identity)
	}
	text, err := json.Marshal(parts)
	if err != nil {
		// Only free-form values that are no JSON get here; such inputs compose to a fault and equal no others.
		text = fmt.Appendf(nil, "%s: %v", release, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
