package v2alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group of the GitLab kinds.
const GroupName = "apps.gitlab.com"

// GroupVersion is the group and version every kind of this package is served under.
var GroupVersion = schema.GroupVersion{Group: GroupName, Version: "v2alpha1"}

// AddToScheme teaches a scheme the kinds of this package. It may be called more than once.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&GitLabCore{}, &GitLabCoreList{},
		&GitLabSecrets{}, &GitLabSecretsList{},
		&Siphon{}, &SiphonList{},
		&Orbit{}, &OrbitList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
