package operator_test

import (
	"os"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

func role(t *testing.T, file string) rbacv1.ClusterRole {
	t.Helper()
	text, err := os.ReadFile("../../config/rbac/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func verbs(r rbacv1.ClusterRole, group, resource string) []string {
	var out []string
	for _, rule := range r.Rules {
		if slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, resource) {
			out = append(out, rule.Verbs...)
		}
	}
	return out
}

func TestTheManagersRoleIsNoWiderThanItsWork(t *testing.T) {
	for _, file := range []string{"role.yaml", "gitlab_role.yaml"} {
		for _, rule := range role(t, file).Rules {
			if slices.Contains(rule.Verbs, "deletecollection") || slices.Contains(rule.Verbs, "*") || slices.Contains(rule.Resources, "*") || slices.Contains(rule.APIGroups, "*") {
				t.Errorf("%s: %v on %v of %v", file, rule.Verbs, rule.Resources, rule.APIGroups)
			}
			if slices.Contains(rule.APIGroups, rbacv1.GroupName) || slices.Contains(rule.APIGroups, "apiextensions.k8s.io") {
				t.Errorf("%s: the manager may not touch %v", file, rule.APIGroups)
			}
		}
	}
	got := verbs(role(t, "role.yaml"), "gateway.networking.k8s.io", "gatewayclasses")
	if !slices.Contains(got, "list") || !slices.Contains(got, "delete") {
		t.Errorf("the finalizer needs list and delete on gatewayclasses, the role has %v", got)
	}
}

func TestTheRoleOfTheGitLabKinds(t *testing.T) {
	own, deployed := role(t, "gitlab_role.yaml"), role(t, "role.yaml")
	for _, resource := range []string{
		"gitlabcores", "gitlabcores/status", "gitlabcores/finalizers", "gitlabsecrets", "gitlabsecrets/status",
		"siphons", "siphons/status", "siphons/finalizers", "orbits", "orbits/status", "orbits/finalizers",
	} {
		if len(verbs(own, "apps.gitlab.com", resource)) == 0 {
			t.Errorf("the role of the GitLab kinds grants nothing on %s", resource)
		}
		if got := verbs(deployed, "apps.gitlab.com", resource); len(got) > 0 {
			t.Errorf("deploying the operator would take back %v on %s", got, resource)
		}
	}
	if len(verbs(own, "policy", "poddisruptionbudgets")) == 0 || len(verbs(deployed, "policy", "poddisruptionbudgets")) > 0 {
		t.Error("PodDisruptionBudgets belong into the role of the GitLab kinds and nowhere else")
	}
	if own.Name == deployed.Name {
		t.Errorf("both roles are called %s", own.Name)
	}
}
