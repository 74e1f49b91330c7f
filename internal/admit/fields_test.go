package admit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// siphon is one whose PostgreSQL is given.
func siphon(t *testing.T, source string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(`apiVersion: apps.gitlab.com/v2alpha1
kind: Siphon
metadata: {name: events, namespace: gitlab}
spec:
  gitlabRef: {name: gitlab}
  version: {type: Static, version: 1.18.0}
  source: {host: postgresql, passwordSecretRef: {name: postgresql, key: password}`+source+`}
  queue: {url: "nats://nats:4222"}
  sink: {host: clickhouse, database: gitlab, username: siphon, passwordSecretRef: {name: clickhouse, key: password}}
`), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAWrongFieldIsToldOnce(t *testing.T) {
	cases := map[string]struct {
		object *unstructured.Unstructured
		want   []string
	}{
		"where the rest of its table cannot be read with it": {
			object: siphon(t, ", sslMode: yes"), want: []string{"error spec.source.sslMode FieldInvalid"},
		},
		"where a key differs from a field in its case alone": {
			object: object(t, good+"  Hostname: 5\n  postgresql: {Host: 5, host: postgresql, passwordSecretRef: {name: a, key: b}}\n", ""),
			want:   []string{"error spec.Hostname FieldUnknown", "error spec.postgresql.Host FieldUnknown"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			review, err := reviewer(t, &files{}).Review(t.Context(), admit.Request{New: c.object, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, codes(review.Verdict)); diff != "" {
				t.Errorf("verdict (-want +got):\n%s\n%+v", diff, review.Verdict.Faults)
			}
		})
	}
}

// TestAFaultOfTheDefinitionAgesAsInTheAPIServer: what the API server refuses after the webhook it refuses in its own
// words, so the webhook lets no more pass than it.
func TestAFaultOfTheDefinitionAgesAsInTheAPIServer(t *testing.T) {
	named := func(spec, status string) *unstructured.Unstructured {
		u := object(t, spec, status)
		u.SetName("bad.name")
		return u
	}
	cases := map[string]struct{ status, want string }{
		"a name the API server refuses again is an error": {"", "error metadata.name RuleViolated"},
		"a name it lets pass is a warning":                {"status: {conditions: []}\n", "warning metadata.name RuleViolated"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			review, err := reviewer(t, &files{}).Review(t.Context(), admit.Request{New: named(good+"  edition: ce\n", c.status), Old: named(good, c.status)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{c.want}, codes(review.Verdict)); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnObjectThatIsTooLarge(t *testing.T) {
	sized := func(bytes int) *unstructured.Unstructured {
		return object(t, good+"  chart: {values: {gitlab: {webservice: {annotations: {a: "+strings.Repeat("x", bytes)+"}}}}}\n", "status: {version: 10.4.1, conditions: []}\n")
	}
	const large = ": has 1.3 MiB, and at most 1 MiB is accepted: move values into ConfigMaps named in spec.chart.valuesFrom"
	cases := map[string]struct {
		next, stored *unstructured.Unstructured
		want         []string
	}{
		"is refused, without a look at the rest of it":       {next: sized(1300000), want: []string{"error" + large}},
		"is no fault below the bound":                        {next: sized(1040000)},
		"is refused when it grows past the bound":            {next: sized(1300000), stored: sized(1040000), want: []string{"error" + large}},
		"is warned of while it gets smaller step by step":    {next: sized(1300000), stored: sized(1310000), want: []string{"warning" + large}},
		"is refused when it grows and was too large already": {next: sized(1300000), stored: sized(1290000), want: []string{"error" + large}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			review, err := reviewer(t, &files{}).Review(t.Context(), admit.Request{New: c.next, Old: c.stored, NoRender: true})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range review.Verdict.Faults {
				got = append(got, f.Severity.String()+f.Field+": "+f.Message)
				if f.Code != rules.FieldInvalid {
					t.Errorf("code %s", f.Code)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheClusterDoesNotCountAgainstAPerson(t *testing.T) {
	u := object(t, good, "status: {message: "+strings.Repeat("x", 2<<20)+"}\n")
	u.Object["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{"manager": strings.Repeat("x", 2<<20)}}
	review, err := reviewer(t, &files{}).Review(t.Context(), admit.Request{New: u, NoRender: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range review.Verdict.Faults {
		if strings.Contains(f.Message, "MiB") {
			t.Error(f.Message)
		}
	}
}
