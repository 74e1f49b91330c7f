package v2alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// KindOrbit is the kind of an Orbit.
const KindOrbit = "Orbit"

// FinalizerOrbit lets the reconciler remove what the chart rendered.
const FinalizerOrbit = "orbit.apps.gitlab.com/finalizer"

// What an absent field of an Orbit means, beside what the chart chooses.
const (
	// DefaultCAKey is the key of the TLS Secret that holds the certificate GitLab trusts the endpoint by.
	DefaultCAKey = "ca.crt"
	// DefaultGraphPort is the port of ClickHouse's HTTP interface.
	DefaultGraphPort = 8123
)

// Orbit declares the knowledge graph of one GitLab instance. Its name begins the name of every object of the release,
// hence the bound of 44 characters.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=orb,categories=gitlab
// +kubebuilder:printcolumn:name="GITLAB",type=string,JSONPath=`.spec.gitlabRef.name`
// +kubebuilder:printcolumn:name="SIPHON",type=string,JSONPath=`.spec.siphonRef.name`
// +kubebuilder:printcolumn:name="STATUS",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="VERSION",type=string,JSONPath=`.status.version`
// +kubebuilder:validation:XValidation:rule="has(self.status) || self.metadata.name.size() <= 44 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",fieldPath=".metadata",message="must be at most 44 characters of lower-case letters, digits and dashes, start with a letter and end with a letter or a digit: the name of an indexer pool adds -orbit-indexer-sdlc to it and is cut at 63"
type Orbit struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the knowledge graph the person asks for.
	Spec OrbitSpec `json:"spec"`
	// Status is what the Operator did and found.
	// +optional
	Status OrbitStatus `json:"status,omitempty"`
}

// OrbitList is a list of Orbit resources.
//
// +kubebuilder:object:root=true
type OrbitList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Orbit `json:"items"`
}

// OrbitSpec is the desired state of a knowledge graph. It names the instance and the pipeline it builds on and the
// Secrets it needs, and makes none of them.
type OrbitSpec struct {
	// GitLabRef names the GitLabCore the graph is built of. Nothing renders before it is available.
	GitLabRef GitLabReference `json:"gitlabRef"`
	// SiphonRef names the Siphon that fills the datalake. It must name the same GitLabCore.
	SiphonRef SiphonReference `json:"siphonRef"`
	// Version chooses the chart version.
	Version StaticVersion `json:"version"`
	// Datalake holds the credentials of the database the Siphon fills. Its host and its name follow from the Siphon.
	Datalake OrbitDatalake `json:"datalake"`
	// Graph is the ClickHouse database the graph is kept in.
	Graph OrbitGraph `json:"graph"`
	// JWTSecretRef names the Secret key that holds the key GitLab and Orbit sign their requests with.
	JWTSecretRef SecretKeyRef `json:"jwtSecretRef"`
	// TLS serves gRPC over TLS. Without it the Operator reports no endpoint.
	// +optional
	TLS *OrbitTLS `json:"tls,omitempty"`
	// Chart holds free-form chart values.
	// +optional
	Chart *ChartValues `json:"chart,omitempty"`
}

// SiphonReference names a Siphon of the resource's namespace.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a Siphon: lower-case letters, digits, dashes and dots"
type SiphonReference struct {
	// Name of the Siphon.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// OrbitDatalake is the ClickHouse user that reads what the Siphon wrote.
type OrbitDatalake struct {
	// Username of the ClickHouse user.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Username string `json:"username"`
	// PasswordSecretRef names the Secret key that holds the password.
	PasswordSecretRef SecretKeyRef `json:"passwordSecretRef"`
}

// OrbitGraph is the connection to the graph database, which must exist.
//
// +kubebuilder:validation:XValidation:rule="!has(self.readUsername) || has(self.readPasswordSecretRef)",fieldPath=".readPasswordSecretRef",reason=FieldValueRequired,message="readUsername needs its password: set readPasswordSecretRef, or remove readUsername"
// +kubebuilder:validation:XValidation:rule="!has(self.readPasswordSecretRef) || has(self.readUsername)",fieldPath=".readUsername",reason=FieldValueRequired,message="readPasswordSecretRef needs its user: set readUsername, or remove readPasswordSecretRef"
type OrbitGraph struct {
	// Host of the server.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?[.])*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')",message="must be a lower-case DNS name, such as clickhouse.example.com, without scheme, port or path"
	Host string `json:"host"`
	// Port of ClickHouse's HTTP interface. Absent means 8123.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +kubebuilder:validation:XValidation:rule="self != 9000",message="must be the port of ClickHouse's HTTP interface, such as 8123: 9000 is its native protocol, which Orbit does not speak"
	// +optional
	Port int32 `json:"port,omitempty"`
	// SSL speaks https to the server.
	// +optional
	SSL bool `json:"ssl,omitempty"`
	// Database name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Database string `json:"database"`
	// Username of the ClickHouse user that writes the graph.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Username string `json:"username"`
	// PasswordSecretRef names the Secret key that holds the password.
	PasswordSecretRef SecretKeyRef `json:"passwordSecretRef"`
	// ReadUsername of the ClickHouse user that queries the graph. Absent means the one that writes it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	ReadUsername string `json:"readUsername,omitempty"`
	// ReadPasswordSecretRef names the Secret key that holds the password of ReadUsername.
	// +optional
	ReadPasswordSecretRef *SecretKeyRef `json:"readPasswordSecretRef,omitempty"`
}

// OrbitTLS names the certificate of the gRPC endpoint.
//
// +kubebuilder:validation:XValidation:rule="self.secretName.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".secretName",message="must be the name of a Secret: lower-case letters, digits, dashes and dots"
type OrbitTLS struct {
	// SecretName is the Secret that holds tls.crt and tls.key.
	// +kubebuilder:validation:MaxLength=253
	SecretName string `json:"secretName"`
}

// OrbitStatus is what the Operator did and found. Every field describes what was applied, not what was asked for.
type OrbitStatus struct {
	ReleaseStatus `json:",inline"`

	// GRPCEndpoint is the tls:// address GitLab connects to, such as tls://graph-orbit-webserver.team.svc:50054. It is
	// there while the webserver serves TLS.
	// +optional
	GRPCEndpoint string `json:"grpcEndpoint,omitempty"`
	// CASecretRef names the Secret key that holds the certificate the endpoint is trusted by. It is there exactly while
	// GRPCEndpoint is.
	// +optional
	CASecretRef *ReportedSecretKey `json:"caSecretRef,omitempty"`
}

// ReportedSecretKey is a key of a Secret as it is reported. Unlike a SecretKeyRef it has no rules: the name may come
// from free-form values, and a status must never be refused for it.
type ReportedSecretKey struct {
	// Name of the Secret.
	Name string `json:"name"`
	// Key inside the Secret.
	Key string `json:"key"`
}
