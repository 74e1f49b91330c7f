package v2alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KindGitLabCore is the kind of a GitLabCore.
const KindGitLabCore = "GitLabCore"

// FinalizerGitLabCore lets the reconciler prune what no owner reference can: cluster-scoped objects of the release.
const FinalizerGitLabCore = "gitlabcore.apps.gitlab.com/finalizer"

// The rules about the names of our kinds hold until an object has a status. A rule of the object as a whole also runs when
// a finalizer or the status is written, and a name never changes: an object with a name of yesterday could neither be
// reconciled nor deleted any more. (An optional oldSelf says the same, but a cluster below Kubernetes 1.30 drops it and
// then refuses the definition.)

// GitLabCore declares one GitLab instance. Its name is the release name of the chart, hence the bound of 53 characters.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=glc,categories=gitlab
// +kubebuilder:printcolumn:name="STATUS",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="VERSION",type=string,JSONPath=`.status.version`
// +kubebuilder:printcolumn:name="GITLAB",type=string,JSONPath=`.status.gitlabVersion`
// +kubebuilder:validation:XValidation:rule="has(self.status) || self.metadata.name.size() <= 53 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",fieldPath=".metadata",message="must be at most 53 characters of lower-case letters, digits and dashes, start with a letter and end with a letter or a digit: it becomes the release name and the prefix of every object"
type GitLabCore struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the instance the person asks for.
	Spec GitLabCoreSpec `json:"spec"`
	// Status is what the Operator did and found.
	// +optional
	Status GitLabCoreStatus `json:"status,omitempty"`
}

// GitLabCoreList is a list of GitLabCore resources.
//
// +kubebuilder:object:root=true
type GitLabCoreList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GitLabCore `json:"items"`
}

// Edition selects the image repository every component pulls from.
//
// +kubebuilder:validation:Enum=ce;ee
type Edition string

const (
	// EditionEE runs the Free feature set until a license activates more.
	EditionEE Edition = "ee"
	// EditionCE carries no proprietary code.
	EditionCE Edition = "ce"
)

// GitLabCoreSpec is the desired state of a GitLab instance.
type GitLabCoreSpec struct {
	// Version chooses the chart version.
	Version VersionSpec `json:"version"`
	// Hostname is the address GitLab is served at. The sibling hosts (registry, kas) live beside it in its domain.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?[.])+[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')",message="must be a lower-case DNS name of at least two labels, such as gitlab.example.com, without scheme, port or path"
	// +optional
	Hostname string `json:"hostname,omitempty"`
	// Edition is ce or ee. Absent means ee.
	// +optional
	Edition Edition `json:"edition,omitempty"`
	// License activates paid features of the ee edition.
	// +optional
	License *License `json:"license,omitempty"`
	// PostgreSQL is the database server of GitLab. Port, database and user keep the chart's defaults.
	// +optional
	PostgreSQL *Connection `json:"postgresql,omitempty"`
	// Redis is the Redis or Valkey server of GitLab.
	// +optional
	Redis *Connection `json:"redis,omitempty"`
	// ObjectStorage turns the consolidated object storage on.
	// +optional
	ObjectStorage *ObjectStorage `json:"objectStorage,omitempty"`
	// OpenBao backs the GitLab Secret Manager with an OpenBao instance.
	// +optional
	OpenBao *OpenBao `json:"openbao,omitempty"`
	// ClickHouse is the ClickHouse server GitLab keeps its analytics in.
	// +optional
	ClickHouse *ClickHouse `json:"clickhouse,omitempty"`
	// OrbitRef names the Orbit of this namespace that GitLab talks to. Without a reported endpoint nothing is
	// configured; the instance never waits for it.
	// +optional
	OrbitRef *OrbitReference `json:"orbitRef,omitempty"`
	// Networking selects at most one Gateway API mode.
	// +optional
	Networking *Networking `json:"networking,omitempty"`
	// Upgrade tunes how the Operator steps from one version to the next.
	// +optional
	Upgrade *Upgrade `json:"upgrade,omitempty"`
	// Chart holds free-form chart values. They win over every structured field, and the Operator's overrides over them.
	// +optional
	Chart *Chart `json:"chart,omitempty"`
}

// License names the key of a GitLab license.
type License struct {
	// SecretRef names the Secret key that holds the license.
	SecretRef SecretKeyRef `json:"secretRef"`
}

// Connection is a server and the Secret that holds its password.
type Connection struct {
	// Host of the server.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host"`
	// PasswordSecretRef names the Secret key that holds the password.
	PasswordSecretRef SecretKeyRef `json:"passwordSecretRef"`
}

// ObjectStorage names the connection of the consolidated object storage.
type ObjectStorage struct {
	// ConnectionSecretRef names the Secret key that holds endpoint, region and credentials in the chart's connection
	// format.
	ConnectionSecretRef SecretKeyRef `json:"connectionSecretRef"`
}

// OpenBao describes the OpenBao instance of the release.
type OpenBao struct {
	// PostgreSQL is the database of OpenBao. It inherits nothing from the database of GitLab.
	PostgreSQL OpenBaoPostgreSQL `json:"postgresql"`
	// ServiceAccount is the one the OpenBao pod runs as. An administrator creates it, with its Role.
	ServiceAccount ServiceAccount `json:"serviceAccount"`
}

// OpenBaoPostgreSQL is the connection of OpenBao to its own database. What is absent keeps the chart's default.
type OpenBaoPostgreSQL struct {
	// Host of the server.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Host string `json:"host"`
	// Port of the server.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +optional
	Port int32 `json:"port,omitempty"`
	// Database name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Database string `json:"database,omitempty"`
	// Username of the database role.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Username string `json:"username,omitempty"`
	// PasswordSecretRef names the Secret key that holds the password.
	PasswordSecretRef SecretKeyRef `json:"passwordSecretRef"`
}

// ServiceAccount names a ServiceAccount of the resource's namespace.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a ServiceAccount: lower-case letters, digits, dashes and dots"
type ServiceAccount struct {
	// Name of the ServiceAccount.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// ClickHouse is the connection of GitLab to ClickHouse.
type ClickHouse struct {
	// URL of the HTTP interface, such as http://clickhouse.example.com:8123. It holds no user and no password.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[^/?#]')",message="must be the http:// or https:// address of ClickHouse's HTTP interface, such as http://clickhouse.example.com:8123"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[^/]*//[^/?#]*@')",message="must hold no user and no password: they belong into username and passwordSecretRef"
	URL string `json:"url"`
	// Database name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Database string `json:"database"`
	// Username of the ClickHouse user.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Username string `json:"username"`
	// PasswordSecretRef names the Secret key that holds the password.
	PasswordSecretRef SecretKeyRef `json:"passwordSecretRef"`
}

// OrbitReference names an Orbit of the resource's namespace.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of an Orbit: lower-case letters, digits, dashes and dots"
type OrbitReference struct {
	// Name of the Orbit.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Upgrade tunes how the Operator steps from one version to the next.
type Upgrade struct {
	// SkipBatchedMigrationCheck lets a step advance without waiting for the batched background migrations of the
	// version before. GitLab requires them complete, so leave it off except on development or test instances.
	// +optional
	SkipBatchedMigrationCheck bool `json:"skipBatchedMigrationCheck,omitempty"`
}

// Chart holds free-form chart values.
type Chart struct {
	// ValuesFrom lists ConfigMaps and Secrets whose values are merged in order, a later entry over an earlier one, all
	// of them under Values.
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	// +optional
	ValuesFrom []ValuesReference `json:"valuesFrom,omitempty"`
	// Values are merged over the structured fields and over ValuesFrom, as Helm merges value files.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Values *apiextensionsv1.JSON `json:"values,omitempty"`
}

// GitLabCoreStatus is what the Operator did and found. Every field describes what was applied, not what was asked for.
type GitLabCoreStatus struct {
	ReleaseStatus `json:",inline"`
}
