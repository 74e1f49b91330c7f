package object_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// policied returns an object with a resource-policy annotation.
func policied(apiVersion, kind, policy string) *unstructured.Unstructured {
	u := made(apiVersion, kind, "x")
	u.SetAnnotations(map[string]string{object.AnnotationResourcePolicy: policy})
	return u
}

func TestWhatIsNeverAppliedOrPruned(t *testing.T) {
	tests := map[string]struct {
		object          *unstructured.Unstructured
		applied, pruned bool
	}{
		"a Deployment is applied and pruned":                        {made("apps/v1", "Deployment", "x"), true, true},
		"a ServiceAccount is applied and pruned":                    {made("v1", "ServiceAccount", "x"), true, true},
		"a Role is the administrator's":                             {made("rbac.authorization.k8s.io/v1", "Role", "x"), false, true},
		"an RBAC kind of a coming version is the administrator's":   {made("rbac.authorization.k8s.io/v9", "Whatever", "x"), false, true},
		"a definition is the administrator's":                       {made("apiextensions.k8s.io/v1", "CustomResourceDefinition", "x"), false, true},
		"a definition in a group nobody heard of is, too":           {made("other.io/v1", "CustomResourceDefinition", "x"), false, true},
		"a claim on a volume survives":                              {made("v1", "PersistentVolumeClaim", "x"), true, false},
		"a volume survives":                                         {made("v1", "PersistentVolume", "x"), true, false},
		"a snapshot survives, whatever its version":                 {made("snapshot.storage.k8s.io/v1beta1", "VolumeSnapshot", "x"), true, false},
		"a Secret survives":                                         {made("v1", "Secret", "x"), true, false},
		"something else that is called Secret is pruned":            {made("vault.example/v1", "Secret", "x"), true, true},
		"a kept ConfigMap survives":                                 {policied("v1", "ConfigMap", "keep"), true, false},
		"the policy is read as Helm reads it":                       {policied("v1", "ConfigMap", " Keep "), true, false},
		"another policy protects nothing":                           {policied("v1", "ConfigMap", "delete"), true, true},
		"an object whose kind only begins like a claim's is pruned": {made("v1", "PersistentVolumeClaimTemplate", "x"), true, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			why, never := object.NeverApplied(test.object)
			if never == test.applied || never != (why != "") {
				t.Errorf("NeverApplied = %q, %v; want applied = %v and a reason when it is not", why, never, test.applied)
			}
			why, never = object.NeverPruned(test.object)
			if never == test.pruned || never != (why != "") {
				t.Errorf("NeverPruned = %q, %v; want pruned = %v and a reason when it is not", why, never, test.pruned)
			}
		})
	}
}

func TestMetadataAloneIsJudgedLikeTheWholeObject(t *testing.T) {
	meta := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}}
	if _, never := object.NeverPruned(meta); !never {
		t.Error("a claim of which only the metadata is known must survive, too")
	}
}
