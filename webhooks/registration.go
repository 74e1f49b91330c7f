package webhooks

import (
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// ConfigurationName is the name of both webhook configurations.
const ConfigurationName = "portcullis"

// TimeoutSeconds is how long the API server waits for an answer.
const TimeoutSeconds = 10

// The paths the entries are served at, one pair per API group.
const (
	PathMutateApps   = "/mutate/apps.gitlab.com"
	PathValidateApps = "/validate/apps.gitlab.com"
)

// Target says where the API server finds the webhooks: a Service, or a URL where the manager runs outside the cluster.
type Target struct {
	// ServiceNamespace and ServiceName name a Service that serves port 443.
	ServiceNamespace, ServiceName string
	// URL is the base of the address, such as https://localhost:9443; it wins over the Service.
	URL string
	// CABundle is left out where it is empty: whoever injects it owns it.
	CABundle []byte
}

func (t Target) client(path string) admissionregistrationv1.WebhookClientConfig {
	c := admissionregistrationv1.WebhookClientConfig{CABundle: t.CABundle}
	if t.URL != "" {
		url := strings.TrimSuffix(t.URL, "/") + path
		c.URL = &url
		return c
	}
	c.Service = &admissionregistrationv1.ServiceReference{
		Namespace: t.ServiceNamespace, Name: t.ServiceName, Path: &path, Port: new(int32(443)),
	}
	return c
}

// kinds are the kinds of the group that are checked by a webhook. GitLabSecrets is none of them: all its rules are in
// its definition, and the Operator's own apply of it must not depend on a webhook.
func kinds() []string { return []string{"gitlabcores", "siphons", "orbits"} }

// rule matches the writes of a group that are checked: never a deletion, never a subresource.
func rule() admissionregistrationv1.RuleWithOperations {
	return admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Rule: admissionregistrationv1.Rule{
			APIGroups:   []string{v2alpha1.GroupName},
			APIVersions: []string{v2alpha1.GroupVersion.Version},
			Resources:   kinds(),
			Scope:       new(admissionregistrationv1.NamespacedScope),
		},
	}
}

// conditions keep the API server from even calling when an object is on its way out or its spec is as it was: finalizers,
// labels and annotations can always be edited, also while the Operator is away. The two guards on spec let an update
// that drops it through to the definition, which says so in plain words.
func conditions() []admissionregistrationv1.MatchCondition {
	return []admissionregistrationv1.MatchCondition{
		{Name: "not-being-deleted", Expression: "!has(object.metadata.deletionTimestamp)"},
		{Name: "spec-changed", Expression: "request.operation == 'CREATE' || !has(object.spec) || !has(oldObject.spec) || object.spec != oldObject.spec"},
	}
}

// Configurations returns both webhook configurations. They spell out every field the API server would default, so that
// a GitOps tool sees no difference between what is written and what is stored.
func Configurations(target Target) (*admissionregistrationv1.MutatingWebhookConfiguration, *admissionregistrationv1.ValidatingWebhookConfiguration) {
	meta := metav1.ObjectMeta{Name: ConfigurationName, Labels: map[string]string{"app.kubernetes.io/name": "portcullis"}}
	mutating := &admissionregistrationv1.MutatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "MutatingWebhookConfiguration"},
		ObjectMeta: meta,
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "mutate." + v2alpha1.GroupName, ClientConfig: target.client(PathMutateApps),
			Rules:                   []admissionregistrationv1.RuleWithOperations{rule()},
			FailurePolicy:           new(admissionregistrationv1.Fail),
			MatchPolicy:             new(admissionregistrationv1.Equivalent),
			NamespaceSelector:       &metav1.LabelSelector{},
			ObjectSelector:          &metav1.LabelSelector{},
			SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
			TimeoutSeconds:          new(int32(TimeoutSeconds)),
			AdmissionReviewVersions: []string{"v1"},
			ReinvocationPolicy:      new(admissionregistrationv1.NeverReinvocationPolicy),
			MatchConditions:         conditions(),
		}},
	}
	validating := &admissionregistrationv1.ValidatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"},
		ObjectMeta: meta,
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "validate." + v2alpha1.GroupName, ClientConfig: target.client(PathValidateApps),
			Rules:                   []admissionregistrationv1.RuleWithOperations{rule()},
			FailurePolicy:           new(admissionregistrationv1.Fail),
			MatchPolicy:             new(admissionregistrationv1.Equivalent),
			NamespaceSelector:       &metav1.LabelSelector{},
			ObjectSelector:          &metav1.LabelSelector{},
			SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
			TimeoutSeconds:          new(int32(TimeoutSeconds)),
			AdmissionReviewVersions: []string{"v1"},
			MatchConditions:         conditions(),
		}},
	}
	return mutating, validating
}
