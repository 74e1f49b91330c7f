package v2alpha1

// VersionType says how the chart version of a resource is chosen.
//
// +kubebuilder:validation:Enum=Static;Patch;Latest;Previous;OldestSupported
type VersionType string

const (
	// VersionStatic is one named version.
	VersionStatic VersionType = "Static"
	// VersionPatch is the newest patch of one minor.
	VersionPatch VersionType = "Patch"
	// VersionLatest is the newest release of one major.
	VersionLatest VersionType = "Latest"
	// VersionPrevious is one minor behind the newest.
	VersionPrevious VersionType = "Previous"
	// VersionOldestSupported is the oldest minor GitLab still supports, two behind the newest.
	VersionOldestSupported VersionType = "OldestSupported"
)

// VersionSpec chooses the chart version. It is a union on Type: each type has exactly one companion field, and every
// other one is refused. The rules are silent about a type that does not exist: that is one mistake, not three.
//
// +kubebuilder:validation:XValidation:rule="self.type != 'Static' || has(self.version) || has(self.versionRef)",fieldPath=".version",reason=FieldValueRequired,message="type Static needs a version, or a versionRef to read it from a ConfigMap"
// +kubebuilder:validation:XValidation:rule="!has(self.version) || !has(self.versionRef)",fieldPath=".versionRef",message="version and versionRef exclude each other: keep one of them"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['Patch', 'Latest', 'Previous', 'OldestSupported']) || !has(self.version)",fieldPath=".version",messageExpression="'version belongs to type Static: remove it, or change type ' + self.type + ' to Static'",message="version belongs to type Static"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['Patch', 'Latest', 'Previous', 'OldestSupported']) || !has(self.versionRef)",fieldPath=".versionRef",messageExpression="'versionRef belongs to type Static: remove it, or change type ' + self.type + ' to Static'",message="versionRef belongs to type Static"
// +kubebuilder:validation:XValidation:rule="self.type != 'Patch' || has(self.minor)",fieldPath=".minor",reason=FieldValueRequired,message="type Patch needs the minor it follows, such as \"10.4\""
// +kubebuilder:validation:XValidation:rule="!(self.type in ['Static', 'Latest', 'Previous', 'OldestSupported']) || !has(self.minor)",fieldPath=".minor",messageExpression="'minor belongs to type Patch: remove it, or change type ' + self.type + ' to Patch'",message="minor belongs to type Patch"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['Latest', 'Previous', 'OldestSupported']) || has(self.major)",fieldPath=".major",reason=FieldValueRequired,messageExpression="'type ' + self.type + ' needs the major it follows, such as 10'",message="this type needs the major it follows, such as 10"
// +kubebuilder:validation:XValidation:rule="!(self.type in ['Static', 'Patch']) || !has(self.major)",fieldPath=".major",messageExpression="'major belongs to the types Latest, Previous and OldestSupported: remove it, or change type ' + self.type",message="major belongs to the types Latest, Previous and OldestSupported"
type VersionSpec struct {
	// Type says how the version is chosen: Static, Patch, Latest, Previous or OldestSupported.
	Type VersionType `json:"type"`
	// Version is the chart version of type Static, such as 10.4.1. A pre-release is allowed here and nowhere else.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Version string `json:"version,omitempty"`
	// VersionRef names the ConfigMap key that holds the chart version of type Static.
	// +optional
	VersionRef *VersionReference `json:"versionRef,omitempty"`
	// Minor is the minor that type Patch follows, in quotes: "10.4".
	// +kubebuilder:validation:MaxLength=21
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)$')",message="must be a major and a minor, such as \"10.4\""
	// +optional
	Minor string `json:"minor,omitempty"`
	// Major is the major that types Latest, Previous and OldestSupported follow: 10.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Major int32 `json:"major,omitempty"`
}

// VersionReferenceKind is the kind of an object a version is read from.
//
// +kubebuilder:validation:Enum=ConfigMap
type VersionReferenceKind string

// VersionReferenceConfigMap reads the version from a ConfigMap.
const VersionReferenceConfigMap VersionReferenceKind = "ConfigMap"

// VersionReference names a key of a ConfigMap in the namespace of the resource. Its value is trimmed and must be a
// semantic version; a change of it acts like a change of the spec.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a ConfigMap: lower-case letters, digits, dashes and dots"
// +kubebuilder:validation:XValidation:rule="self.key.matches('^[-._a-zA-Z0-9]+$')",fieldPath=".key",message="must be a key of a ConfigMap: letters, digits, dashes, underscores and dots"
type VersionReference struct {
	// Kind of the object. Only ConfigMap is known.
	Kind VersionReferenceKind `json:"kind"`
	// Name of the ConfigMap.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Key inside the ConfigMap.
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}
