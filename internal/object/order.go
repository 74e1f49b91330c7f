package object

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Meta is what the rules of this package need to know of an object. Both a whole object (*unstructured.Unstructured)
// and its metadata alone (*metav1.PartialObjectMetadata) satisfy it, so a prune need not read what it deletes.
type Meta interface {
	metav1.Object
	GroupVersionKind() schema.GroupVersionKind
}

// installOrder lists the kinds whose place matters, first to install first. It is the order Helm users know, so that a
// release behaves as its chart's author tried it. A kind that is not listed comes after all of these, by its name.
func installOrder() []string {
	return []string{
		// What others are placed in, limited by or scheduled with.
		"PriorityClass", "Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodSecurityPolicy", "PodDisruptionBudget",
		// What pods mount and run as.
		"ServiceAccount", "Secret", "SecretList", "ConfigMap", "StorageClass", "PersistentVolume", "PersistentVolumeClaim",
		// What must be known and allowed before anything uses it.
		"CustomResourceDefinition", "ClusterRole", "ClusterRoleList", "ClusterRoleBinding", "ClusterRoleBindingList",
		"Role", "RoleList", "RoleBinding", "RoleBindingList",
		// What runs, behind the names it is reached by.
		"Service", "DaemonSet", "Pod", "ReplicationController", "ReplicaSet", "Deployment", "HorizontalPodAutoscaler",
		"StatefulSet", "Job", "CronJob",
		// What opens it to the outside.
		"IngressClass", "Ingress", "APIService",
	}
}

// rank returns the place of a kind in the install order, and one past the end for a kind that is not listed.
func rank(kind string) int {
	order := installOrder()
	if i := slices.Index(order, kind); i >= 0 {
		return i
	}
	return len(order)
}

// compareInstall orders two kinds: by rank, and by name among the kinds that are not listed.
func compareInstall(a, b string) int {
	ra, rb := rank(a), rank(b)
	switch {
	case ra != rb:
		return ra - rb
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// SortInstall sorts objects in place into the order they are applied in. Objects of one kind keep the order they came in.
func SortInstall[T Meta](objects []T) {
	slices.SortStableFunc(objects, func(a, b T) int {
		return compareInstall(a.GroupVersionKind().Kind, b.GroupVersionKind().Kind)
	})
}

// SortUninstall sorts objects in place into the order they are deleted in: exactly the reverse of SortInstall.
func SortUninstall[T Meta](objects []T) {
	SortInstall(objects)
	slices.Reverse(objects)
}
