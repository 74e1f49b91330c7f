package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reclaim makes the manager the owner of what others wrote beside its own fields, so that the next apply removes it,
// and reports whether it did. Where it did not, the refusal stands as the API server gave it.
//
// A server-side apply merges. Somebody who changes the number of a Service's port has added a port next to ours, and
// whoever turns the value of a variable into a reference has given it both: the API server then refuses every apply,
// and the edit would stay for good. So this is done only where the merge is at fault: the API server refuses the object
// as it lies in the cluster and would take it as the chart has it. Only what lies beside the fields it complains of is
// taken, never metadata, nor what others set by an apply of their own or through a subresource such as scale.
func (e *Engine) reclaim(ctx context.Context, desired, live *unstructured.Unstructured, refusal error) bool {
	if live == nil || !apierrors.IsInvalid(refusal) || classify(refusal) != Refused {
		return false
	}
	entries, ok := reclaimed(live, e.Manager, disputed(refusal))
	if !ok || !e.validAlone(ctx, desired) {
		return false
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": entries},
		// As a replacement it is a conflict, where a test that fails would be an invalid request.
		{"op": "replace", "path": "/metadata/resourceVersion", "value": live.GetResourceVersion()},
	})
	return err == nil && e.Client.Patch(ctx, live.DeepCopy(), client.RawPatch(types.JSONPatchType, patch)) == nil
}

// validAlone reports whether the API server would take the object if there was none of its name. Where that cannot be
// told, for a quota or a port that is taken, the answer is no.
func (e *Engine) validAlone(ctx context.Context, desired *unstructured.Unstructured) bool {
	alone := desired.DeepCopy()
	alone.SetName("")
	alone.SetGenerateName(desired.GetName() + "-")
	return e.Client.Create(ctx, alone, client.DryRunAll, client.FieldOwner(e.Manager)) == nil
}

// anyItem stands in a path for each item of a list.
const anyItem = "*"

// disputed returns the fields in which a refusal says that something does not go together: the list of the last item it
// names, such as spec.ports of spec.ports[1].name, else the map around the field.
func disputed(refusal error) [][]string {
	status, ok := statusOf(refusal)
	if !ok || status.Details == nil {
		return nil
	}
	var out [][]string
	for _, cause := range status.Details.Causes {
		steps := strings.FieldsFunc(cause.Field, func(r rune) bool { return r == '.' || r == ']' })
		var path []string
		lastList := 0
		for _, step := range steps {
			name, _, isItem := strings.Cut(step, "[")
			if path = append(path, name); isItem {
				lastList, path = len(path), append(path, anyItem)
			}
		}
		switch {
		case lastList > 0:
			path = path[:lastList]
		case len(path) > 2:
			path = path[:len(path)-1]
		}
		if len(path) > 1 && path[0] != "metadata" && path[0] != "status" {
			out = append(out, path)
		}
	}
	return out
}

// reclaimed returns the managed fields of an object with what others updated at the paths given to the manager, and
// whether there was any.
func reclaimed(live *unstructured.Unstructured, manager string, paths [][]string) ([]metav1.ManagedFieldsEntry, bool) {
	var entries []metav1.ManagedFieldsEntry
	taken := sets.New[string]()
	for i, entry := range live.GetManagedFields() {
		if entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == "" && entry.Manager != manager {
			rest, ours, err := part(entry, paths)
			if err != nil {
				return nil, false
			}
			if ours != nil {
				ours.Manager = fmt.Sprintf("%s/%d", manager, i)
				taken.Insert(ours.Manager)
				entries = append(entries, *ours)
			}
			if rest == nil {
				continue
			}
			entry = *rest
		}
		entries = append(entries, entry)
	}
	changed := live.DeepCopy()
	changed.SetManagedFields(entries)
	if len(taken) == 0 || csaupgrade.UpgradeManagedFields(changed, taken, manager) != nil {
		return nil, false
	}
	return changed.GetManagedFields(), true
}

// part splits an entry into what lies at the paths and the rest; nil where there is nothing.
func part(entry metav1.ManagedFieldsEntry, paths [][]string) (rest, taken *metav1.ManagedFieldsEntry, err error) {
	if entry.FieldsV1 == nil {
		return &entry, nil, nil
	}
	var fields map[string]any
	if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
		return nil, nil, fmt.Errorf("read the fields that %s manages: %w", entry.Manager, err)
	}
	cut := map[string]any{}
	for _, path := range paths {
		move(fields, cut, path)
	}
	for _, half := range []struct {
		fields map[string]any
		to     **metav1.ManagedFieldsEntry
	}{{fields, &rest}, {cut, &taken}} {
		if len(half.fields) == 0 {
			continue
		}
		raw, err := json.Marshal(half.fields)
		if err != nil {
			return nil, nil, fmt.Errorf("write the fields that %s manages: %w", entry.Manager, err)
		}
		*half.to = entry.DeepCopy()
		(*half.to).FieldsV1 = metav1.NewFieldsV1(string(raw))
	}
	return rest, taken, nil
}

// move takes what a tree of managed fields has at a path over to another tree. A field is written f:name there, and an
// item of a list by its key or its value: k:{"name":"x"}, v:"x".
func move(from, to map[string]any, path []string) {
	for key, value := range from {
		isItem := strings.HasPrefix(key, "k:") || strings.HasPrefix(key, "v:") || strings.HasPrefix(key, "i:")
		if key != "f:"+path[0] && (path[0] != anyItem || !isItem) {
			continue
		}
		below, isTree := value.(map[string]any)
		if len(path) == 1 || !isTree {
			if len(path) == 1 {
				to[key] = value
				delete(from, key)
			}
			continue
		}
		into, _ := to[key].(map[string]any)
		if into == nil {
			into = map[string]any{}
		}
		if move(below, into, path[1:]); len(into) > 0 {
			to[key] = into
		}
		if len(below) == 0 {
			delete(from, key)
		}
	}
}
