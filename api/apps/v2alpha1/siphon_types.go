package v2alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// KindSiphon is the kind of a Siphon.
const KindSiphon = "Siphon"

// FinalizerSiphon lets the reconciler remove what the chart rendered, and say which replication slot is left.
const FinalizerSiphon = "siphon.apps.gitlab.com/finalizer"

const (
	// AnnotationTablesImage is the annotation of the ConfigMap of tables that names the image they come from.
	AnnotationTablesImage = "siphon.apps.gitlab.com/tables-image"
	// AnnotationTablesDigest is the annotation of the ConfigMap of tables that holds the digest of that image.
	AnnotationTablesDigest = "siphon.apps.gitlab.com/tables-digest"
)

// What an absent field of a Siphon means. None of these is a default of the definition: that would look like something
// a person wrote.
const (
	// DefaultSourcePort is the port of PostgreSQL.
	DefaultSourcePort = 5432
	// DefaultSourceDatabase is the database of GitLab.
	DefaultSourceDatabase = "gitlabhq_production"
	// DefaultSourceUser is the role Siphon reads PostgreSQL with.
	DefaultSourceUser = "siphon"
	// DefaultAdvisoryLockID is the advisory lock a producer holds.
	DefaultAdvisoryLockID = 1
	// DefaultSinkPort is the port of ClickHouse's native protocol.
	DefaultSinkPort = 9000
	// DefaultCACertKey is the key of the NATS Secret that holds the certificate of the authority.
	DefaultCACertKey = "ca.crt"
	// DefaultClientCertKey is the key of the NATS Secret that holds the client's certificate.
	DefaultClientCertKey = "tls.crt"
	// DefaultClientKeyKey is the key of the NATS Secret that holds the client's private key.
	DefaultClientKeyKey = "tls.key"
)

// Siphon declares the change-data pipeline of one GitLab instance: from PostgreSQL through NATS into ClickHouse. Its
// name begins the name of every object of the release, hence the bound of 31 characters.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sph,categories=gitlab
// +kubebuilder:printcolumn:name="GITLAB",type=string,JSONPath=`.spec.gitlabRef.name`
// +kubebuilder:printcolumn:name="STATUS",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="VERSION",type=string,JSONPath=`.status.version`
// +kubebuilder:printcolumn:name="TABLES",type=integer,priority=1,JSONPath=`.status.tableCount`
// +kubebuilder:validation:XValidation:rule="has(self.status) || self.metadata.name.size() <= 31 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",fieldPath=".metadata",message="must be at most 31 characters of lower-case letters, digits and dashes, start with a letter and end with a letter or a digit: the longest name of the release adds -siphon-reconciler-clickhouse-sa to it and may have 63"
type Siphon struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the pipeline the person asks for.
	Spec SiphonSpec `json:"spec"`
	// Status is what the Operator did and found.
	// +optional
	Status SiphonStatus `json:"status,omitempty"`
}

// SiphonList is a list of Siphon resources.
//
// +kubebuilder:object:root=true
type SiphonList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Siphon `json:"items"`
}

// SiphonSpec is the desired state of a pipeline.
type SiphonSpec struct {
	// GitLabRef names the GitLabCore whose database is replicated. Nothing renders before it is ready.
	GitLabRef GitLabReference `json:"gitlabRef"`
	// Version chooses the chart version.
	Version StaticVersion `json:"version"`
	// Source is the PostgreSQL server changes are read from.
	Source SiphonSource `json:"source"`
	// Queue is the NATS server changes pass through. It needs JetStream.
	Queue SiphonQueue `json:"queue"`
	// Sink is the ClickHouse server changes are written to.
	Sink SiphonSink `json:"sink"`
	// Tables says where the list of replicated tables comes from. Absent means Auto.
	// +optional
	Tables *SiphonTables `json:"tables,omitempty"`
	// Chart holds free-form chart values.
	// +optional
	Chart *ChartValues `json:"chart,omitempty"`
}

// SSLMode is how a connection to PostgreSQL is encrypted.
//
// +kubebuilder:validation:Enum=disable;allow;prefer;require;verify-ca;verify-full
type SSLMode string

// The SSL modes of PostgreSQL.
const (
	// SSLModeDisable encrypts nothing.
	SSLModeDisable SSLMode = "disable"
	// SSLModeAllow encrypts where the server insists.
	SSLModeAllow SSLMode = "allow"
	// SSLModePrefer encrypts where the server can.
	SSLModePrefer SSLMode = "prefer"
	// SSLModeRequire encrypts and checks no certificate. It is what an absent sslMode means.
	SSLModeRequire SSLMode = "require"
	// SSLModeVerifyCA encrypts and checks who signed the server's certificate.
	SSLModeVerifyCA SSLMode = "verify-ca"
	// SSLModeVerifyFull encrypts and checks who signed the server's certificate and whom it names.
	SSLModeVerifyFull SSLMode = "verify-full"
)

// SiphonSource is the database changes are read from.
//
// +kubebuilder:validation:XValidation:rule="(has(self.database) ? self.database : 'gitlabhq_production') == (has(oldSelf.database) ? oldSelf.database : 'gitlabhq_production')",fieldPath=".database",message="cannot change, and absent means gitlabhq_production: the replication slot belongs to one database. Delete this Siphon and create another one for the other database"
type SiphonSource struct {
	// Host of the server. It must be the primary: a replica has no replication slots of its own.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?[.])*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')",message="must be a lower-case DNS name, such as postgresql.example.com, without scheme, port or path"
	Host string `json:"host"`
	// Port of the server. Absent means 5432.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +optional
	Port int32 `json:"port,omitempty"`
	// Database that is replicated; it never changes. Absent means gitlabhq_production.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Database string `json:"database,omitempty"`
	// User is the database role, which needs REPLICATION. Absent means siphon.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	User string `json:"user,omitempty"`
	// PasswordSecretRef names the Secret key that holds the password.
	PasswordSecretRef SecretKeyRef `json:"passwordSecretRef"`
	// SSLMode is how the connection is encrypted. Absent means require.
	// +optional
	SSLMode SSLMode `json:"sslMode,omitempty"`
	// AdvisoryLockID is the advisory lock a producer holds. Absent means 1.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	AdvisoryLockID int32 `json:"advisoryLockID,omitempty"`
}

// SiphonQueue is the NATS server changes pass through.
type SiphonQueue struct {
	// URL of the server, such as nats://nats.example.com:4222. It holds no user and no password.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^nats://[^/?#]')",message="must be the nats:// address of the server, such as nats://nats.example.com:4222"
	// +kubebuilder:validation:XValidation:rule="!self.contains('@')",message="must hold no user and no password: they belong into auth.usernameSecretRef and auth.passwordSecretRef"
	URL string `json:"url"`
	// Auth holds the credentials of NATS. An Orbit cannot use a Siphon that sets them.
	// +optional
	Auth *QueueAuth `json:"auth,omitempty"`
	// TLS holds the certificates of the connection.
	// +optional
	TLS *QueueTLS `json:"tls,omitempty"`
}

// QueueAuth is a user of NATS and the password.
type QueueAuth struct {
	// UsernameSecretRef names the Secret key that holds the user.
	UsernameSecretRef SecretKeyRef `json:"usernameSecretRef"`
	// PasswordSecretRef names the Secret key that holds the password.
	PasswordSecretRef SecretKeyRef `json:"passwordSecretRef"`
}

// QueueTLS names the certificates of the connection to NATS.
//
// +kubebuilder:validation:XValidation:rule="self.secretName.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".secretName",message="must be the name of a Secret: lower-case letters, digits, dashes and dots"
// +kubebuilder:validation:XValidation:rule="!has(self.caCertKey) || self.caCertKey.matches('^[-._a-zA-Z0-9]+$')",fieldPath=".caCertKey",message="must be a key of a Secret: letters, digits, dashes, underscores and dots"
// +kubebuilder:validation:XValidation:rule="!has(self.clientCertKey) || self.clientCertKey.matches('^[-._a-zA-Z0-9]+$')",fieldPath=".clientCertKey",message="must be a key of a Secret: letters, digits, dashes, underscores and dots"
// +kubebuilder:validation:XValidation:rule="!has(self.clientKeyKey) || self.clientKeyKey.matches('^[-._a-zA-Z0-9]+$')",fieldPath=".clientKeyKey",message="must be a key of a Secret: letters, digits, dashes, underscores and dots"
type QueueTLS struct {
	// SecretName is the Secret that holds the certificates.
	// +kubebuilder:validation:MaxLength=253
	SecretName string `json:"secretName"`
	// CACertKey is the key of the authority's certificate. Absent means ca.crt.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	CACertKey string `json:"caCertKey,omitempty"`
	// ClientCertKey is the key of the client's certificate. Absent means tls.crt.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	ClientCertKey string `json:"clientCertKey,omitempty"`
	// ClientKeyKey is the key of the client's private key. Absent means tls.key.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	ClientKeyKey string `json:"clientKeyKey,omitempty"`
}

// SiphonSink is the ClickHouse server changes are written to.
type SiphonSink struct {
	// Host of the server.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?[.])*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')",message="must be a lower-case DNS name, such as clickhouse.example.com, without scheme, port or path"
	Host string `json:"host"`
	// Port of ClickHouse's native protocol. Absent means 9000.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +kubebuilder:validation:XValidation:rule="self != 8123",message="must be the port of ClickHouse's native protocol, such as 9000: 8123 is its HTTP interface, which Siphon does not speak"
	// +optional
	Port int32 `json:"port,omitempty"`
	// Database name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Database string `json:"database"`
	// Username of the ClickHouse user.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Username string `json:"username"`
	// PasswordSecretRef names the Secret key that holds the password.
	PasswordSecretRef SecretKeyRef `json:"passwordSecretRef"`
	// SSL encrypts the connection.
	// +optional
	SSL bool `json:"ssl,omitempty"`
}

// TablesSource says how the list of replicated tables reaches the pods.
//
// +kubebuilder:validation:Enum=Auto;ImageVolume;ConfigMap
type TablesSource string

const (
	// TablesSourceAuto lets the Operator choose; it chooses ConfigMap, since what a node's runtime can do is not
	// visible. It is what an absent source means.
	TablesSourceAuto TablesSource = "Auto"
	// TablesSourceImageVolume mounts the tables image into the pods. It needs Kubernetes 1.35 and a runtime that mounts
	// images.
	TablesSourceImageVolume TablesSource = "ImageVolume"
	// TablesSourceConfigMap lets the Operator read the tables image and publish its content in a ConfigMap.
	TablesSourceConfigMap TablesSource = "ConfigMap"
)

// SiphonTables says where the list of replicated tables comes from.
type SiphonTables struct {
	// Source is Auto, ImageVolume or ConfigMap. Absent means Auto.
	// +optional
	Source TablesSource `json:"source,omitempty"`
	// Image that holds the tables. Absent means the one of the GitLab version of the instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Image string `json:"image,omitempty"`
	// PullSecretRef names the Secret of type kubernetes.io/dockerconfigjson the image is pulled with.
	// +optional
	PullSecretRef *PullSecretReference `json:"pullSecretRef,omitempty"`
}

// PullSecretReference names a Secret with the credentials of a registry.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a Secret: lower-case letters, digits, dashes and dots"
type PullSecretReference struct {
	// Name of the Secret.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// SiphonStatus is what the Operator did and found. Every field describes what was applied, not what was asked for.
type SiphonStatus struct {
	ReleaseStatus `json:",inline"`

	// Publication is the name of the publication in PostgreSQL.
	// +optional
	Publication string `json:"publication,omitempty"`
	// ReplicationSlot is the name of the slot in PostgreSQL. Deleting the Siphon leaves it.
	// +optional
	ReplicationSlot string `json:"replicationSlot,omitempty"`
	// StreamName is the NATS stream changes are published to. An Orbit reads it.
	// +optional
	StreamName string `json:"streamName,omitempty"`
	// TablesSource is how the tables reach the pods, never Auto.
	// +optional
	TablesSource TablesSource `json:"tablesSource,omitempty"`
	// TablesImage is the image the tables come from.
	// +optional
	TablesImage string `json:"tablesImage,omitempty"`
	// TablesDigest is the digest of that image, where the Operator read it.
	// +optional
	TablesDigest string `json:"tablesDigest,omitempty"`
	// TablesCheckedAt is when the registry was last asked for the image.
	// +optional
	TablesCheckedAt *metav1.Time `json:"tablesCheckedAt,omitempty"`
	// TablesConfigMap is the ConfigMap the tables are published in.
	// +optional
	TablesConfigMap string `json:"tablesConfigMap,omitempty"`
	// TableCount is the number of replicated tables, where the Operator read them.
	// +optional
	TableCount int32 `json:"tableCount,omitempty"`
}
