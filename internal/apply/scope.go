package apply

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// scopes answers whether kinds are namespaced. It asks the cluster's mapping, never the object: charts write a namespace
// on cluster-scoped objects and leave it out of namespaced ones.
type scopes struct {
	mapper meta.RESTMapper
	// fresh is true once a mapper that remembers its discovery was told to forget it; once per pass is enough.
	fresh bool
}

func newScopes(mapper meta.RESTMapper) *scopes { return &scopes{mapper: mapper} }

// mappings returns how the cluster serves a kind, in every version it does, or an error for which notServed is true.
func (s *scopes) mappings(gk schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error) {
	found, err := s.mapper.RESTMappings(gk, versions...)
	if err != nil && notServed(err) && !s.fresh {
		s.fresh = true
		meta.MaybeResetRESTMapper(s.mapper)
		found, err = s.mapper.RESTMappings(gk, versions...)
	}
	if err == nil && len(found) == 0 {
		err = &meta.NoKindMatchError{GroupKind: gk, SearchedVersions: versions}
	}
	return found, err
}

// namespaced reports whether objects of the kind live in a namespace.
func (s *scopes) namespaced(gvk schema.GroupVersionKind) (bool, error) {
	found, err := s.mappings(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return false, err
	}
	return found[0].Scope.Name() == meta.RESTScopeNameNamespace, nil
}

// Kinds returns the kinds of the objects, sorted, as they have to be recorded before the first of them is applied: a
// crash in between then leaks nothing, since the next prune looks for them. Kinds that are never applied and kinds the
// cluster does not serve are left out. Where the cluster could not be asked a kind is in: a kind too many costs a list,
// a kind too few an object.
func (e *Engine) Kinds(objects []*unstructured.Unstructured) []string {
	scopes := newScopes(e.Client.RESTMapper())
	var kinds []string
	for _, u := range objects {
		gvk := u.GroupVersionKind()
		key := object.KindKey(gvk)
		if _, never := object.NeverApplied(u); never || slices.Contains(kinds, key) {
			continue
		}
		if _, err := scopes.namespaced(gvk); err != nil && notServed(err) {
			continue
		}
		kinds = append(kinds, key)
	}
	slices.Sort(kinds)
	return kinds
}

// equalTrees compares two trees as the API machinery does: an absent map and an empty one are the same.
func equalTrees(a, b map[string]any) bool { return equality.Semantic.DeepEqual(a, b) }
