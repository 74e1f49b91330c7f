package plan

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// Object is a resource with its type and its metadata.
type Object interface {
	metav1.Object
	runtime.Object
}

// Resource is a chart-backed resource as the pipeline sees it: what one kind answers differently from another. OfCore,
// OfSiphon and OfOrbit make one; the set is closed.
type Resource interface {
	// Object is the resource itself.
	Object() Object
	// Release names its release.
	Release() object.Release
	// Rules returns the faults of its own fields in front of what is stored, nil for nothing; target is the version it
	// resolves to, or empty.
	Rules(stored Object, target string) []rules.Fault
	// Meet says whether its neighbours let it go on: what it waits for, or why it cannot go with them. Nothing is
	// rendered before they do.
	Meet(in Inputs) Meeting

	charted
	valued
}

// charted is what a resource says of its chart.
type charted interface {
	// chart is the name of its chart.
	chart() string
	version() v2alpha1.VersionSpec
	valuesFrom() []v2alpha1.ValuesReference
	// spec is what a person wrote, for the digest of the inputs.
	spec() any
}

// sociable is what a resource has to do with its neighbours.
type sociable interface {
	neighbours(ctx context.Context, facts Facts) (Neighbours, error)
	// standsIn returns what takes the place of the facts of neighbours that are not known. A verdict is made with it, a
	// release never: see Meet.
	standsIn(in Inputs) []standIn
	// missing names what a plan that is Incomplete lacks.
	missing() string
	// greet returns, as warnings, what is known to be wrong between it and its neighbours.
	greet(in Inputs) []rules.Fault
}

// valued is where the values of a resource come from, and what they show.
type valued interface {
	sociable
	// derived is what its values depend on beside its spec; equal ones give equal values.
	derived(in Inputs) any
	layers(in Inputs) ([]values.Layer, error)
	// check returns the faults that only its effective values show. Defaults are those of its chart, nil where that is not
	// at hand.
	check(effective values.Effective, defaults func() map[string]any) []rules.Fault
}

// Meeting is what a resource has to say about one of its neighbours.
type Meeting struct {
	// Field is the one that names the neighbour, such as spec.siphonRef.name.
	Field string
	// Outcome is Continue, a Wait that resolves without a change of the resource, or a Refuse.
	Outcome outcome.Outcome
}

// Goes reports whether the resource may go on.
func (m Meeting) Goes() bool {
	_, goes := m.Outcome.(outcome.Continue)
	return goes
}

// met is a meeting that lets the resource go on.
func met() Meeting { return Meeting{Outcome: outcome.Continue{}} }
