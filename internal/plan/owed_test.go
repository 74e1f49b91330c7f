package plan_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// saying is a renderer whose every render ends with one error.
type saying struct{ err *render.Error }

func (s saying) Render(context.Context, render.Request) (render.Release, error) {
	return render.Release{}, s.err
}

// small are charts of a few lines, with a schema that asks for an e-mail address and a whole number.
func small(t *testing.T) *chart.Catalogue {
	t.Helper()
	const asks = `{"required": ["email"], "properties": {"size": {"type": "integer"}, "gitlab": {"properties": {"baseUrl": {"pattern": "^http:"}}},
		"store": {"anyOf": [{"required": ["bucket"]}, {"required": ["path"]}]}, "labels": {"minProperties": 2},
		"source": {"anyOf": [{"properties": {"at": {"type": "string"}}}, {"properties": {"at": {"minimum": 5}}}]}}}`
	shelf := fstest.MapFS{}
	for name, version := range map[string]string{"gitlab": target, "siphon": "1.18.0", "orbit": "4.1.0"} {
		shelf[name+"/Chart.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: v2\nname: " + name + "\nversion: " + version + "\ndependencies: [{name: part, version: 1.0.0}]\n")}
		shelf[name+"/values.schema.json"] = &fstest.MapFile{Data: []byte(asks)}
		shelf[name+"/charts/part/Chart.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: v2\nname: part\nversion: 1.0.0\n")}
	}
	opened, problems := chart.OpenCatalogue(shelf, chart.DefaultLimits())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return opened
}

// graphWith is an Orbit with free-form values.
func graphWith(written string) plan.Resource {
	return plan.OfOrbit(graph(func(o *v2alpha1.Orbit) {
		o.Spec.Chart = &v2alpha1.ChartValues{Values: &apiextensionsv1.JSON{Raw: []byte(written)}}
	}))
}

// softening is one row: what a plan makes of one fault.
type softening struct {
	resource plan.Resource
	facts    *known
	tools    plan.Tools
	code     rules.Code
	want     rules.Severity
}

func (s softening) check(t *testing.T) {
	t.Helper()
	p, err := plan.Compose(t.Context(), s.tools, gathered(t, s.facts, s.resource), plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(p.Faults, p.Render(t.Context(), s.tools)...) {
		if f.Code != s.code {
			continue
		}
		if f.Severity != s.want || strings.Contains(f.Message, "this may change once") != (s.want == rules.Warning) {
			t.Errorf("%s at %s: %s, want %s", f.Severity, f.Field, f.Message, s.want)
		}
		return
	}
	t.Errorf("no fault %s among %+v", s.code, p.Faults)
}

// TestWhatMissingValuesMayMend: a lacking reference may bring what is not there. It wins over no written value.
func TestWhatMissingValuesMayMend(t *testing.T) {
	configMap := from(v2alpha1.ValuesReferenceConfigMap)
	other := configMap
	other.Name = "other"
	wrong := map[string]plan.Content{"ConfigMap other": holding("{size: big, email: a}", "1")}
	cases := map[string]struct {
		core    *v2alpha1.GitLabCore
		objects map[string]plan.Content
		code    rules.Code
		want    rules.Severity
	}{
		"a value that is not there at all":                     {core: instance("", configMap), code: rules.SchemaViolation, want: rules.Warning},
		"no value that is written":                             {core: instance(`{"email":"a","size":"big"}`, configMap), code: rules.SchemaViolation, want: rules.Error},
		"no value that is written where a subchart's map goes": {core: instance(`{"email":"a","part":"x"}`, configMap), code: rules.ValuesTypeMismatch, want: rules.Error},
		"one of several keys of which one is needed":           {core: instance(`{"email":"a","store":{"size":1}}`, configMap), code: rules.SchemaViolation, want: rules.Warning},
		"further keys of a map that is too small":              {core: instance(`{"email":"a","labels":{"a":"b"}}`, configMap), code: rules.SchemaViolation, want: rules.Warning},
		"no key that fits none of the forms it may have":       {core: instance(`{"email":"a","source":{"at":1}}`, configMap), code: rules.SchemaViolation, want: rules.Error},
		"no value of another reference":                        {core: instance("", other, configMap), objects: wrong, code: rules.SchemaViolation, want: rules.Error},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			softening{
				resource: plan.OfCore(c.core), facts: &known{charts: small(t), objects: c.objects}, code: c.code, want: c.want,
				tools: plan.Tools{Schemas: schema.NewChecker(), Renderer: refusing{}},
			}.check(t)
		})
	}
}

func TestWhatAMissingNeighbourMayMend(t *testing.T) {
	cases := map[string]struct {
		resource plan.Resource
		siphon   *v2alpha1.Siphon
		code     rules.Code
		want     rules.Severity
	}{
		"a value a stand-in gives":                        {resource: graphWith(`{"email":"a"}`), siphon: events(nil), code: rules.SchemaViolation, want: rules.Warning},
		"no value that is written over it":                {resource: graphWith(`{"email":"a","gitlab":{"baseUrl":"ftp"}}`), code: rules.SchemaViolation, want: rules.Error},
		"a value an unknown Siphon may bring":             {resource: graphWith(`{"gitlab":{"baseUrl":"http:"}}`), code: rules.SchemaViolation, want: rules.Warning},
		"no value that a known Siphon would have brought": {resource: graphWith(`{"gitlab":{"baseUrl":"http:"}}`), siphon: events(nil), code: rules.SchemaViolation, want: rules.Error},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			facts := around(nil, c.siphon)
			facts.charts = small(t)
			softening{
				resource: c.resource, facts: facts, code: c.code, want: c.want,
				tools: plan.Tools{Schemas: schema.NewChecker(), Renderer: refusing{}},
			}.check(t)
		})
	}
}

// TestWhichFailedRendersMayBeMended goes through the kinds of a failure, once while values of a reference are missing and
// once with stand-ins for an unknown Siphon.
func TestWhichFailedRendersMayBeMended(t *testing.T) {
	cases := map[string]struct {
		err                  render.Error
		code                 rules.Code
		reference, neighbour rules.Severity
	}{
		"what the chart refuses in its own words":      {render.Error{Kind: render.Failed, Text: "x is needed"}, rules.RenderFailed, rules.Warning, rules.Warning},
		"a template that trips over a value":           {render.Error{Kind: render.Template, Text: "a ConfigMap has no metadata.name"}, rules.RenderFailed, rules.Warning, rules.Error},
		"a template that quotes a stand-in":            {render.Error{Kind: render.Template, Text: "not_known_yet is no stream"}, rules.RenderFailed, rules.Warning, rules.Warning},
		"values that do not fit the chart's":           {render.Error{Kind: render.Values, Text: "part must be a map"}, rules.RenderFailed, rules.Error, rules.Error},
		"a request that cannot be rendered":            {render.Error{Kind: render.Input, Text: "the name is no label value"}, rules.RenderFailed, rules.Error, rules.Error},
		"a render past a bound":                        {render.Error{Kind: render.Limit, Text: "too large"}, rules.RenderLimit, rules.Error, rules.Error},
		"a chart that cannot be installed by anything": {render.Error{Kind: render.Chart, Text: "it is a library"}, rules.ChartFault, rules.Error, rules.Error},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			facts := around(nil, nil)
			facts.charts = small(t)
			tools := plan.Tools{Schemas: schema.NewChecker(), Renderer: saying{&c.err}}
			core := instance(`{"email":"a"}`, from(v2alpha1.ValuesReferenceConfigMap))
			softening{resource: plan.OfCore(core), facts: facts, tools: tools, code: c.code, want: c.reference}.check(t)
			softening{resource: graphWith(`{"email":"a"}`), facts: facts, tools: tools, code: c.code, want: c.neighbour}.check(t)
		})
	}
}

// TestAnOrbitAloneIsJudgedByItsChart: applied together with its Siphon, an Orbit must pass; what it writes wrong must not.
func TestAnOrbitAloneIsJudgedByItsChart(t *testing.T) {
	archive, err := charts.Orbit().Archive("4.1.0")
	if err != nil {
		t.Fatal(err)
	}
	facts := around(nil, nil)
	facts.charts, _ = chart.OpenCatalogue(fstest.MapFS{"orbit.tgz": &fstest.MapFile{Data: archive}}, chart.DefaultLimits())
	secrets := func(o *v2alpha1.Orbit) {
		o.Spec.JWTSecretRef = v2alpha1.SecretKeyRef{Name: "jwt", Key: "key"}
		o.Spec.Datalake.Username, o.Spec.Datalake.PasswordSecretRef = "reader", v2alpha1.SecretKeyRef{Name: "lake", Key: "key"}
		o.Spec.Graph.PasswordSecretRef = v2alpha1.SecretKeyRef{Name: "graph", Key: "key"}
	}
	for name, c := range map[string]struct {
		written string
		refused bool
	}{
		"a right one passes":                          {written: `{}`},
		"an object without a name is refused":         {written: `{"extraResources":[{"apiVersion":"v1","kind":"ConfigMap"}]}`, refused: true},
		"a list where a map belongs is refused":       {written: `{"image":[]}`, refused: true},
		"what the chart asks for itself is warned of": {written: `{"alerts":{"enabled":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			orbit := graph(secrets)
			orbit.Spec.Chart = &v2alpha1.ChartValues{Values: &apiextensionsv1.JSON{Raw: []byte(c.written)}}
			p, err := plan.Compose(t.Context(), plan.Tools{Schemas: schema.NewChecker(), Renderer: inProcess{}},
				gathered(t, facts, plan.OfOrbit(orbit)), plan.Options{Render: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := (rules.Verdict{Faults: p.Faults}).Refused(); got != c.refused {
				t.Errorf("refused: %v, want %v: %+v", got, c.refused, p.Faults)
			}
		})
	}
}

type inProcess struct{}

func (inProcess) Render(ctx context.Context, req render.Request) (render.Release, error) {
	return render.Render(ctx, req)
}
