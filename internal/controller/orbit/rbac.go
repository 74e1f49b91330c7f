package orbit

// +kubebuilder:rbac:groups=apps.gitlab.com,resources=orbits,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=orbits/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=orbits/finalizers,verbs=update
