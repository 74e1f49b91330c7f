package object

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// MetaDigest returns a digest of who and whose an object is: its UID, labels, annotations and owners, and whether it is
// being deleted. managedFields, resourceVersion and generation are left out, so a write to status or spec does not
// change it. The UID is in it because an object deleted and made again by hand starts at generation 1 like the first.
func MetaDigest(m metav1.Object) string {
	return digest("object metadata", struct {
		UID         types.UID               `json:"uid"`
		Labels      map[string]string       `json:"labels,omitempty"`
		Annotations map[string]string       `json:"annotations,omitempty"`
		Owners      []metav1.OwnerReference `json:"owners,omitempty"`
		Terminating bool                    `json:"terminating,omitempty"`
	}{m.GetUID(), m.GetLabels(), m.GetAnnotations(), m.GetOwnerReferences(), m.GetDeletionTimestamp() != nil})
}

// Fingerprint returns what has to stay equal for an object to count as unchanged since the last apply: MetaDigest and
// the generation. Kinds without a generation, such as ConfigMap, use the resourceVersion instead. Where a status is written
// it would move each time, every few seconds for a HorizontalPodAutoscaler of Kubernetes before 1.36; there it is who set
// which fields when, the status left out. Fingerprints of different objects are not comparable.
func Fingerprint(m metav1.Object) string {
	switch generation := m.GetGeneration(); {
	case generation != 0:
		return fmt.Sprintf("generation/%d/%s", generation, MetaDigest(m))
	case FingerprintNeedsManagedFields(m):
		return fmt.Sprintf("fields/%s/%s", fieldsDigest(m), MetaDigest(m))
	default:
		return fmt.Sprintf("version/%s/%s", m.GetResourceVersion(), MetaDigest(m))
	}
}

// FingerprintNeedsManagedFields reports whether Fingerprint reads the managed fields of an object, so that a cache that
// drops them to save memory keeps these.
func FingerprintNeedsManagedFields(m metav1.Object) bool {
	return m.GetGeneration() == 0 && slices.ContainsFunc(m.GetManagedFields(), ofStatus)
}

func ofStatus(entry metav1.ManagedFieldsEntry) bool { return entry.Subresource == "status" }

// fieldsDigest returns a digest of who set which fields when. Whoever changes a field that was applied takes it over, so
// this changes even within the second that the times are told in.
func fieldsDigest(m metav1.Object) string {
	return digest("who set the fields of an object", slices.DeleteFunc(slices.Clone(m.GetManagedFields()), ofStatus))
}

// digest returns the SHA-256 of a value as JSON, in hexadecimal.
func digest(what string, value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		// What is digested here always encodes: getting here means its type was changed for the worse.
		panic(fmt.Sprintf("digest of %s: %v", what, err))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
