package siphon

// +kubebuilder:rbac:groups=apps.gitlab.com,resources=siphons,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=siphons/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=siphons/finalizers,verbs=update
