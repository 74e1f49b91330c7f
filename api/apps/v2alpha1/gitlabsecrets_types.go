package v2alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// KindGitLabSecrets is the kind of a GitLabSecrets.
const KindGitLabSecrets = "GitLabSecrets"

// GitLabSecrets declares the Secrets a release needs and how a missing value of each is made. The GitLab chart renders
// one per release; a person may write one as well.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=gitlabsecrets,shortName=gls,categories=gitlab
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
type GitLabSecrets struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the release needs.
	Spec GitLabSecretsSpec `json:"spec"`
	// Status is what is there, and the record of what was there once.
	// +optional
	Status GitLabSecretsStatus `json:"status,omitempty"`
}

// GitLabSecretsList is a list of GitLabSecrets resources.
//
// +kubebuilder:object:root=true
type GitLabSecretsList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GitLabSecrets `json:"items"`
}

// GitLabSecretsSpec lists what has to be there.
//
// +kubebuilder:validation:XValidation:rule="!has(self.certificates) || !has(self.secrets) || self.certificates.all(c, self.secrets.all(s, s.name != c.tlsSecret))",fieldPath=".certificates",messageExpression="'tlsSecret ' + self.certificates[0].tlsSecret + ' is declared in spec.secrets as well: a Secret belongs to the certificates or to spec.secrets'",message="tlsSecret is declared in spec.secrets as well: a Secret belongs to the certificates or to spec.secrets"
// +kubebuilder:validation:XValidation:rule="!has(self.certificates) || !has(self.secrets) || self.certificates.all(c, self.secrets.all(s, s.name != c.caSecret))",fieldPath=".certificates",messageExpression="'caSecret ' + self.certificates[0].caSecret + ' is declared in spec.secrets as well: a Secret belongs to the certificates or to spec.secrets'",message="caSecret is declared in spec.secrets as well: a Secret belongs to the certificates or to spec.secrets"
// +kubebuilder:validation:XValidation:rule="!has(self.certificates) || !has(self.secrets) || self.certificates.all(c, self.secrets.all(s, s.name != c.chainSecret))",fieldPath=".certificates",messageExpression="'chainSecret ' + self.certificates[0].chainSecret + ' is declared in spec.secrets as well: a Secret belongs to the certificates or to spec.secrets'",message="chainSecret is declared in spec.secrets as well: a Secret belongs to the certificates or to spec.secrets"
type GitLabSecretsSpec struct {
	// Secrets are the declared Secrets. Entries that name one Secret merge.
	// +kubebuilder:validation:MaxItems=128
	// +listType=atomic
	// +optional
	Secrets []SecretEntry `json:"secrets,omitempty"`
	// Certificates is at most one set of a CA, a wildcard certificate and their chain.
	// +kubebuilder:validation:MaxItems=1
	// +listType=atomic
	// +optional
	Certificates []CertificateSet `json:"certificates,omitempty"`
}

// SecretEntry is one Secret and the generators of its keys.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a Secret: lower-case letters, digits, dashes and dots"
// +kubebuilder:validation:XValidation:rule="self.generators.size() <= 1 || !self.generators.exists(g, g.type == 'railsSecrets')",fieldPath=".generators",message="railsSecrets must be the only generator of its entry: give the others an entry of their own"
type SecretEntry struct {
	// Name of the Secret.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Type of the Secret when it is created; absent means Opaque. An existing Secret keeps its type.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Type string `json:"type,omitempty"`
	// Generators make the keys of the Secret.
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	Generators []Generator `json:"generators"`
}

// CertificateAlgorithm is the key type of a certificate set.
//
// +kubebuilder:validation:Enum=rsa;ecdsa
type CertificateAlgorithm string

// The key types of a certificate set.
const (
	// CertificateRSA makes RSA keys, even sizes from 2048 to 8192.
	CertificateRSA CertificateAlgorithm = "rsa"
	// CertificateECDSA makes ECDSA keys on P-256, P-384 or P-521.
	CertificateECDSA CertificateAlgorithm = "ecdsa"
)

// CertificateAuthority describes the CA of a certificate set and the keys of both its certificates.
//
// +kubebuilder:validation:XValidation:rule="self.algorithm != 'rsa' || (self.keySize >= 2048 && self.keySize <= 8192 && self.keySize % 2 == 0)",fieldPath=".keySize",message="must be an even number from 2048 to 8192 for algorithm rsa"
// +kubebuilder:validation:XValidation:rule="self.algorithm != 'ecdsa' || self.keySize in [256, 384, 521]",fieldPath=".keySize",message="must be 256, 384 or 521 for algorithm ecdsa"
type CertificateAuthority struct {
	// CommonName of the CA.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	CommonName string `json:"commonName"`
	// Organization of the CA.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Organization string `json:"organization,omitempty"`
	// OrganizationalUnit of the CA.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	OrganizationalUnit string `json:"organizationalUnit,omitempty"`
	// Algorithm of both keys.
	Algorithm CertificateAlgorithm `json:"algorithm"`
	// KeySize of both keys, in bits.
	KeySize int32 `json:"keySize"`
}

// CertificateSet is a CA, a certificate for a domain and everything below it, and the chain of both.
//
// +kubebuilder:validation:XValidation:rule="self.certDays <= self.caDays",fieldPath=".certDays",message="must be at most caDays: a certificate must not outlive its CA"
// +kubebuilder:validation:XValidation:rule="self.tlsSecret.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".tlsSecret",message="must be the name of a Secret: lower-case letters, digits, dashes and dots"
// +kubebuilder:validation:XValidation:rule="self.caSecret.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".caSecret",message="must be the name of a Secret: lower-case letters, digits, dashes and dots"
// +kubebuilder:validation:XValidation:rule="self.chainSecret.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".chainSecret",message="must be the name of a Secret: lower-case letters, digits, dashes and dots"
// +kubebuilder:validation:XValidation:rule="self.caKey.matches('^[.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$')",fieldPath=".caKey",message="must be a key of a Secret: letters, digits, dashes, underscores and dots, and not . or .. or something that starts with .."
// +kubebuilder:validation:XValidation:rule="self.chainKey.matches('^[.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$')",fieldPath=".chainKey",message="must be a key of a Secret: letters, digits, dashes, underscores and dots, and not . or .. or something that starts with .."
// +kubebuilder:validation:XValidation:rule="self.caSecret != self.tlsSecret",fieldPath=".caSecret",message="must differ from tlsSecret: each part of the set has a Secret of its own"
// +kubebuilder:validation:XValidation:rule="self.chainSecret != self.tlsSecret && self.chainSecret != self.caSecret",fieldPath=".chainSecret",message="must differ from tlsSecret and caSecret: each part of the set has a Secret of its own"
type CertificateSet struct {
	// Authority describes the CA and the keys.
	Authority CertificateAuthority `json:"authority"`
	// Domain the certificate is for, with one wildcard below it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Domain string `json:"domain"`
	// CADays is how long the CA is valid.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=106751
	CADays int32 `json:"caDays"`
	// CertDays is how long the certificate is valid; at most CADays.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=106751
	CertDays int32 `json:"certDays"`
	// TLSSecret gets the certificate and its key, under tls.crt and tls.key.
	// +kubebuilder:validation:MaxLength=253
	TLSSecret string `json:"tlsSecret"`
	// CASecret gets the certificate of the CA. Its key is not kept.
	// +kubebuilder:validation:MaxLength=253
	CASecret string `json:"caSecret"`
	// CAKey is the key of the CA's certificate.
	// +kubebuilder:validation:MaxLength=253
	CAKey string `json:"caKey"`
	// ChainSecret gets the CA's certificate and then the domain's.
	// +kubebuilder:validation:MaxLength=253
	ChainSecret string `json:"chainSecret"`
	// ChainKey is the key of the chain.
	// +kubebuilder:validation:MaxLength=253
	ChainKey string `json:"chainKey"`
}

// GitLabSecretsStatus is what the controller found, and what it must not forget.
type GitLabSecretsStatus struct {
	// ObservedGeneration is the generation this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions holds Ready and, while they apply, Reconciling and Stalled.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Secrets has one entry for each declared Secret.
	// +listType=map
	// +listMapKey=name
	// +optional
	Secrets []SecretStatus `json:"secrets,omitempty"`
}

// SecretStatus is the state of one declared Secret.
type SecretStatus struct {
	// Name of the Secret.
	Name string `json:"name"`
	// Ready says that every declared unit is there.
	Ready bool `json:"ready"`
	// ReadyUnits are the data-bearing units that were ready once. They are reported when they go missing, never made
	// again. The record survives every pass while the Secret is declared.
	// +listType=set
	// +optional
	ReadyUnits []string `json:"readyUnits,omitempty"`
	// Reported are the units the controller leaves to a person.
	// +listType=map
	// +listMapKey=unit
	// +optional
	Reported []ReportedUnit `json:"reported,omitempty"`
}

// ReportedUnit is a unit that is not there and is not made.
type ReportedUnit struct {
	// Unit names the key, the pair, the field or the set.
	Unit string `json:"unit"`
	// Reason is why it is not made.
	Reason string `json:"reason"`
	// Message says what was found and what helps. It names keys, never values.
	Message string `json:"message"`
}
