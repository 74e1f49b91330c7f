package operator

// What the manager may do, as `task generate` writes it to config/rbac/role.yaml: a ClusterRole, and a Role for what is
// its own in its own namespace. It has no verb on RBAC: the Operator applies none, and an administrator grants what a
// chart asks for. The GitLab kinds themselves, and PodDisruptionBudgets, are granted by a role of their own that
// `task install_v2alpha1_crds` installs beside the definitions.
//
// What a chart renders is read, listed for the prune, watched for drift, created and patched (a server-side apply needs
// both) and deleted. Nothing is updated: no write replaces an object it has read. Nor is there deletecollection: objects
// are deleted one by one, each named by its UID. Of pods the manager reads which one holds up a workload or a Job.
//
// +kubebuilder:rbac:groups="",resources=configmaps;secrets;services;serviceaccounts;persistentvolumeclaims,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=apps,resources=deployments;statefulsets;daemonsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=batch,resources=jobs;cronjobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=autoscaling,resources=horizontalpodautoscalers,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=ingresses;networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=gateway.networking.k8s.io,resources=gatewayclasses;gateways;httproutes;grpcroutes;tcproutes;tlsroutes;backendtlspolicies;referencegrants,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=gateway.envoyproxy.io,resources=envoyproxies;clienttrafficpolicies;backendtrafficpolicies;securitypolicies;envoypatchpolicies;envoyextensionpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=monitoring.coreos.com,resources=servicemonitors;podmonitors;prometheusrules,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=cert-manager.io,resources=issuers;certificates,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;validatingwebhookconfigurations,resourceNames=portcullis,verbs=get;patch
//
// In the manager's own namespace: the lease of the election, renewed by update, and its events, which are of the old
// kind; and the Secret of the certificate authority, which is replaced by update when the authority is renewed. The verb
// create cannot be bound to a name.
//
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=portcullis-system,resources=leases,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=portcullis-system,resources=leases,resourceNames=portcullis.portcullis.dev,verbs=get;update
// +kubebuilder:rbac:groups="",namespace=portcullis-system,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",namespace=portcullis-system,resources=secrets,verbs=create
// +kubebuilder:rbac:groups="",namespace=portcullis-system,resources=secrets,resourceNames=portcullis-webhook-ca,verbs=get;list;watch;update
