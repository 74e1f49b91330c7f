package render

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPlainClusterServesTheStableAPIsOfKubernetes(t *testing.T) {
	caps := BuiltIn("v1.37.2")
	for _, api := range []string{
		"v1", "v1/ConfigMap", "v1/Secret", "apps/v1", "apps/v1/Deployment", "apps/v1/StatefulSet", "batch/v1/CronJob", "policy/v1/PodDisruptionBudget",
		"autoscaling/v2/HorizontalPodAutoscaler", "networking.k8s.io/v1/Ingress", "rbac.authorization.k8s.io/v1/Role",
		"apiextensions.k8s.io/v1/CustomResourceDefinition", "authorization.k8s.io/v1/SubjectAccessReview",
	} {
		if !slices.Contains(caps.APIVersions, api) {
			t.Errorf("%s is missing", api)
		}
	}
	for _, api := range []string{
		"policy/v1beta1", "extensions/v1beta1", "autoscaling/v2beta2", "__internal", "v1/ListOptions", "v1/PodList", "v1/RangeAllocation",
		"apps/v1/Scale", "apps/v1/WatchEvent", "monitoring.coreos.com/v1",
	} {
		if slices.Contains(caps.APIVersions, api) {
			t.Errorf("%s is not an API of a plain cluster", api)
		}
	}
	if diff := cmp.Diff(caps, BuiltIn("v1.37.2")); diff != "" {
		t.Errorf("a second call differs:\n%s", diff)
	}
}

func TestTheDigestOfCapabilities(t *testing.T) {
	base := Capabilities{KubeVersion: "v1.37.2", APIVersions: []string{"v1", "apps/v1"}}
	same := Capabilities{KubeVersion: "v1.37.2", APIVersions: []string{"apps/v1", "v1", "v1"}}
	if base.Digest() != same.Digest() {
		t.Error("the order of the APIs changes the digest")
	}
	for sentence, other := range map[string]Capabilities{
		"another version":  {KubeVersion: "v1.37.3", APIVersions: base.APIVersions},
		"an API more":      {KubeVersion: "v1.37.2", APIVersions: []string{"v1", "apps/v1", "batch/v1"}},
		"another API":      {KubeVersion: "v1.37.2", APIVersions: []string{"v1", "batch/v1"}},
		"no APIs whatever": {KubeVersion: "v1.37.2"},
	} {
		if base.Digest() == other.Digest() {
			t.Errorf("%s does not change the digest", sentence)
		}
	}
}
