package orbit

// +kubebuilder:rbac:groups=apps.gitlab.com,resources=orbits,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=orbits/status,verbs=patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=orbits/finalizers,verbs=update
