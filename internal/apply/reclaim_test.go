package apply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWhatARefusalDisputes(t *testing.T) {
	for field, want := range map[string][]string{
		"spec.ports[1].name": {"spec", "ports"},
		"spec.template.spec.containers[0].env[2].valueFrom": {"spec", "template", "spec", "containers", "*", "env"},
		"spec.strategy.rollingUpdate":                       {"spec", "strategy"},
		"spec.type":                                         {"spec", "type"},
		"spec":                                              nil,
		"metadata.annotations[a.b/c]":                       nil,
		"status.phase":                                      nil,
		"<nil>":                                             nil,
		"":                                                  nil,
	} {
		t.Run(field, func(t *testing.T) {
			refusal := &apierrors.StatusError{ErrStatus: metav1.Status{Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: field}}}}}
			var path []string
			if got := disputed(refusal); len(got) == 1 {
				path = got[0]
			}
			if diff := cmp.Diff(want, path); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyWhatIsDisputedIsReclaimed(t *testing.T) {
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: operation, Subresource: subresource, APIVersion: "v1", FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(fields),
		}
	}
	const port, mine = `k:{"port":2222,"protocol":"TCP"}`, `k:{"port":22,"protocol":"TCP"}`
	live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Service"}}
	live.SetManagedFields([]metav1.ManagedFieldsEntry{
		entry("us", metav1.ManagedFieldsOperationApply, "", `{"f:spec":{"f:ports":{"`+escaped(mine)+`":{"f:port":{}}}}}`),
		entry("kubectl-edit", metav1.ManagedFieldsOperationUpdate, "",
			`{"f:metadata":{"f:annotations":{"f:note":{}}},"f:spec":{"f:type":{},"f:ports":{"`+escaped(port)+`":{".":{},"f:port":{}}}}}`),
		entry("cloud", metav1.ManagedFieldsOperationUpdate, "", `{"f:metadata":{"f:finalizers":{"v:\"lb\"":{}}}}`),
		entry("cloud", metav1.ManagedFieldsOperationUpdate, "status", `{"f:status":{}}`),
		entry("placement", metav1.ManagedFieldsOperationApply, "", `{"f:spec":{"f:ports":{"`+escaped(port)+`":{"f:name":{}}}}}`),
	})
	got, ok := reclaimed(live, "us", [][]string{{"spec", "ports"}})
	if !ok {
		t.Fatal("nothing is reclaimed")
	}
	fields := map[string]string{}
	for _, e := range got {
		fields[e.Manager+" "+string(e.Operation)+" "+e.Subresource] = e.FieldsV1.GetRawString()
	}
	want := map[string]string{
		"us Apply ":            `{"f:spec":{"f:ports":{"` + escaped(mine) + `":{"f:port":{}},"` + escaped(port) + `":{".":{},"f:port":{}}}}}`,
		"kubectl-edit Update ": `{"f:metadata":{"f:annotations":{"f:note":{}}},"f:spec":{"f:type":{}}}`,
		"cloud Update ":        `{"f:metadata":{"f:finalizers":{"v:\"lb\"":{}}}}`,
		"cloud Update status":  `{"f:status":{}}`,
		"placement Apply ":     `{"f:spec":{"f:ports":{"` + escaped(port) + `":{"f:name":{}}}}}`,
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, ok := reclaimed(live, "us", [][]string{{"spec", "selector"}}); ok {
		t.Error("what nobody else set is reclaimed")
	}
}

// escaped writes a key of managed fields as JSON has it.
func escaped(key string) string { return strings.ReplaceAll(key, `"`, `\"`) }
