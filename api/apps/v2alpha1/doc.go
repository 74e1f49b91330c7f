// Package v2alpha1 is version v2alpha1 of the group apps.gitlab.com: the resources a GitLab instance is declared with.
//
// Floor 0, pure. What the definition itself can say about a field (bounds, enums, CEL rules) is a marker beside that
// field, so that the API server, the webhook and the offline CLI all read the one sentence. No field that maps to a
// chart value has a default here: a default would look like something the person wrote.
//
// +kubebuilder:object:generate=true
// +groupName=apps.gitlab.com
package v2alpha1
