package v2alpha1

// Networking selects at most one Gateway API mode. Without one the Gateway API is off and networking is left to the
// free-form values.
//
// +kubebuilder:validation:XValidation:rule="[has(self.envoyGatewayController), has(self.gatewayClass), has(self.gateway)].filter(set, set).size() <= 1",message="envoyGatewayController, gatewayClass and gateway exclude each other: keep one of them"
type Networking struct {
	// EnvoyGatewayController provisions a GatewayClass of its own for a running Envoy Gateway, and a Gateway on it.
	// Needs chart 10.4.0 or later.
	// +optional
	EnvoyGatewayController *EnvoyGatewayController `json:"envoyGatewayController,omitempty"`
	// GatewayClass provisions a Gateway on a GatewayClass that exists. Needs chart 10.4.0 or later.
	// +optional
	GatewayClass *GatewayClass `json:"gatewayClass,omitempty"`
	// Gateway binds the routes to a Gateway that exists.
	// +optional
	Gateway *Gateway `json:"gateway,omitempty"`
}

// EnvoyGatewayController describes the Envoy Gateway that serves the provisioned GatewayClass.
type EnvoyGatewayController struct {
	// ControllerName is the name the Envoy Gateway answers to. It cannot change while the mode is in use, because a
	// GatewayClass cannot change its controller.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot change once it is set: a GatewayClass keeps its controller"
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[-A-Za-z0-9/._~%!$&()*+,;=:]+$')",message="must be a domain and a path, such as gateway.envoyproxy.io/gatewayclass-controller"
	ControllerName string `json:"controllerName"`
	// CertManager names the issuer of the Gateway's certificates.
	// +optional
	CertManager *CertManager `json:"certManager,omitempty"`
}

// GatewayClass names a GatewayClass that exists.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a GatewayClass: lower-case letters, digits, dashes and dots"
type GatewayClass struct {
	// Name of the GatewayClass.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// ConfigureEnvoy adds the Envoy extension objects, for a class that an Envoy Gateway serves.
	// +optional
	ConfigureEnvoy bool `json:"configureEnvoy,omitempty"`
	// CertManager names the issuer of the Gateway's certificates.
	// +optional
	CertManager *CertManager `json:"certManager,omitempty"`
}

// Gateway names a Gateway that exists.
//
// +kubebuilder:validation:XValidation:rule="self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",fieldPath=".name",message="must be the name of a Gateway: lower-case letters, digits, dashes and dots"
// +kubebuilder:validation:XValidation:rule="!has(self.__namespace__) || self.__namespace__.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",fieldPath=".namespace",message="must be the name of a namespace: lower-case letters, digits and dashes"
type Gateway struct {
	// Name of the Gateway.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace of the Gateway. Absent means the namespace of the resource.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// ConfigureEnvoy adds the Envoy extension objects, for a Gateway that an Envoy Gateway serves.
	// +optional
	ConfigureEnvoy bool `json:"configureEnvoy,omitempty"`
}
