// Package admit is the check all three doors make: definition, rules, version, values, schema and render, every fault
// collected, in one verdict.
//
// Floor 4, pure but for the facts and the renderer it is given. The webhook answers with the verdict, the offline
// command prints it, and the reconciler makes the same check before it acts, so that a webhook that was away changes
// nothing about what runs.
package admit

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/rules/apps"
)

// MaxFaults is how many faults one verdict lists; the rest is counted.
const MaxFaults = 100

// Reviewer makes the check. It is safe for concurrent use.
type Reviewer struct {
	// Definitions are the resource definitions, as the API server has them.
	Definitions *definition.Set
	// Tools are the schema checker and the renderer.
	Tools plan.Tools
	// Facts answers what the check asks about the world.
	Facts plan.Facts
	// Settings are the operator's own.
	Settings derive.Settings
}

// Request is one object to check.
type Request struct {
	// New is the object as the person wants it.
	New *unstructured.Unstructured
	// Old is the object as it is stored; nil for a new one.
	Old *unstructured.Unstructured
	// NoRender leaves the templates out of the check.
	NoRender bool
	// Strict adds faults for structured fields the definition does not have. The API server answers those itself
	// before it asks a webhook; an offline check has to.
	Strict bool
}

// Review is a verdict and the plan it was made on.
type Review struct {
	Verdict rules.Verdict
	Plan    plan.Plan
}

// Review checks one object against everything that can be known. The error says that the check could not be made.
func (r *Reviewer) Review(ctx context.Context, req Request) (Review, error) {
	review, err := r.review(ctx, req)
	if err != nil {
		return Review{}, err
	}
	if req.Old != nil && review.Verdict.Refused() {
		// Where the stored object cannot be checked in time nothing is known of its age, and the refusal stands.
		if stored, err := r.review(ctx, Request{New: req.Old, NoRender: req.NoRender, Strict: req.Strict}); err == nil {
			review.Verdict = rules.Ratchet(stored.Verdict, review.Verdict)
		}
	}
	review.Verdict = capped(review.Verdict.Sorted())
	return review, nil
}

func (r *Reviewer) review(ctx context.Context, req Request) (Review, error) {
	var verdict rules.Verdict
	verdict.Add(r.Definitions.Check(req.New, req.Old)...)
	if req.Strict {
		verdict.Add(r.Definitions.Unknown(req.New)...)
	}
	if req.New.GroupVersionKind() != v2alpha1.GroupVersion.WithKind(v2alpha1.KindGitLabCore) {
		return Review{Verdict: verdict}, nil
	}
	core, whole, err := decode(req.New)
	if err != nil {
		return Review{}, err
	}
	in, err := plan.Gather(ctx, r.Facts, core, r.Settings)
	if err != nil {
		return Review{}, fmt.Errorf("gather what the check needs: %w", err)
	}
	var old *v2alpha1.GitLabCore
	if req.Old != nil {
		if old, _, err = decode(req.Old); err != nil {
			return Review{}, err
		}
	}
	verdict.Add(apps.CheckGitLabCore(core, old, in.Target)...)
	p, err := plan.Compose(ctx, r.Tools, in, plan.Options{Render: whole && !req.NoRender})
	if err != nil {
		return Review{}, fmt.Errorf("check GitLabCore %s/%s: %w", core.Namespace, core.Name, err)
	}
	verdict.Add(unsaid(verdict, p.Faults)...)
	return Review{Verdict: verdict, Plan: p}, nil
}

// decode reads the object into its type, field by field: a field of the wrong type is left out, since the definition
// already says so, and the other fields are still checked. Whole reports that none was left out.
func decode(u *unstructured.Unstructured) (core *v2alpha1.GitLabCore, whole bool, err error) {
	core = &v2alpha1.GitLabCore{}
	core.Name, core.Namespace, core.UID, core.Generation = u.GetName(), u.GetNamespace(), u.GetUID(), u.GetGeneration()
	whole = true
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return core, false, nil
	}
	for key, value := range spec {
		text, err := json.Marshal(map[string]any{key: value})
		if err != nil {
			return nil, false, fmt.Errorf("encode spec.%s: %w", key, err)
		}
		if err := json.Unmarshal(text, &core.Spec); err != nil {
			whole = false
			if err := clearField(&core.Spec, key); err != nil {
				return nil, false, err
			}
		}
	}
	if status, ok := u.Object["status"].(map[string]any); ok {
		// A status of the wrong shape was not written by the Operator; it is as good as none.
		if runtime.DefaultUnstructuredConverter.FromUnstructured(status, &core.Status) != nil {
			core.Status = v2alpha1.GitLabCoreStatus{}
		}
	}
	return core, whole, nil
}

// clearField takes back what was read of a field before it turned out to be of the wrong type.
func clearField(spec *v2alpha1.GitLabCoreSpec, key string) error {
	v := reflect.ValueOf(spec).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("json"); name == key || name == key+",omitempty" {
			v.Field(i).SetZero()
			return nil
		}
	}
	return fmt.Errorf("field spec.%s is read but has no name of its own", key)
}

// Plan checks a stored object on facts that were gathered already, for the reconciler.
func (r *Reviewer) Plan(ctx context.Context, core *v2alpha1.GitLabCore, in plan.Inputs) (Review, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(core)
	if err != nil {
		return Review{}, fmt.Errorf("read GitLabCore %s/%s: %w", core.Namespace, core.Name, err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(v2alpha1.GroupVersion.WithKind(v2alpha1.KindGitLabCore))
	var verdict rules.Verdict
	verdict.Add(r.Definitions.Check(u, nil)...)
	verdict.Add(apps.CheckGitLabCore(core, nil, in.Target)...)
	p, err := plan.Compose(ctx, r.Tools, in, plan.Options{Render: true})
	if err != nil {
		return Review{}, fmt.Errorf("plan GitLabCore %s/%s: %w", core.Namespace, core.Name, err)
	}
	verdict.Add(unsaid(verdict, p.Faults)...)
	return Review{Verdict: capped(verdict.Sorted()), Plan: p}, nil
}

// unsaid returns the faults of a plan that say something new. Where the definition or a rule already refuses a structured
// field, what the chart has to say about the value derived from it is the same mistake in other words.
func unsaid(said rules.Verdict, faults []rules.Fault) []rules.Fault {
	refused := map[string]bool{}
	for _, f := range said.Errors() {
		refused[f.Field] = true
	}
	return slices.DeleteFunc(slices.Clone(faults), func(f rules.Fault) bool {
		if f.Code != rules.SchemaViolation && f.Code != rules.FieldInvalid {
			return false
		}
		for field := f.Field; field != ""; field = parent(field) {
			if refused[field] {
				return true
			}
		}
		return false
	})
}

// parent returns the field above another: spec.networking of spec.networking.gateway.
func parent(field string) string {
	i := strings.LastIndexAny(field, ".[")
	if i < 0 {
		return ""
	}
	return field[:i]
}

// capped cuts a list of faults at its limit and says how many more there are.
func capped(v rules.Verdict) rules.Verdict {
	if len(v.Faults) <= MaxFaults {
		return v
	}
	rest := len(v.Faults) - MaxFaults
	faults := append([]rules.Fault{}, v.Faults[:MaxFaults]...)
	severity := rules.Warning
	if faults[MaxFaults-1].Severity == rules.Error && v.Faults[MaxFaults].Severity == rules.Error {
		severity = rules.Error
	}
	return rules.Verdict{Faults: append(faults, rules.Fault{
		Severity: severity, Code: rules.TooManyFaults, Message: fmt.Sprintf("%d more faults are not listed", rest),
	})}
}

// Handles reports whether the check knows a kind.
func (r *Reviewer) Handles(gvk schema.GroupVersionKind) bool { return r.Definitions.Knows(gvk) }

// Deleting reports whether an object is on its way out, in which case nothing about it is checked: a fault must never
// keep a finalizer from being removed.
func Deleting(u *unstructured.Unstructured) bool {
	m, err := apimeta.Accessor(u)
	return err == nil && m.GetDeletionTimestamp() != nil
}
