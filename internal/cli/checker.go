package cli

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// request says how far a review goes.
type request struct {
	// strict reports fields the definition does not have, which the API server would answer itself.
	strict bool
	// noRender leaves the templates out.
	noRender bool
	// defaults asks for the chart's own defaults.
	defaults bool
}

// reviewed is what the check of one resource led to, in terms that every build knows.
type reviewed struct {
	faults []rules.Fault
	// chartless marks a kind no chart stands behind: its definition is all there is to check, and it has no values.
	chartless bool
	// chart names the chart, such as gitlab 10.4.1; empty where none is at hand.
	chart string
	// appVersion is the version of the application the chart deploys; empty where nothing was rendered.
	appVersion string
	// effective are the values above the chart's defaults.
	effective values.Effective
	// defaults are the chart's own, where they were asked for.
	defaults map[string]any
	// objects are what would be applied, in order. Nil where nothing was rendered.
	objects []applied
	// leftOut says of each rendered object that would not be applied why, in a sentence.
	leftOut []string
}

// applied is one object on its way to the cluster.
type applied struct {
	// stage says when it is applied, where that is not with the rest: «pre-install hook, weight -5».
	stage  string
	object *unstructured.Unstructured
}
