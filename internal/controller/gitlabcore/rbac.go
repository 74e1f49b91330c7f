package gitlabcore

// What the manager needs for the GitLab kinds beyond its own role, as the seeds name it. `task install_v2alpha1_crds`
// installs it as a role of its own, so that deploying the operator anew does not take it away. The resource itself is
// patched for its finalizer, and its status by patches. The verb on the subresource finalizers is for clusters that ask
// for it of everybody who names the resource as an owner that waits for its objects (OwnerReferencesPermissionEnforcement).
//
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=gitlabcores,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=gitlabcores/status,verbs=patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=gitlabcores/finalizers,verbs=update
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch;delete
