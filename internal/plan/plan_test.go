package plan_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/internal/testing/neighbours"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// known is plan.Facts in memory. Absent charts answer with the versions of nearest.
type known struct {
	neighbours.Known
	charts  *chart.Catalogue
	nearest []string
	objects map[string]plan.Content
}

func (k *known) Chart(ref chart.Ref) (*chart.Chart, error) {
	if k.charts == nil {
		return nil, &chart.NotFoundError{Ref: ref, Available: k.nearest}
	}
	return k.charts.Open(ref)
}

func (k *known) ConfigMap(_ context.Context, _, name string) (plan.Content, error) {
	return k.content("ConfigMap", name), nil
}

func (k *known) Secret(_ context.Context, _, name string) (plan.Content, error) {
	return k.content("Secret", name), nil
}

func (k *known) content(kind, name string) plan.Content {
	if c, ok := k.objects[kind+" "+name]; ok {
		return c
	}
	return plan.Content{Presence: plan.Missing}
}

func (*known) Capabilities(context.Context) (plan.Capabilities, error) {
	return plan.Capabilities{Capabilities: render.BuiltIn("v1.37.2"), Assumed: true}, nil
}

// refusing is a renderer whose chart always refuses.
type refusing struct{}

func (refusing) Render(context.Context, render.Request) (render.Release, error) {
	return render.Release{}, &render.Error{Kind: render.Failed, Text: "a setting is missing"}
}

const target = "10.4.1"

func catalogue(t *testing.T) *chart.Catalogue {
	t.Helper()
	archive, err := charts.Archive(target)
	if err != nil {
		t.Fatal(err)
	}
	opened, problems := chart.OpenCatalogue(fstest.MapFS{"gitlab.tgz": &fstest.MapFile{Data: archive}}, chart.DefaultLimits())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return opened
}

// instance is a resource with free-form values and the objects its values come from.
func instance(written string, from ...v2alpha1.ValuesReference) *v2alpha1.GitLabCore {
	core := &v2alpha1.GitLabCore{}
	core.Name, core.Namespace = "instance", "gitlab"
	core.Spec.Version = v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: target}
	core.Spec.Chart = &v2alpha1.Chart{ValuesFrom: from}
	if written != "" {
		core.Spec.Chart.Values = &apiextensionsv1.JSON{Raw: []byte(written)}
	}
	return core
}

func from(kind v2alpha1.ValuesReferenceKind) v2alpha1.ValuesReference {
	return v2alpha1.ValuesReference{Kind: kind, Name: "more"}
}

func holding(text, identity string) plan.Content {
	return plan.Content{
		Presence: plan.Present, Identity: identity, Data: map[string]string{"values.yaml": text},
		Labels: map[string]string{object.LabelConfigSource: "true"},
	}
}

func gather(t *testing.T, facts plan.Facts, core *v2alpha1.GitLabCore) plan.Inputs {
	t.Helper()
	in, err := plan.Gather(t.Context(), facts, plan.OfCore(core), derive.Settings{ManagerServiceAccount: "gitlab-manager"})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func compose(t *testing.T, in plan.Inputs, renders bool) plan.Plan {
	t.Helper()
	p, err := plan.Compose(t.Context(), plan.Tools{Schemas: schema.NewChecker(), Renderer: refusing{}}, in, plan.Options{Render: renders})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAVersionThatIsNotAtHand(t *testing.T) {
	referenced := instance("")
	referenced.Spec.Version = v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, VersionRef: &v2alpha1.VersionReference{
		Kind: v2alpha1.VersionReferenceConfigMap, Name: "versions", Key: "chart",
	}}
	cases := map[string]struct {
		core        *v2alpha1.GitLabCore
		nearest     []string
		field, want string
	}{
		"says where an archive goes when there is none at all": {
			core: instance(""), field: "spec.version.version",
			want: "no chart gitlab is at hand, so version 10.4.1 cannot be used: put its archive into the folder of HELM_CHARTS",
		},
		"names the three nearest and no more": {
			core: instance(""), nearest: []string{"10.4.0", "10.4.2", "10.3.9", "10.3.8"}, field: "spec.version.version",
			want: "chart gitlab 10.4.1 is not at hand; the nearest versions that are: 10.4.0, 10.4.2, 10.3.9",
		},
		"is reported at the reference that asked for it": {
			core: referenced, nearest: []string{"10.4.0"}, field: "spec.version.versionRef",
			want: "chart gitlab 10.4.1 is not at hand; the nearest versions that are: 10.4.0",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			facts := &known{nearest: tc.nearest, objects: map[string]plan.Content{
				"ConfigMap versions": {Presence: plan.Present, Data: map[string]string{"chart": target}},
			}}
			p := compose(t, gather(t, facts, tc.core), true)
			if len(p.Faults) != 1 || p.Rendered != nil || p.RenderErr != nil {
				t.Fatalf("want one fault and no render, got %+v, %v", p.Faults, p.RenderErr)
			}
			got := p.Faults[0]
			if got.Severity != rules.Error || got.Code != rules.VersionUnavailable || got.Field != tc.field {
				t.Errorf("got %s %s at %s", got.Severity, got.Code, got.Field)
			}
			if diff := cmp.Diff(tc.want, got.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAReference(t *testing.T) {
	const secret = "hunter-two-and-three"
	unlabelled := holding("a: 1", "1")
	unlabelled.Labels = map[string]string{object.LabelConfigSource: "yes"}
	optional := from(v2alpha1.ValuesReferenceConfigMap)
	optional.Optional = true
	cases := map[string]struct {
		ref              v2alpha1.ValuesReference
		content          plan.Content
		problem          string
		invalid, lacking bool
	}{
		"that holds a table has no problem": {ref: from(v2alpha1.ValuesReferenceConfigMap), content: holding("a: 1", "1")},
		"that is empty adds nothing":        {ref: from(v2alpha1.ValuesReferenceConfigMap), content: holding("", "1")},
		"that is missing is waited for": {
			ref: from(v2alpha1.ValuesReferenceConfigMap), content: plan.Content{Presence: plan.Missing},
			problem: "ConfigMap more does not exist", lacking: true,
		},
		"that is missing and optional is skipped": {
			ref: optional, content: plan.Content{Presence: plan.Missing}, problem: "ConfigMap more does not exist",
		},
		"that nobody looked up may be there, so an optional one is not skipped": {
			ref: optional, content: plan.Content{}, lacking: true,
			problem: "ConfigMap more was not looked up, so its values are not part of this check",
		},
		"that nobody looked up is not called missing": {
			ref: from(v2alpha1.ValuesReferenceSecret), content: plan.Content{},
			problem: "Secret more was not looked up, so its values are not part of this check", lacking: true,
		},
		"without the label counts as missing, whatever it holds": {
			ref: from(v2alpha1.ValuesReferenceConfigMap), content: unlabelled, lacking: true,
			problem: `ConfigMap more does not carry the label operator.gitlab.com/config-source: "true", so it counts as missing`,
		},
		"without the key names the key": {
			ref:     v2alpha1.ValuesReference{Kind: v2alpha1.ValuesReferenceConfigMap, Name: "more", ValuesKey: "extra.yaml"},
			content: holding("a: 1", "1"), problem: "ConfigMap more has no key extra.yaml", lacking: true,
		},
		"that holds no table is invalid, and its text is not quoted": {
			ref: from(v2alpha1.ValuesReferenceSecret), content: holding(secret, "1"), invalid: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			facts := &known{objects: map[string]plan.Content{string(tc.ref.Kind) + " more": tc.content}}
			r := gather(t, facts, instance("", tc.ref)).References[0]
			if r.Invalid != tc.invalid || r.Lacking() != tc.lacking {
				t.Errorf("invalid %v, lacking %v: %q", r.Invalid, r.Lacking(), r.Problem)
			}
			if !tc.invalid && r.Problem != tc.problem {
				t.Errorf("problem %q, want %q", r.Problem, tc.problem)
			}
			if tc.invalid && (r.Problem == "" || strings.Contains(r.Problem, secret)) {
				t.Error("the problem must be named, and nothing of the Secret with it")
			}
		})
	}
}

func TestMissingValuesSoftenOnlyWhatTheyMayMend(t *testing.T) {
	optional := from(v2alpha1.ValuesReferenceConfigMap)
	optional.Optional = true
	const wrong = `{"global":{"hosts":{"https":"yes"}}}`
	cases := map[string]struct {
		core *v2alpha1.GitLabCore
		code rules.Code
		want rules.Severity
	}{
		"what the chart refuses is an error when nothing is missing":   {instance(""), rules.RenderFailed, rules.Error},
		"it is a warning while required values are missing":            {instance("", from(v2alpha1.ValuesReferenceConfigMap)), rules.RenderFailed, rules.Warning},
		"optional values that are missing change nothing":              {instance("", optional), rules.RenderFailed, rules.Error},
		"a value that is written stays an error, whatever else is due": {instance(wrong, from(v2alpha1.ValuesReferenceConfigMap)), rules.SchemaViolation, rules.Error},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := compose(t, gather(t, &known{charts: catalogue(t)}, tc.core), true)
			for _, f := range p.Faults {
				if f.Code != tc.code {
					continue
				}
				if f.Severity != tc.want || strings.Contains(f.Message, "spec.chart.valuesFrom") != (tc.want == rules.Warning) {
					t.Errorf("%s %q, want %s", f.Severity, f.Message, tc.want)
				}
				return
			}
			t.Errorf("no fault %s among %+v", tc.code, p.Faults)
		})
	}
}

func TestTheDigestOfValues(t *testing.T) {
	digest := func(kind v2alpha1.ValuesReferenceKind, text, identity string) string {
		facts := &known{objects: map[string]plan.Content{string(kind) + " more": holding(text, identity)}}
		return compose(t, gather(t, facts, instance("", from(kind))), false).ValuesDigest()
	}
	const secret, open = v2alpha1.ValuesReferenceSecret, v2alpha1.ValuesReferenceConfigMap
	if digest(secret, "a: one", "1") != digest(secret, "a: two", "1") {
		t.Error("the content of a Secret is in the digest, where it could be guessed at")
	}
	if digest(secret, "a: one", "1") == digest(secret, "a: one", "2") {
		t.Error("a Secret that changed leaves the digest as it was")
	}
	if digest(open, "a: one", "1") == digest(open, "a: two", "1") {
		t.Error("the content of a ConfigMap is not in the digest")
	}
	if digest(open, "a: one", "1") != digest(open, "a: one", "2") {
		t.Error("a ConfigMap written anew with the same values gives another digest")
	}
}

func core(in *plan.Inputs) *v2alpha1.GitLabCore {
	core, _ := in.Resource.Object().(*v2alpha1.GitLabCore)
	return core
}

func TestTheDigestOfInputsChangesWithEachOfThem(t *testing.T) {
	const kind = v2alpha1.ValuesReferenceSecret
	facts := &known{charts: catalogue(t), objects: map[string]plan.Content{"Secret more": holding("a: one", "1")}}
	inputs := func() plan.Inputs { return gather(t, facts, instance(`{"b":1}`, from(kind))) }
	before := inputs().Digest()
	if before != inputs().Digest() {
		t.Fatal("the same inputs give two digests")
	}
	cases := map[string]func(*plan.Inputs){
		"the name":                   func(in *plan.Inputs) { in.Resource.Object().SetName("other") },
		"the namespace":              func(in *plan.Inputs) { in.Resource.Object().SetNamespace("other") },
		"a field of the spec":        func(in *plan.Inputs) { core(in).Spec.Hostname = "gitlab.example.com" },
		"a free-form value":          func(in *plan.Inputs) { core(in).Spec.Chart.Values.Raw = []byte(`{"b":2}`) },
		"the target version":         func(in *plan.Inputs) { in.Target = "10.4.2" },
		"the archive of one version": func(in *plan.Inputs) { other := *in.Chart; other.Digest = "other"; in.Chart = &other },
		"what the cluster serves": func(in *plan.Inputs) {
			in.Capabilities.APIVersions = append(in.Capabilities.APIVersions, "example.com/v1")
		},
		"the version of the cluster":    func(in *plan.Inputs) { in.Capabilities.KubeVersion = "v1.38.0" },
		"the state of a referenced one": func(in *plan.Inputs) { in.References[0].Identity = "2" },
		"a setting of the Operator":     func(in *plan.Inputs) { in.Settings.ManagerServiceAccount = "other" },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			in := inputs()
			change(&in)
			if in.Digest() == before {
				t.Error("the digest is as before, so the next pass would do nothing")
			}
		})
	}
	facts.objects["Secret more"] = holding("a: two", "1")
	if inputs().Digest() != before {
		t.Error("the content of a Secret is in the digest")
	}
}
