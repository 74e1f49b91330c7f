package plan_test

import (
	"testing"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/plan"
)

// TestWhatAnAddOnKnowsOfTheValuesOfItsInstance: an instance may have its ClickHouse from a ConfigMap of valuesFrom. A
// Secret among them is not read for the sake of another resource.
func TestWhatAnAddOnKnowsOfTheValuesOfItsInstance(t *testing.T) {
	const on = "global: {clickhouse: {enabled: true}}"
	cases := map[string]struct {
		kind v2alpha1.ValuesReferenceKind
		goes bool
	}{
		"a ConfigMap that switches ClickHouse on counts": {v2alpha1.ValuesReferenceConfigMap, true},
		"a Secret that does is not read":                 {v2alpha1.ValuesReferenceSecret, false},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			facts := around(gitLab(func(core *v2alpha1.GitLabCore) {
				core.Spec.ClickHouse = nil
				core.Spec.Chart = &v2alpha1.Chart{ValuesFrom: []v2alpha1.ValuesReference{from(c.kind)}}
			}), nil)
			facts.objects = map[string]plan.Content{string(c.kind) + " more": holding(on, "1")}
			in := gathered(t, facts, plan.OfSiphon(events(nil)))
			if got := in.Resource.Meet(in).Goes(); got != c.goes {
				t.Errorf("the Siphon goes on: %v, want %v", got, c.goes)
			}
		})
	}
}
