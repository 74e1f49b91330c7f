package admit_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/internal/testing/neighbours"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// files is plan.Facts over a folder of charts and a few ConfigMaps.
type files struct {
	neighbours.Known
	catalogue  *chart.Catalogue
	configMaps map[string]plan.Content
	secrets    map[string]plan.Content
}

func (f *files) Chart(ref chart.Ref) (*chart.Chart, error) { return f.catalogue.Open(ref) }

func (f *files) ConfigMap(_ context.Context, _, name string) (plan.Content, error) {
	return f.configMaps[name], nil
}

func (f *files) Secret(_ context.Context, _, name string) (plan.Content, error) {
	return f.secrets[name], nil
}

func (*files) Capabilities(context.Context) (plan.Capabilities, error) {
	return plan.Capabilities{Capabilities: render.BuiltIn("v1.37.2"), Assumed: true}, nil
}

type inProcess struct{}

func (inProcess) Render(ctx context.Context, req render.Request) (render.Release, error) {
	return render.Render(ctx, req)
}

func reviewer(t *testing.T, facts *files) *admit.Reviewer {
	t.Helper()
	texts, err := crd.Files()
	if err != nil {
		t.Fatal(err)
	}
	set, err := definition.New(texts...)
	if err != nil {
		t.Fatal(err)
	}
	shelf := fstest.MapFS{}
	for name, pack := range map[string]func() ([]byte, error){
		"gitlab.tgz": func() ([]byte, error) { return charts.Archive("10.4.1") },
		"siphon.tgz": func() ([]byte, error) { return charts.Siphon().Archive("1.18.0") },
	} {
		archive, err := pack()
		if err != nil {
			t.Fatal(err)
		}
		shelf[name] = &fstest.MapFile{Data: archive}
	}
	facts.catalogue, _ = chart.OpenCatalogue(shelf, chart.DefaultLimits())
	return &admit.Reviewer{Definitions: set, Tools: plan.Tools{Schemas: schema.NewChecker(), Renderer: inProcess{}}, Facts: facts}
}

func object(t *testing.T, spec, status string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	text := "apiVersion: apps.gitlab.com/v2alpha1\nkind: GitLabCore\nmetadata: {name: instance, namespace: gitlab}\nspec:\n" + spec + status
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

const storage = "  objectStorage: {connectionSecretRef: {name: storage, key: connection}}\n"

const storageless = "  version: {type: Static, version: 10.4.1}\n"

const good = "  version: {type: Static, version: 10.4.1}\n" + storage

func codes(v rules.Verdict) []string {
	var out []string
	for _, f := range v.Faults {
		if f.Code != rules.ObjectSkipped {
			out = append(out, f.Severity.String()+" "+f.Field+" "+string(f.Code))
		}
	}
	return out
}

func TestReview(t *testing.T) {
	values := func(text string) string { return "  chart: {values: " + text + "}\n" }
	cases := map[string]struct {
		spec, old, status string
		configMaps        map[string]plan.Content
		want              []string
	}{
		"a right object has no fault": {spec: good},
		"a field of the wrong type does not hide the faults of the others": {
			spec: good + "  hostname: 5\n" + values("{global: {hosts: {https: 'yes'}}}"),
			want: []string{"error spec.chart.values.global.hosts.https SchemaViolation", "error spec.hostname FieldInvalid"},
		},
		"what the definition refuses is not refused again in the chart's words": {
			spec: good + "  edition: premium\n",
			want: []string{"error spec.edition FieldInvalid"},
		},
		"a version that is not at hand is refused at its field": {
			spec: "  version: {type: Static, version: 10.4.7}\n" + storage,
			want: []string{"error spec.version.version VersionUnavailable"},
		},
		"the chart's own refusal comes from its render": {
			spec: "  version: {type: Static, version: 10.4.1}\n",
			want: []string{"error spec RenderFailed"},
		},
		"an override and a shadowed field warn": {
			spec: good + "  hostname: gitlab.example.com\n" + values("{gitlab-runner: {install: true}, global: {hosts: {domain: example.org}}}"),
			want: []string{"warning spec.chart.values.gitlab-runner.install OverriddenValue", "warning spec.chart.values.global.hosts.domain ShadowedField"},
		},
		"referenced values that are missing only warn, and so does what they may mend": {
			spec: "  version: {type: Static, version: 10.4.1}\n  chart: {valuesFrom: [{kind: ConfigMap, name: more}]}\n",
			want: []string{"warning spec RenderFailed", "warning spec.chart.valuesFrom[0] ReferenceMissing"},
		},
		"a fault of a referenced value is reported at its reference": {
			spec: good + "  chart: {valuesFrom: [{kind: ConfigMap, name: more}]}\n",
			configMaps: map[string]plan.Content{"more": {
				Presence: plan.Present, Labels: map[string]string{"operator.gitlab.com/config-source": "true"},
				Data: map[string]string{"values.yaml": "global: {hosts: {https: 'no'}}"},
			}},
			want: []string{"error spec.chart.valuesFrom[0] (ConfigMap more, global.hosts.https) SchemaViolation"},
		},
		"a downgrade is refused by what ran, not by what the new object claims": {
			spec: good, old: "  version: {type: Static, version: 10.5.0}\n" + storage,
			status: "status: {version: 10.5.0, conditions: []}\n",
			want:   []string{"error spec.version.version VersionDowngrade"},
		},
		"a fault the stored object already has becomes a warning, and so does what its templates say of it": {
			spec: good + "  hostname: gitlab.example.com\n" + values("{global: {hosts: {https: 'yes'}}}"),
			old:  good + values("{global: {hosts: {https: 'yes'}}}"),
			want: []string{"warning spec RenderFailed", "warning spec.chart.values.global.hosts.https SchemaViolation"},
		},
		"a stored fault of the templates stays a warning when a stored fault of the values is mended": {
			spec: storageless + values("{global: {edition: ce}}"), old: storageless + values("{global: {psql: {prot: 1}}}"),
			want: []string{"warning spec RenderFailed"},
		},
		"a stored fault of the values does not hide a new fault of the templates": {
			spec: storageless + values("{global: {psql: {prot: 1}}}"), old: good + values("{global: {psql: {prot: 1}}}"),
			want: []string{"error spec RenderFailed", "warning spec.chart.values.global.psql.prot SchemaViolation"},
		},
		"a new fault of the values is told alone": {
			spec: storageless + values("{global: {psql: {prot: 1}}}"), old: good,
			want: []string{"error spec.chart.values.global.psql.prot SchemaViolation"},
		},
		"what a chart lacks while required fields are missing may come with them": {
			spec: good + "  openbao: {}\n",
			want: []string{
				"error spec.openbao.postgresql FieldInvalid", "error spec.openbao.serviceAccount FieldInvalid", "warning spec RenderFailed",
			},
		},
		"another wrong field does not soften what a chart lacks": {
			spec: storageless + "  hostname: gitlab\n",
			want: []string{"error spec RenderFailed", "error spec.hostname RuleViolated"},
		},
		"an optional reference that nobody could look up may hold what is missing": {
			spec: storageless + "  chart: {valuesFrom: [{kind: ConfigMap, name: more, optional: true}]}\n",
			want: []string{"warning spec RenderFailed", "warning spec.chart.valuesFrom[0] ReferenceMissing"},
		},
		"a fault of another value at the same field stays an error": {
			spec: good + values("{global: {hosts: {https: 'no'}}}"),
			old:  good + values("{global: {hosts: {https: 'yes'}}}"),
			want: []string{"error spec.chart.values.global.hosts.https SchemaViolation"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := reviewer(t, &files{configMaps: tc.configMaps})
			req := admit.Request{New: object(t, tc.spec, "")}
			if tc.old != "" {
				req.Old = object(t, tc.old, tc.status)
			}
			review, err := r.Review(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, codes(review.Verdict)); diff != "" {
				t.Errorf("verdict (-want +got):\n%s\n%+v", diff, review.Verdict.Faults)
			}
		})
	}
}

func TestTheSameObjectGivesTheSameBytes(t *testing.T) {
	r := reviewer(t, &files{})
	spec := good + "  chart: {values: {a: 1, b: 2, c: 3, d: {e: 5}, global: {hosts: {https: 3}, shell: {port: x}}}}\n"
	first, err := r.Review(t.Context(), admit.Request{New: object(t, spec, "")})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := r.Review(t.Context(), admit.Request{New: object(t, spec, "")})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.Verdict, again.Verdict); diff != "" {
			t.Fatalf("verdict changed:\n%s", diff)
		}
	}
}

func TestNothingOfASecretIsInAVerdict(t *testing.T) {
	const password = "correct-horse-battery"
	r := reviewer(t, &files{secrets: map[string]plan.Content{"more": {
		Presence: plan.Present, Labels: map[string]string{"operator.gitlab.com/config-source": "true"},
		Data: map[string]string{"values.yaml": "global: {hosts: {https: " + password + "}, edition: " + password + "}"},
	}}})
	review, err := r.Review(t.Context(), admit.Request{New: object(t, good+"  chart: {valuesFrom: [{kind: Secret, name: more}]}\n", "")})
	if err != nil {
		t.Fatal(err)
	}
	if !review.Verdict.Refused() {
		t.Fatal("the values of the Secret break the schema, and the verdict does not say so")
	}
	if slices.ContainsFunc(review.Verdict.Faults, func(f rules.Fault) bool { return strings.Contains(f.Message+f.Field, password) }) {
		t.Error("a value of the Secret is in the verdict")
	}
}

func TestALongListIsCutAndCounted(t *testing.T) {
	var keys strings.Builder
	for i := range 150 {
		keys.WriteString("k" + strings.Repeat("x", i) + ": 1, ")
	}
	review, err := reviewer(t, &files{}).Review(t.Context(), admit.Request{New: object(t, good+"  chart: {values: {"+keys.String()+"}}\n", "")})
	if err != nil {
		t.Fatal(err)
	}
	last := review.Verdict.Faults[len(review.Verdict.Faults)-1]
	if len(review.Verdict.Faults) != admit.MaxFaults+1 || last.Code != rules.TooManyFaults {
		t.Errorf("%d faults, the last one %q", len(review.Verdict.Faults), last.Code)
	}
}
