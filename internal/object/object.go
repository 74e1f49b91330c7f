// Package object knows what a Kubernetes object is to a release: its identity, its place in the install order, the
// labels that tie it to its release, and the kinds that are never applied or never pruned.
//
// Floor 0, pure. Scope (namespaced or not) is a fact of the cluster and is not decided here.
package object

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Labels stamped on every object and hook of a release (metadata only, never selectors or pod templates).
const (
	// LabelReleaseName carries the name of the resource that owns the release.
	LabelReleaseName = "operator.gitlab.com/release-name"
	// LabelReleaseNamespace carries the namespace of that resource.
	LabelReleaseNamespace = "operator.gitlab.com/release-namespace"
	// LabelReleaseKind carries its kind in lower case, so that two kinds of one name stay apart.
	LabelReleaseKind = "operator.gitlab.com/release-kind"
	// LabelConfigSource marks ConfigMaps and Secrets whose content may be read into values.
	LabelConfigSource = "operator.gitlab.com/config-source"
)

// Annotations with a meaning for apply and prune.
const (
	// AnnotationResourcePolicy is Helm's own marker; the value keep protects an object from prune and deletion.
	AnnotationResourcePolicy = "helm.sh/resource-policy"
	// AnnotationHookRun ties a hook object to the run that created it.
	AnnotationHookRun = "portcullis.dev/hook-run"
)

// Release names the resource a set of objects belongs to.
type Release struct {
	Name      string
	Namespace string
	// Kind is the kind of the resource in lower case, such as gitlabcore.
	Kind string
}

// Labels returns the three release labels.
func (r Release) Labels() map[string]string {
	return map[string]string{
		LabelReleaseName:      r.Name,
		LabelReleaseNamespace: r.Namespace,
		LabelReleaseKind:      r.Kind,
	}
}

// String returns "gitlabcore ns/name", as messages print a release.
func (r Release) String() string { return r.Kind + " " + r.Namespace + "/" + r.Name }

// Ref identifies one object in a cluster. Two Refs of different versions of one group are different values; use Same
// to compare what they point at.
type Ref struct {
	GVK       schema.GroupVersionKind
	Namespace string
	Name      string
}

// RefOf returns the identity of an object as its manifest states it.
func RefOf(u *unstructured.Unstructured) Ref {
	return Ref{GVK: u.GroupVersionKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
}

// Same reports whether both point at the same object, whatever API version they were written in.
func (r Ref) Same(o Ref) bool {
	return r.GVK.GroupKind() == o.GVK.GroupKind() && r.Namespace == o.Namespace && r.Name == o.Name
}

// String returns "Kind namespace/name", or "Kind name" without a namespace, as messages print an object.
func (r Ref) String() string {
	if r.Namespace == "" {
		return r.GVK.Kind + " " + r.Name
	}
	return r.GVK.Kind + " " + r.Namespace + "/" + r.Name
}

// KindKey returns "<apiVersion>/<Kind>", the form status.renderedKinds records a kind in: v1/ConfigMap, apps/v1/Deployment.
func KindKey(gvk schema.GroupVersionKind) string {
	return gvk.GroupVersion().String() + "/" + gvk.Kind
}

// ParseKind reads KindKey back. It reports false for a text that names no version or no kind.
func ParseKind(key string) (schema.GroupVersionKind, bool) {
	at := strings.LastIndex(key, "/")
	if at <= 0 || at == len(key)-1 {
		return schema.GroupVersionKind{}, false
	}
	gv, err := schema.ParseGroupVersion(key[:at])
	if err != nil || gv.Version == "" {
		return schema.GroupVersionKind{}, false
	}
	return gv.WithKind(key[at+1:]), true
}
