package siphon

// +kubebuilder:rbac:groups=apps.gitlab.com,resources=siphons,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=siphons/status,verbs=patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=siphons/finalizers,verbs=update
