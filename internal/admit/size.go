package admit

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// MaxSize is how large an object may be, in bytes of JSON and without what the cluster adds to it. The cluster's store
// holds little more, and a status and the records of field managers have to fit as well.
const MaxSize = 1 << 20

// tooLarge returns the fault of an object past MaxSize: an error, or a warning while it does not grow over what is stored.
func tooLarge(next, stored *unstructured.Unstructured) []rules.Fault {
	size := sizeOf(next)
	if size <= MaxSize {
		return nil
	}
	f := rules.Fault{Code: rules.FieldInvalid, Message: fmt.Sprintf(
		"has %.1f MiB, and at most %d MiB is accepted: %s", math.Ceil(float64(size)/MaxSize*10)/10, MaxSize>>20, smaller(next.GetKind()))}
	if stored != nil && size <= sizeOf(stored) {
		f.Severity = rules.Warning
	}
	return []rules.Fault{f}
}

// smaller says what helps.
func smaller(kind string) string {
	switch kind {
	case v2alpha1.KindGitLabCore:
		return "move values into ConfigMaps named in spec.chart.valuesFrom"
	case v2alpha1.KindGitLabSecrets:
		return "declare some of the Secrets in a GitLabSecrets of their own"
	}
	return "make spec.chart.values smaller"
}

// sizeOf leaves out what no person writes.
func sizeOf(u *unstructured.Unstructured) int {
	if u == nil {
		return 0
	}
	content := maps.Clone(u.Object)
	delete(content, "status")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "managedFields")
		content["metadata"] = metadata
	}
	text, err := json.Marshal(content)
	if err != nil {
		return 0 // The definition says what JSON cannot write.
	}
	return len(text)
}
