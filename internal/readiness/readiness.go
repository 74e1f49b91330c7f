// Package readiness judges whether given objects are rolled out, and names what holds them up.
//
// Floor 1, pure: it reads no cluster. The one idea is that a judgement is a sentence an on-call engineer can act on:
// which workload, how far it is, and the first container that is stuck, with the kubelet's own word for why.
package readiness

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// Judge reports whether a live Deployment or StatefulSet is rolled out, and if not, how far it is. Every other kind
// counts as ready. The desired number is the live object's (absent means 1; 0 is ready as soon as nothing is left over):
// the controller has seen the newest generation, all replicas are of it, none of the old ones is left, and all are available.
func Judge(u *unstructured.Unstructured) (ready bool, message string) {
	kind := u.GroupVersionKind().GroupKind()
	if kind.Group != "apps" || (kind.Kind != "Deployment" && kind.Kind != "StatefulSet") {
		return true, ""
	}
	name := kind.Kind + " " + u.GetName()
	desired := number(u, 1, "spec", "replicas")
	total := number(u, 0, "status", "replicas")
	updated := number(u, 0, "status", "updatedReplicas")
	available := number(u, 0, "status", "availableReplicas")
	switch {
	case number(u, 0, "status", "observedGeneration") < u.GetGeneration():
		return false, name + " has a new specification that its controller has not seen yet"
	case updated < desired:
		return false, fmt.Sprintf("%s has %d of %d pods updated", name, updated, desired)
	case total > updated:
		return false, fmt.Sprintf("%s has %d old pods left to end", name, total-updated)
	case available < desired:
		return false, fmt.Sprintf("%s has %d of %d pods available", name, available, desired)
	}
	return true, ""
}

// Missing is the message for a workload that the cluster does not have; it is not ready.
func Missing(ref object.Ref) string {
	return fmt.Sprintf("%s %s does not exist", ref.GVK.Kind, ref.Name)
}

// Explain adds a cause to a message, when there is one.
func Explain(message, cause string) string {
	if cause == "" {
		return message
	}
	return message + ": " + cause
}

// number reads an integer field; an absent one, or one of another type, is otherwise.
func number(u *unstructured.Unstructured, otherwise int64, path ...string) int64 {
	n, found, err := unstructured.NestedInt64(u.Object, path...)
	if err != nil || !found {
		return otherwise
	}
	return n
}
