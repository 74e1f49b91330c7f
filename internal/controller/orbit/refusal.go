package orbit

import (
	"fmt"
	"strings"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/condition"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// The label by which the chart marks what belongs to a component, and that of the pools.
const (
	labelComponent   = "app.kubernetes.io/component"
	componentIndexer = "indexer"
)

// indexes refuses a release without an indexer pool. The rules say so of the values alone, ahead of any render and with
// the pools they know the chart has; what was rendered is the last word.
func indexes(rendered render.Release, chart string) outcome.Outcome {
	for _, o := range rendered.Objects {
		if o.GetKind() == "Deployment" && o.GetLabels()[labelComponent] == componentIndexer {
			return outcome.Continue{}
		}
	}
	return outcome.Refuse{Reason: v2alpha1.ReasonNoIndexerPool, Message: fmt.Sprintf(
		"spec.chart.values.indexer.pools: chart orbit %s renders no indexer pool with these values, so that nothing would ever be indexed: add a pool, or keep one of the chart's", chart)}
}

// named puts the path of every refused value in front of why each is refused: a condition has no room for all the
// reasons, and a person should not have to remove five values one pass at a time.
func named(o outcome.Outcome, verdict rules.Verdict) outcome.Outcome {
	refusal, ok := o.(outcome.Refuse)
	if !ok || refusal.Reason != v2alpha1.ReasonValueRefused {
		return o
	}
	var fields []string
	findings := []string{""}
	for _, f := range verdict.Errors() {
		if f.Code == rules.OptionRefused {
			fields = append(fields, f.Field)
			findings = append(findings, f.Field+": "+f.Message)
		}
	}
	if len(fields) < 2 {
		return o
	}
	findings[0] = fmt.Sprintf("%d values turn on what an Orbit refuses: %s", len(fields), strings.Join(fields, ", "))
	refusal.Message = condition.Join(findings)
	return refusal
}
