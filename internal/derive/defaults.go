package derive

import "github.com/portcullis-operator/portcullis/internal/values"

// operatorOwn is the field of a value that no structured field stands behind.
const operatorOwn = ""

// defaults sets what no field controls and a person may replace.
func defaults(b *values.Builder, s Settings) {
	// The operator makes the Secrets itself. Charts before 10.5 go on with their Job, whatever the provider says.
	b.Set(operatorOwn, "controller", "shared-secrets", "provider")
	// The operator manages no RBAC, so the Job runs as an account an administrator prepared.
	b.Set(operatorOwn, false, "shared-secrets", "rbac", "create")
	b.Set(operatorOwn, false, "shared-secrets", "serviceAccount", "create")
	b.Set(operatorOwn, s.ManagerServiceAccount, "shared-secrets", "serviceAccount", "name")
	// OpenShift's nonroot policy assigns both ids itself and refuses fixed ones.
	b.Set(operatorOwn, "", "shared-secrets", "securityContext", "runAsUser")
	b.Set(operatorOwn, "", "shared-secrets", "securityContext", "fsGroup")
	// The registry needs a storage of its own, which no field covers.
	b.Set(operatorOwn, false, "registry", "enabled")
}

// overrides sets what wins over everything a person writes: what the cluster has, or has not, whatever one instance
// asks for.
func overrides() values.Layer {
	b := values.NewBuilder(values.Override)
	b.Set(operatorOwn, false, "installCertmanager")
	b.Set(operatorOwn, false, "gitlab-runner", "install")
	b.Set(operatorOwn, false, "nginx-ingress", "enabled")
	b.Set(operatorOwn, false, "nginx-ingress-geo", "enabled")
	b.Set(operatorOwn, false, "haproxy", "install")
	b.Set(operatorOwn, false, "traefik", "install")
	b.Set(operatorOwn, false, "global", "gatewayApi", "installEnvoy")
	return b.Layer()
}
