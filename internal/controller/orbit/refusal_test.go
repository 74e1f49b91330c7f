package orbit

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

func TestARefusalNamesEveryValueHoweverManyThereAre(t *testing.T) {
	fields := []string{
		"spec.chart.values.clickhouseSetup.enabled", "spec.chart.values.dashboards.enabled", "spec.chart.values.healthCheck.enabled",
		"spec.chart.values.indexer.keda.enabled", "spec.chart.values.indexer.pools.code.keda.enabled",
	}
	refusal := outcome.Refuse{Reason: v2alpha1.ReasonValueRefused, Message: "the first of them"}
	for n := 1; n <= len(fields); n++ {
		var verdict rules.Verdict
		for _, f := range fields[:n] {
			verdict.Add(rules.Fault{Code: rules.OptionRefused, Field: f, Message: strings.Repeat("why it is refused ", 20)})
		}
		verdict.Add(rules.Fault{Severity: rules.Warning, Code: rules.OptionRefused, Field: "spec.warned"})
		got, ok := named(refusal, verdict).(outcome.Refuse)
		if n == 1 {
			if got != refusal {
				t.Errorf("one value has its own sentence, got %q", got.Message)
			}
			continue
		}
		if !ok || got.Reason != refusal.Reason || len(got.Message) > condition.MaxMessage || strings.Contains(got.Message, "spec.warned") {
			t.Fatalf("got %+v", got)
		}
		for _, f := range fields[:n] {
			if !strings.Contains(got.Message, f) {
				t.Errorf("%s is not named in %q", f, got.Message)
			}
		}
	}
}

func TestAnotherOutcomeStaysAsItIs(t *testing.T) {
	verdict := rules.Verdict{Faults: []rules.Fault{{Code: rules.OptionRefused, Field: "a"}, {Code: rules.OptionRefused, Field: "b"}}}
	for _, o := range []outcome.Outcome{
		outcome.Continue{}, outcome.Wait{Reason: v2alpha1.ReasonSiphonNotFound, Message: "m"}, outcome.Refuse{Reason: v2alpha1.ReasonNoIndexerPool, Message: "m"},
	} {
		if got := named(o, verdict); got != o {
			t.Errorf("%+v became %+v", o, got)
		}
	}
}

func TestARenderNeedsAnIndexerPool(t *testing.T) {
	object := func(kind, component string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"kind": kind}}
		u.SetLabels(map[string]string{labelComponent: component})
		return u
	}
	for name, tc := range map[string]struct {
		objects []*unstructured.Unstructured
		goes    bool
	}{
		"with a pool":                    {[]*unstructured.Unstructured{object("Deployment", "webserver"), object("Deployment", "indexer")}, true},
		"without a pool":                 {[]*unstructured.Unstructured{object("Deployment", "webserver"), object("Deployment", "dispatcher")}, false},
		"with the configuration of none": {[]*unstructured.Unstructured{object("ConfigMap", "indexer"), object("Deployment", "webserver")}, false},
		"with nothing at all":            {nil, false},
	} {
		got := indexes(render.Release{Objects: tc.objects}, "4.1.0")
		refusal, refused := got.(outcome.Refuse)
		if refused == tc.goes || (refused && (refusal.Reason != v2alpha1.ReasonNoIndexerPool || !strings.Contains(refusal.Message, "4.1.0"))) {
			t.Errorf("a render %s: %+v", name, got)
		}
	}
}
