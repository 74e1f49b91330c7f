package gitlabcore

// What the manager needs for the GitLab kinds beyond its own role, as the seeds name it. `task install_v2alpha1_crds`
// installs it as a role of its own, so that deploying the operator anew does not take it away.
//
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=gitlabcores,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=gitlabcores/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=gitlabcores/finalizers,verbs=update
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;update;patch;delete
