package v2alpha1

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// GitLabReference names the GitLabCore an add-on belongs to, in the namespace of the add-on.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a GitLabCore: lower-case letters, digits, dashes and dots"
type GitLabReference struct {
	// Name of the GitLabCore.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// ChartValues holds the free-form chart values of an add-on. They win over every structured field and every value that
// is derived, and the Operator's overrides over them. Values of ConfigMaps and Secrets belong to GitLabCore alone.
type ChartValues struct {
	// Values are merged over the structured fields, as Helm merges value files.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Values *apiextensionsv1.JSON `json:"values,omitempty"`
}

// StaticVersionType says how the chart version of an add-on is chosen. Its chart comes with the Operator, so there is
// no repository to follow.
//
// +kubebuilder:validation:Enum=Static
type StaticVersionType string

// StaticVersionTypeStatic is one named version.
const StaticVersionTypeStatic StaticVersionType = "Static"

// StaticVersion chooses the chart version of an add-on: one named version, written here or in a ConfigMap. It has the
// shape of a VersionSpec. The rules are silent about a type that does not exist: that is one mistake, not two.
//
// +kubebuilder:validation:XValidation:rule="self.type != 'Static' || has(self.version) || has(self.versionRef)",fieldPath=".version",reason=FieldValueRequired,message="type Static needs a version, or a versionRef to read it from a ConfigMap"
// +kubebuilder:validation:XValidation:rule="!has(self.version) || !has(self.versionRef)",fieldPath=".versionRef",message="version and versionRef exclude each other: keep one of them"
type StaticVersion struct {
	// Type says how the version is chosen. Only Static is known.
	Type StaticVersionType `json:"type"`
	// Version is the chart version, such as 4.1.0.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Version string `json:"version,omitempty"`
	// VersionRef names the ConfigMap key that holds the chart version.
	// +optional
	VersionRef *VersionReference `json:"versionRef,omitempty"`
}

// Spec returns the same choice as a VersionSpec, for what resolves the versions of every kind.
func (v StaticVersion) Spec() VersionSpec {
	return VersionSpec{Type: VersionType(v.Type), Version: v.Version, VersionRef: v.VersionRef}
}
