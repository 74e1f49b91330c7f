package definition

import (
	"context"
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// Check returns every fault of an object against its definition, in canonical order. With an old object it is an
// update: rules of the change itself run too (their faults carry Transition), and a fault in a part that did not change
// is a warning where the API server would let it pass. What is written under status is not looked at, since a write of
// the object cannot change it. Neither argument is changed.
func (s *Set) Check(fresh, old *unstructured.Unstructured) []rules.Fault {
	k := s.kindOf(fresh)
	if k == nil {
		return []rules.Fault{s.unknownKind(fresh)}
	}
	now, err := k.prepare(fresh)
	if err != nil {
		return []rules.Fault{fault(rules.FieldInvalid, "", "cannot be read: "+err.Error(), nil)}
	}
	var before map[string]any
	if old != nil && s.kindOf(old) == k {
		if stored, err := k.prepare(old); err == nil {
			before = stored.content
		}
	}
	k.settleStatus(now.content, before)

	t := teller{kind: k, written: fresh.Object, stored: before}
	faults := slices.Concat(now.broken, t.metadata(k.validateMetadata(now.metadata)))
	t.stopped = len(faults) > 0
	created := k.onCreate(&t, k.asNew(now.content))
	if before == nil {
		return tidy(append(faults, created...))
	}
	t.update = true
	return tidy(append(faults, merge(created, k.onUpdate(&t, now.content, before))...))
}

func (s *Set) kindOf(u *unstructured.Unstructured) *kind {
	if u == nil || u.Object == nil {
		return nil
	}
	return s.kinds[u.GroupVersionKind()]
}

func (s *Set) unknownKind(u *unstructured.Unstructured) rules.Fault {
	names := make([]string, 0, len(s.kinds))
	for _, gvk := range s.Kinds() {
		names = append(names, gvk.Kind+" of "+gvk.GroupVersion().String())
	}
	text := "is none of the kinds that can be checked: " + strings.Join(names, ", ")
	if u == nil || u.Object == nil {
		return fault(rules.FieldInvalid, "", "the object is empty", nil)
	}
	return fault(rules.FieldInvalid, "kind", text, u.GetKind())
}

// settleStatus does what the API server does to status on a write of the object: none on create, the stored one on
// update.
func (k *kind) settleStatus(now, before map[string]any) {
	if !k.hasStatus {
		return
	}
	delete(now, "status")
	if status, found := before["status"]; found {
		now["status"] = status
	}
}

// asNew returns the content of an object as a create would have it: without a status.
func (k *kind) asNew(content map[string]any) map[string]any {
	content = maps.Clone(content)
	k.settleStatus(content, nil)
	return content
}

// onCreate is the API server's validation of a new object.
func (k *kind) onCreate(t *teller, now map[string]any) []rules.Fault {
	ctx := background()
	errs := validation.ValidateCustomResource(nil, now, k.schema)
	errs = append(errs, objectmeta.Validate(ctx, nil, now, k.structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.structural, now)...)
	broken, _ := k.rules.Validate(ctx, nil, k.structural, now, nil, celconfig.RuntimeCELCostBudget)
	return append(t.structural(errs), t.rules(broken, len(errs) > 0)...)
}

// onUpdate is the API server's validation of a change, which lets unchanged parts keep their faults.
func (k *kind) onUpdate(t *teller, now, before map[string]any) []rules.Fault {
	ctx := background()
	same := common.NewCorrelatedObject(now, before, &model.Structural{Structural: k.structural})
	errs := validation.ValidateCustomResourceUpdate(nil, now, before, k.schema, validation.WithRatcheting(same))
	errs = append(errs, objectmeta.Validate(ctx, nil, now, k.structural, false)...)
	if len(listtype.ValidateListSetsAndMaps(nil, k.structural, before)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.structural, now)...)
	}
	broken, _ := k.rules.Validate(ctx, nil, k.structural, now, before, celconfig.RuntimeCELCostBudget, cel.WithRatcheting(same))
	return append(t.structural(errs), t.rules(broken, len(errs) > 0)...)
}

// merge compares what a create would be refused for with what this update is refused for. A fault of the update alone
// comes from the change; a fault of the create alone is one the API server lets pass because its part is unchanged.
func merge(created, updated []rules.Fault) []rules.Fault {
	identity := func(f rules.Fault) string {
		text, _, _ := strings.Cut(f.Message, foundMark)
		return string(f.Code) + "\x00" + f.Field + "\x00" + text
	}
	asCreated := make(map[string]bool, len(created))
	for _, f := range created {
		asCreated[identity(f)] = true
	}
	asUpdated := make(map[string]bool, len(updated))
	out := make([]rules.Fault, 0, len(created)+len(updated))
	for _, f := range updated {
		asUpdated[identity(f)] = true
		f.Transition = f.Code == rules.RuleViolated && !asCreated[identity(f)]
		out = append(out, f)
	}
	for _, f := range created {
		if !asUpdated[identity(f)] {
			f.Severity = rules.Warning
			out = append(out, f)
		}
	}
	return out
}

// background is the context of a check: nothing in it waits, and its cost is bounded by the budget of the rules.
func background() context.Context {
	return context.Background() //nolint:forbidigo // A pure check has nothing to cancel; the libraries ask for a context.
}

// tidy orders the faults, and drops the general complaint about a name where a rule of the definition says it better.
func tidy(faults []rules.Fault) []rules.Fault {
	ruled := make(map[string]bool)
	for _, f := range faults {
		if f.Code == rules.RuleViolated {
			ruled[f.Field] = true
		}
	}
	kept := faults[:0]
	for _, f := range faults {
		if f.Code == rules.FieldInvalid && f.Field == nameField && ruled[nameField] {
			continue
		}
		kept = append(kept, f)
	}
	return rules.Verdict{Faults: kept}.Sorted().Faults
}

// evaluationTrouble reports whether an error of the rules says that a rule could not run, not that it was broken. After
// a structural fault that is only its echo.
func evaluationTrouble(e *field.Error) bool {
	for _, mark := range []string{
		" evaluating rule: ", "call arguments did not match a supported operator", "no further validation rules will be run",
	} {
		if strings.Contains(e.Detail, mark) {
			return true
		}
	}
	return false
}
