package admit

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	exact "k8s.io/apimachinery/pkg/util/json"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/plan"
)

// read reads an object into the resource of its kind; nil for a kind without a chart. It goes field by field: a field of
// the wrong type is left out, since the definition already says so, and the other fields are still checked. Whole reports
// that none was left out. A key that differs from a field in its case alone is no field, as the API server takes it.
func read(u *unstructured.Unstructured) (resource plan.Resource, whole bool, err error) {
	if u.GroupVersionKind().GroupVersion() != v2alpha1.GroupVersion {
		return nil, false, nil
	}
	switch u.GetKind() {
	case v2alpha1.KindGitLabCore:
		core := &v2alpha1.GitLabCore{}
		whole, err = decode(u, core, &core.Spec, &core.Status)
		return plan.OfCore(core), whole, err
	case v2alpha1.KindSiphon:
		siphon := &v2alpha1.Siphon{}
		whole, err = decode(u, siphon, &siphon.Spec, &siphon.Status)
		return plan.OfSiphon(siphon), whole, err
	case v2alpha1.KindOrbit:
		orbit := &v2alpha1.Orbit{}
		whole, err = decode(u, orbit, &orbit.Spec, &orbit.Status)
		return plan.OfOrbit(orbit), whole, err
	}
	return nil, false, nil
}

// kindOf is the kind of a chart-backed resource; objects from a typed client do not carry it.
func kindOf(o plan.Object) string { return reflect.TypeOf(o).Elem().Name() }

func decode(u *unstructured.Unstructured, into plan.Object, spec, status any) (whole bool, err error) {
	into.SetName(u.GetName())
	into.SetNamespace(u.GetNamespace())
	into.SetUID(u.GetUID())
	into.SetGeneration(u.GetGeneration())
	written, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return false, nil
	}
	whole = true
	for key, value := range written {
		text, err := json.Marshal(map[string]any{key: value})
		if err != nil {
			return false, fmt.Errorf("encode spec.%s: %w", key, err)
		}
		if err := exact.Unmarshal(text, spec); err != nil {
			whole = false
			if err := clearField(spec, key); err != nil {
				return false, err
			}
		}
	}
	if reported, ok := u.Object["status"].(map[string]any); ok {
		// A status of the wrong shape was not written by the Operator; it is as good as none.
		if runtime.DefaultUnstructuredConverter.FromUnstructured(reported, status) != nil {
			reflect.ValueOf(status).Elem().SetZero()
		}
	}
	return whole, nil
}

// clearField takes back what was read of a field before it turned out to be of the wrong type.
func clearField(spec any, key string) error {
	v := reflect.ValueOf(spec).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("json"); name == key || name == key+",omitempty" {
			v.Field(i).SetZero()
			return nil
		}
	}
	return fmt.Errorf("field spec.%s is read but has no name of its own", key)
}
