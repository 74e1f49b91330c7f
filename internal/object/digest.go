package object

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// MetaDigest returns a digest of who and whose an object is: its UID, labels, annotations and owners, and whether it is
// being deleted. managedFields, resourceVersion and generation are left out, so a write to status or spec does not
// change it. The UID is in it because an object deleted and made again by hand starts at generation 1 like the first.
func MetaDigest(m metav1.Object) string {
	data, err := json.Marshal(struct {
		UID         types.UID               `json:"uid"`
		Labels      map[string]string       `json:"labels,omitempty"`
		Annotations map[string]string       `json:"annotations,omitempty"`
		Owners      []metav1.OwnerReference `json:"owners,omitempty"`
		Terminating bool                    `json:"terminating,omitempty"`
	}{m.GetUID(), m.GetLabels(), m.GetAnnotations(), m.GetOwnerReferences(), m.GetDeletionTimestamp() != nil})
	if err != nil {
		// Text, booleans and maps of text always encode: getting here means the type above was changed for the worse.
		panic(fmt.Sprintf("digest of object metadata: %v", err))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Fingerprint returns what has to stay equal for an object to count as unchanged since the last apply: MetaDigest and
// the generation. Kinds without a generation, such as ConfigMap, use the resourceVersion instead; for the others it
// would move with every status write. Fingerprints of different objects are not comparable.
func Fingerprint(m metav1.Object) string {
	if generation := m.GetGeneration(); generation != 0 {
		return fmt.Sprintf("generation/%d/%s", generation, MetaDigest(m))
	}
	return fmt.Sprintf("version/%s/%s", m.GetResourceVersion(), MetaDigest(m))
}
