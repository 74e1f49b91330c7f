package apply

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// keepExisting changes what is about to be applied to a guarded Secret so that it can only add keys: every key that is
// in the live Secret and that we state now, or own from an earlier apply, is stated with its live value. Leaving such a
// key out instead would delete it, since a server-side apply removes what its manager no longer states.
//
// The resourceVersion makes the write fail with a conflict when the Secret changed since it was read, so that a value
// somebody wrote meanwhile is not replaced by the one read before.
func keepExisting(desired, live *unstructured.Unstructured, manager string) {
	present, _ := live.Object["data"].(map[string]any)
	stated, ok := desired.Object["data"].(map[string]any)
	if !ok {
		stated = map[string]any{}
	}
	owned := ownedDataKeys(live, manager)
	for key, value := range present {
		if _, states := stated[key]; states || owned[key] {
			stated[key] = value
		}
	}
	if len(stated) > 0 {
		desired.Object["data"] = stated
	}
	// The type of a Secret cannot change; a chart that changed its mind must not break a Secret that has to survive.
	if kind, found := live.Object["type"]; found {
		desired.Object["type"] = kind
	}
	desired.SetResourceVersion(live.GetResourceVersion())
}

// ownedDataKeys returns the keys of a Secret's data that the manager owns by an earlier server-side apply.
func ownedDataKeys(live *unstructured.Unstructured, manager string) map[string]bool {
	owned := map[string]bool{}
	for _, entry := range live.GetManagedFields() {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.FieldsV1 == nil {
			continue
		}
		var fields struct {
			Data map[string]json.RawMessage `json:"f:data"`
		}
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			continue // the API server wrote it; what cannot be read is not ours
		}
		for field := range fields.Data {
			if key, ok := strings.CutPrefix(field, "f:"); ok {
				owned[key] = true
			}
		}
	}
	return owned
}
