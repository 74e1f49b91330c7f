package render

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// labelTargetVersion is where a GitLab chart from 10.3 on says which version of GitLab it deploys. It is computed by
// the chart and so follows an override of global.gitlabVersion.
const labelTargetVersion = "gitlab.com/target-version"

// labelMigrationsCheck marks a Job that waits for batched background migrations. It shares app: migrations with the
// Job that migrates the schema.
const labelMigrationsCheck = "batched-background-migrations-check"

// appVersion returns the version of the application: the label of the migrations Job, or what the chart declares.
func appVersion(r Release, declared string) string {
	version := declared
	for _, u := range r.all() {
		labels := u.GetLabels()
		target := labels[labelTargetVersion]
		if u.GetKind() == "Job" && labels["app"] == "migrations" && labels[labelMigrationsCheck] != "true" && target != "" {
			version = target
			break
		}
	}
	return strings.TrimPrefix(version, "v")
}

// all returns the objects and then the objects of the hooks.
func (r Release) all() []*unstructured.Unstructured {
	out := slices.Clone(r.Objects)
	for _, hook := range r.Hooks {
		out = append(out, hook.Object)
	}
	return out
}

// DuplicateObjects returns, in install order and each once, the objects that the chart renders more than once. Applied
// one after the other they would overwrite each other on every pass. Hooks do not count: a chart may render one object
// once per event.
func (r Release) DuplicateObjects() []object.Ref {
	type identity struct{ group, kind, namespace, name string }
	count := map[identity]int{}
	var out []object.Ref
	for _, u := range r.Objects {
		ref := object.RefOf(u)
		id := identity{ref.GVK.Group, ref.GVK.Kind, ref.Namespace, ref.Name}
		if owner, ok := object.ReleaseOf(u); ok && id.namespace == "" {
			// Where the object lands when it is namespaced; for one that is not it makes no difference.
			id.namespace = owner.Namespace
		}
		if count[id]++; count[id] == 2 {
			out = append(out, ref)
		}
	}
	return out
}

// DeepCopy returns a release that shares nothing with r.
func (r Release) DeepCopy() Release {
	out := r
	out.Objects = copyObjects(r.Objects)
	out.Definitions = copyObjects(r.Definitions)
	out.Warnings = slices.Clone(r.Warnings)
	out.Lookups = slices.Clone(r.Lookups)
	out.Hooks = slices.Clone(r.Hooks)
	for i, hook := range r.Hooks {
		out.Hooks[i].Object = hook.Object.DeepCopy()
		out.Hooks[i].Events = slices.Clone(hook.Events)
		out.Hooks[i].DeletePolicies = slices.Clone(hook.DeletePolicies)
	}
	return out
}

func copyObjects(in []*unstructured.Unstructured) []*unstructured.Unstructured {
	out := slices.Clone(in)
	for i, u := range in {
		out[i] = u.DeepCopy()
	}
	return out
}
