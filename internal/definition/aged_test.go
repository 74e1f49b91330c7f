package definition_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// TestANameOfYesterday: a name never changes, so a stored object whose name the rules refuse today still takes every other
// change. The real API server is held to the same in test/envtest/crd.
func TestANameOfYesterday(t *testing.T) {
	set := ours(t)
	named := func(spec, status string) *unstructured.Unstructured {
		u := parse(t, header+"metadata:\n  name: bad.name\nspec:\n"+spec+status)
		return u
	}
	const status = "status:\n  conditions: []\n"
	cases := map[string]struct {
		fresh, old *unstructured.Unstructured
		want       []rules.Severity
	}{
		"a new one is refused":                                          {fresh: named(static, ""), want: []rules.Severity{rules.Error}},
		"a status in a file does not help a new one":                    {fresh: named(static, status), want: []rules.Severity{rules.Error}},
		"one with a status is warned of":                                {fresh: named(static+"  edition: ce\n", ""), old: named(static, status), want: []rules.Severity{rules.Warning}},
		"one without a status is refused, as the API server refuses it": {fresh: named(static+"  edition: ce\n", ""), old: named(static, ""), want: []rules.Severity{rules.Error}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []rules.Severity
			for _, f := range set.Check(c.fresh, c.old) {
				got = append(got, f.Severity)
				if f.Field != "metadata.name" || f.Transition {
					t.Errorf("%+v", f)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("severities (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAMissingFieldIsMarkedAsAbsent(t *testing.T) {
	set := ours(t)
	for _, f := range set.Check(core(t, "  version: {type: Patch}\n  openbao: {}\n  hostname: gitlab\n"), nil) {
		if missing := strings.Contains(f.Message, "is required") || strings.Contains(f.Message, "needs the minor"); missing != (f.Value == rules.Absent) {
			t.Errorf("%s: %s: marked as absent: %v", f.Field, f.Message, !missing)
		}
	}
}
