package cli

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// The API groups whose kinds are ours. A resource of theirs is checked or refused, never passed over.
const (
	groupApps   = "apps.gitlab.com"
	groupHarbor = "harbor.harbor-operator.io"
)

func ours(group string) bool { return group == groupApps || group == groupHarbor }

func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found && !strings.Contains(group, ".") {
		return "" // the core group, written as v1
	}
	return group
}

// resource names the resource a result is about.
type resource struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// String returns Kind namespace/name, as every message of the product prints an object.
func (r resource) String() string { return r.Kind + " " + r.Namespace + "/" + r.Name }

// named returns the identity of a document as far as it has one.
func (d document) named() *resource {
	if d.content == nil {
		return nil
	}
	r := resource{}
	r.APIVersion, _ = d.content["apiVersion"].(string)
	r.Kind, _ = d.content["kind"].(string)
	metadata, _ := d.content["metadata"].(map[string]any)
	r.Namespace = namespaceOf(metadata)
	if r.Name, _ = metadata["name"].(string); r.Name == "" {
		r.Name = "(no name)"
		if base, _ := metadata["generateName"].(string); base != "" {
			r.Name = base + "*"
		}
	}
	if r.Kind == "" {
		r.Kind = "(no kind)"
	}
	return &r
}

// isOurs reports whether a document is to be checked: its group is one of ours, or it has a kind of ours and forgets
// the group.
func (d document) isOurs(c *checker) bool {
	version, _ := d.content["apiVersion"].(string)
	kind, _ := d.content["kind"].(string)
	return ours(groupOf(version)) || (version == "" && slices.ContainsFunc(c.kinds(), func(k schema.GroupVersionKind) bool { return k.Kind == kind }))
}

// object returns the document as the API server would get it: in the namespace kubectl would put it into.
func (d document) object() *unstructured.Unstructured {
	u := (&unstructured.Unstructured{Object: d.content}).DeepCopy()
	if u.GetNamespace() == "" {
		if metadata, ok := u.Object["metadata"].(map[string]any); ok && metadata["namespace"] == nil {
			metadata["namespace"] = defaultNamespace
		}
	}
	return u
}

// own returns the faults of a document of ours that are found before anything else is looked at: a kind this build
// does not know, and keys that stand twice.
func (d document) own(c *checker) (found []located, known bool) {
	gvk := (&unstructured.Unstructured{Object: d.content}).GroupVersionKind()
	for _, k := range d.duplicates() {
		found = append(found, located{k.at, rules.Fault{
			Code: rules.FieldDuplicate, Field: k.field,
			Message: fmt.Sprintf("is written twice, first on line %d; kubectl would silently take the last one, so keep one", k.first),
		}})
	}
	if slices.Contains(c.kinds(), gvk) {
		return found, true
	}
	field, text := "kind", unknown(gvk, c.kinds())
	if slices.ContainsFunc(c.kinds(), func(k schema.GroupVersionKind) bool { return k.Kind == gvk.Kind }) {
		field = "apiVersion"
	}
	return append(found, located{d.place(field), rules.Fault{Code: rules.KindUnknown, Field: field, Message: text}}), false
}

// unknown says that a kind of one of our groups cannot be checked, and what can be.
func unknown(gvk schema.GroupVersionKind, kinds []schema.GroupVersionKind) string {
	switch {
	case len(kinds) == 0 && gvk.Group == groupApps:
		return gvk.Kind + " cannot be checked: this build of portcullis was made without the GitLab kinds; use one made with the build tag bridge"
	case len(kinds) == 0:
		return gvk.Kind + " of " + gvk.GroupVersion().String() + " cannot be checked: this build of portcullis does not know it"
	case gvk.Kind == "":
		return "is missing, so nobody can tell what this is; this build knows " + listed(kinds)
	case gvk.Version == "":
		return "is missing; this build knows " + listed(kinds)
	}
	return gvk.Kind + " of " + gvk.GroupVersion().String() + " cannot be checked: this build of portcullis knows " + listed(kinds)
}

// listed names kinds by their groups: «GitLabCore and GitLabSecrets of apps.gitlab.com/v2alpha1».
func listed(kinds []schema.GroupVersionKind) string {
	var groups []string
	for i := 0; i < len(kinds); {
		version, names := kinds[i].GroupVersion(), []string{}
		for ; i < len(kinds) && kinds[i].GroupVersion() == version; i++ {
			names = append(names, kinds[i].Kind)
		}
		text := names[len(names)-1]
		if rest := names[:len(names)-1]; len(rest) > 0 {
			text = strings.Join(rest, ", ") + " and " + text
		}
		groups = append(groups, text+" of "+version.String())
	}
	return strings.Join(groups, ", ")
}
