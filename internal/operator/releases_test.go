//go:build bridge

package operator

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/internal/object"
)

func TestTheCacheOfAppliedObjectsKeepsWhatAFingerprintReads(t *testing.T) {
	for name, c := range map[string]struct {
		generation int64
		entries    []metav1.ManagedFieldsEntry
		kept       int
	}{
		"a kind with a generation":               {1, []metav1.ManagedFieldsEntry{{Manager: "us"}, {Manager: "x", Subresource: "status"}}, 0},
		"a kind without one and without status":  {0, []metav1.ManagedFieldsEntry{{Manager: "us"}}, 0},
		"a kind without one, its status written": {0, []metav1.ManagedFieldsEntry{{Manager: "us"}, {Manager: "x", Subresource: "status"}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			live := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				UID: "1", ResourceVersion: "7", Generation: c.generation, ManagedFields: c.entries,
			}}
			before := object.Fingerprint(live)
			cached, err := stripManagedFields(live)
			if err != nil {
				t.Fatal(err)
			}
			m := cached.(*metav1.PartialObjectMetadata)
			if len(m.ManagedFields) != c.kept {
				t.Errorf("%d managed fields are kept, want %d", len(m.ManagedFields), c.kept)
			}
			if object.Fingerprint(m) != before {
				t.Error("the cached object has another fingerprint than the stored one")
			}
		})
	}
}
