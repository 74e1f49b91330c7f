package operator_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// document is a role or a binding, of the cluster or of a namespace.
type document struct {
	rbacv1.ClusterRole `json:",inline"`
	RoleRef            rbacv1.RoleRef   `json:"roleRef"`
	Subjects           []rbacv1.Subject `json:"subjects"`
}

func documents(t *testing.T, file string) []document {
	t.Helper()
	text, err := os.ReadFile("../../config/rbac/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []document
	for part := range strings.SplitSeq(strings.TrimPrefix(string(text), "---\n"), "\n---\n") {
		var d document
		if err := yaml.UnmarshalStrict([]byte(part), &d); err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}

// granted is what a file of roles grants: for each resource, as namespace:group/resource=name with what applies, its
// verbs in order.
func granted(t *testing.T, file string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, d := range documents(t, file) {
		for _, rule := range d.Rules {
			names := rule.ResourceNames
			if len(names) == 0 {
				names = []string{""}
			}
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, name := range names {
						key := strings.TrimPrefix(group+"/"+resource, "/")
						if d.Namespace != "" {
							key = d.Namespace + ":" + key
						}
						if name != "" {
							key += "=" + name
						}
						verbs := append(strings.Fields(out[key]), rule.Verbs...)
						slices.Sort(verbs)
						out[key] = strings.Join(slices.Compact(verbs), " ")
					}
				}
			}
		}
	}
	return out
}

// rendered are the verbs on what charts render and the manager applies, watches and prunes.
const rendered = "create delete get list patch watch"

// TestTheManagersRoleIsNoWiderThanItsWork names every verb of the manager. A verb that is added here has to be argued in
// rbac.go: nothing is updated but the lease and the certificate authority, nothing is deleted by collection, and there
// is no verb on RBAC or definitions.
func TestTheManagersRoleIsNoWiderThanItsWork(t *testing.T) {
	want := map[string]string{
		"pods":                 "list",
		"events.k8s.io/events": "create patch",
		"admissionregistration.k8s.io/mutatingwebhookconfigurations=portcullis":   "get patch",
		"admissionregistration.k8s.io/validatingwebhookconfigurations=portcullis": "get patch",

		"portcullis-system:events":                                               "create patch",
		"portcullis-system:secrets":                                              "create",
		"portcullis-system:secrets=portcullis-webhook-ca":                        "get list update watch",
		"portcullis-system:coordination.k8s.io/leases":                           "create",
		"portcullis-system:coordination.k8s.io/leases=portcullis.portcullis.dev": "get update",
	}
	for group, resources := range map[string]string{
		"":                          "configmaps secrets services serviceaccounts persistentvolumeclaims",
		"apps":                      "deployments statefulsets daemonsets",
		"batch":                     "jobs cronjobs",
		"autoscaling":               "horizontalpodautoscalers",
		"networking.k8s.io":         "ingresses networkpolicies",
		"gateway.networking.k8s.io": "gatewayclasses gateways httproutes grpcroutes tcproutes tlsroutes backendtlspolicies referencegrants",
		"gateway.envoyproxy.io":     "envoyproxies clienttrafficpolicies backendtrafficpolicies securitypolicies envoypatchpolicies envoyextensionpolicies",
		"monitoring.coreos.com":     "servicemonitors podmonitors prometheusrules",
		"cert-manager.io":           "issuers certificates",
	} {
		for resource := range strings.FieldsSeq(resources) {
			want[strings.TrimPrefix(group+"/"+resource, "/")] = rendered
		}
	}
	if diff := cmp.Diff(want, granted(t, "role.yaml")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTheRoleOfTheGitLabKinds also holds that deploying the operator takes nothing of it back: not one resource is in
// both roles.
func TestTheRoleOfTheGitLabKinds(t *testing.T) {
	want := map[string]string{
		"apps.gitlab.com/gitlabsecrets":        rendered,
		"apps.gitlab.com/gitlabsecrets/status": "patch",
		"policy/poddisruptionbudgets":          rendered,
	}
	for _, resource := range []string{"gitlabcores", "siphons", "orbits"} {
		want["apps.gitlab.com/"+resource] = "get list patch watch"
		want["apps.gitlab.com/"+resource+"/status"] = "patch"
		want["apps.gitlab.com/"+resource+"/finalizers"] = "update"
	}
	own, deployed := granted(t, "gitlab_role.yaml"), granted(t, "role.yaml")
	if diff := cmp.Diff(want, own); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for resource := range own {
		if _, both := deployed[resource]; both {
			t.Errorf("%s is in the role of the manager as well", resource)
		}
	}
}

func TestEveryRoleIsBoundToTheManager(t *testing.T) {
	bound := map[string]bool{}
	for _, file := range []string{"bindings.yaml", "gitlab_binding.yaml"} {
		for _, d := range documents(t, file) {
			for _, s := range d.Subjects {
				bound[strings.Join([]string{d.Namespace, d.RoleRef.Kind, d.RoleRef.Name, s.Kind, s.Namespace, s.Name}, "/")] = true
			}
		}
	}
	want := map[string]bool{}
	for _, file := range []string{"role.yaml", "gitlab_role.yaml"} {
		for _, d := range documents(t, file) {
			want[strings.Join([]string{d.Namespace, d.Kind, d.Name, "ServiceAccount", "portcullis-system", "portcullis-manager"}, "/")] = true
		}
	}
	if diff := cmp.Diff(want, bound); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
