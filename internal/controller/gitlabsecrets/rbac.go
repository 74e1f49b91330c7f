package gitlabsecrets

// What the manager needs for GitLabSecrets. It applies and prunes those that charts render; this reconciler itself only
// reads them and writes their status. For Secrets it has the manager's own role, of which it uses get, list, watch, create
// and patch: no Secret is ever deleted.
//
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=gitlabsecrets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=apps.gitlab.com,resources=gitlabsecrets/status,verbs=patch
