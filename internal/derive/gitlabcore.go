package derive

import (
	"fmt"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// Settings are what the operator is told at its start.
type Settings struct {
	// ManagerServiceAccount is the ServiceAccount of the release's namespace that the Job of shared-secrets runs as.
	ManagerServiceAccount string
}

// Reference is one entry of spec.chart.valuesFrom with what was found behind it.
type Reference struct {
	// Kind is ConfigMap or Secret.
	Kind string
	// Name of the object.
	Name string
	// Key that was read.
	Key string
	// Sensitive marks content of a Secret.
	Sensitive bool
	// Tree is the decoded content.
	Tree map[string]any
	// Missing says that there is no such object or key; the entry then contributes nothing.
	Missing bool
}

// OrbitEndpoint is what an Orbit reports once it can be reached.
type OrbitEndpoint struct {
	// GRPCEndpoint is its address, such as tls://orbit.example.com:50054.
	GRPCEndpoint string
	// JWTSecretName and JWTSecretKey name the Secret key that signs the requests.
	JWTSecretName, JWTSecretKey string
}

// GitLabCoreFacts is what the values of a GitLabCore depend on beside its spec.
type GitLabCoreFacts struct {
	Settings
	// References has one entry for each of spec.chart.valuesFrom, in the same order.
	References []Reference
	// ChartVersion is the version of the chart the values are for.
	ChartVersion string
	// Orbit is nil as long as the referenced Orbit reports no endpoint.
	Orbit *OrbitEndpoint
}

// FieldError is a field that cannot be turned into values.
type FieldError struct {
	// Field is the one the person wrote.
	Field string
	// Err is one of the errors of values.DecodeJSON; it never quotes what was written.
	Err error
}

// Error returns the field and what is wrong with it.
func (e *FieldError) Error() string { return e.Field + " " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FieldError) Unwrap() error { return e.Err }

const (
	fieldValues     = "spec.chart.values"
	fieldValuesFrom = "spec.chart.valuesFrom"
)

// GitLabCore returns the layers of a GitLabCore, lowest first: structured fields with the operator's defaults, each
// reference, the free-form values, the overrides. The free-form values win over every structured field, which keeps
// them a way out, and the overrides win over everything. The error is a *FieldError.
func GitLabCore(obj *v2alpha1.GitLabCore, facts GitLabCoreFacts) ([]values.Layer, error) {
	layers := append([]values.Layer{derived(obj, facts)}, references(facts.References)...)
	freeForm, err := freeFormLayer(obj.Spec.Chart)
	if err != nil {
		return nil, err
	}
	return append(layers, freeForm, overrides()), nil
}

func derived(obj *v2alpha1.GitLabCore, facts GitLabCoreFacts) values.Layer {
	b := values.NewBuilder(values.Derived)
	defaults(b, facts.Settings)
	setHosts(b, obj.Spec.Hostname)
	setEdition(b, obj.Spec.Edition)
	setLicense(b, obj.Spec.License)
	setPostgreSQL(b, obj.Spec.PostgreSQL)
	setRedis(b, obj.Spec.Redis)
	setObjectStorage(b, obj.Spec.ObjectStorage)
	setOpenBao(b, obj.Spec.OpenBao)
	setClickHouse(b, obj.Spec.ClickHouse)
	setOrbit(b, obj.Spec.OrbitRef, facts)
	setNetworking(b, obj, facts.ChartVersion)
	return b.Layer()
}

func references(refs []Reference) []values.Layer {
	var layers []values.Layer
	for i, ref := range refs {
		if ref.Missing {
			continue
		}
		field := fmt.Sprintf("%s[%d]", fieldValuesFrom, i)
		layers = append(layers, values.ReferenceTree(field, ref.Kind+" "+ref.Name, ref.Sensitive, ref.Tree))
	}
	return layers
}

func freeFormLayer(chart *v2alpha1.Chart) (values.Layer, error) {
	tree := map[string]any{}
	if chart != nil && chart.Values != nil {
		var err error
		if tree, err = values.DecodeJSON(chart.Values.Raw); err != nil {
			return values.Layer{}, &FieldError{Field: fieldValues, Err: err}
		}
	}
	return values.Tree(values.FreeForm, fieldValues, tree), nil
}
