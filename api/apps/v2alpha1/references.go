package v2alpha1

// SecretKeyRef names one key of a Secret in the namespace of the resource. The Operator passes the reference on to the
// chart; it does not read the Secret.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a Secret: lower-case letters, digits, dashes and dots"
// +kubebuilder:validation:XValidation:rule="self.key.matches('^[-._a-zA-Z0-9]+$')",fieldPath=".key",message="must be a key of a Secret: letters, digits, dashes, underscores and dots"
type SecretKeyRef struct {
	// Name of the Secret.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Key inside the Secret.
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// IssuerKind is the kind of a cert-manager issuer.
//
// +kubebuilder:validation:Enum=Issuer;ClusterIssuer
type IssuerKind string

const (
	// IssuerKindIssuer is an issuer of one namespace.
	IssuerKindIssuer IssuerKind = "Issuer"
	// IssuerKindClusterIssuer is an issuer of the whole cluster.
	IssuerKindClusterIssuer IssuerKind = "ClusterIssuer"
)

// IssuerRef names a cert-manager issuer that already exists.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of an issuer: lower-case letters, digits, dashes and dots"
type IssuerRef struct {
	// Name of the issuer.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Kind of the issuer: Issuer or ClusterIssuer. Absent means Issuer.
	// +optional
	Kind IssuerKind `json:"kind,omitempty"`
	// Group of the issuer. Only cert-manager.io is known. Absent means cert-manager.io.
	// +kubebuilder:validation:Enum=cert-manager.io
	// +optional
	Group string `json:"group,omitempty"`
}

// CertManager says which issuer signs the certificates of a provisioned Gateway.
type CertManager struct {
	// IssuerRef names the issuer. It becomes an annotation of the Gateway.
	IssuerRef IssuerRef `json:"issuerRef"`
}

// ValuesReferenceKind is the kind of an object that chart values are read from.
//
// +kubebuilder:validation:Enum=ConfigMap;Secret
type ValuesReferenceKind string

const (
	// ValuesReferenceConfigMap reads values from a ConfigMap.
	ValuesReferenceConfigMap ValuesReferenceKind = "ConfigMap"
	// ValuesReferenceSecret reads values from a Secret. Nothing that came from one is ever printed.
	ValuesReferenceSecret ValuesReferenceKind = "Secret"
)

// DefaultValuesKey is the key chart values are read from when a ValuesReference names none.
const DefaultValuesKey = "values.yaml"

// ValuesReference names a ConfigMap or a Secret of the resource's namespace whose key holds chart values as YAML. The
// object must carry the label operator.gitlab.com/config-source: "true", so that who may write the resource cannot
// read unrelated Secrets through it.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a ConfigMap or a Secret: lower-case letters, digits, dashes and dots"
// +kubebuilder:validation:XValidation:rule="!has(self.valuesKey) || self.valuesKey.matches('^[-._a-zA-Z0-9]+$')",fieldPath=".valuesKey",message="must be a key of a ConfigMap or a Secret: letters, digits, dashes, underscores and dots"
type ValuesReference struct {
	// Kind of the object: ConfigMap or Secret.
	Kind ValuesReferenceKind `json:"kind"`
	// Name of the object, in the namespace of the resource.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// ValuesKey is the key that holds the values. Absent means values.yaml.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	ValuesKey string `json:"valuesKey,omitempty"`
	// Optional says that a missing object or key counts as no values, instead of a fault.
	// +optional
	Optional bool `json:"optional,omitempty"`
}

// Key returns the key the values are read from: ValuesKey, or DefaultValuesKey when it is absent.
func (r ValuesReference) Key() string {
	if r.ValuesKey == "" {
		return DefaultValuesKey
	}
	return r.ValuesKey
}
