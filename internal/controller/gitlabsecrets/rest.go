package gitlabsecrets

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/outcome"
)

// rest remembers in which versions a pass left a resource and its Secrets when there was nothing more to do. While
// they are in these versions a pass has nothing to ask: a decision depends on nothing else. It holds versions, never
// content, and is empty after a start.
type rest struct {
	mu       sync.Mutex
	versions map[types.NamespacedName]string
}

func (m *rest) put(key types.NamespacedName, version string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.versions == nil {
		m.versions = map[types.NamespacedName]string{}
	}
	m.versions[key] = version
}

func (m *rest) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.versions, key)
}

func (m *rest) is(key types.NamespacedName, version string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.versions[key]
	return ok && known == version
}

// atRest reports whether nothing changed since the last pass, by the versions of the cache of names. That cache may lag;
// what it has not seen yet wakes the resource when it does.
func (r *Reconciler) atRest(ctx context.Context, resource *v2alpha1.GitLabSecrets) bool {
	if r.Names == nil {
		return false
	}
	others := &v2alpha1.GitLabSecretsList{}
	if r.Cached.List(ctx, others, client.InNamespace(resource.Namespace)) != nil {
		return false
	}
	seen := map[string]string{}
	for _, name := range declares(resource.Spec) {
		secret := &metav1.PartialObjectMetadata{}
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := r.Names.Get(ctx, types.NamespacedName{Namespace: resource.Namespace, Name: name}, secret)
		if client.IgnoreNotFound(err) != nil {
			return false
		}
		if err == nil {
			seen[name] = secret.ResourceVersion
		}
	}
	return r.rested.is(client.ObjectKeyFromObject(resource), versionOf(resource, seen, sharedWith(resource, others.Items)))
}

// remember notes how a pass left things, unless it left something to do.
func (r *Reconciler) remember(p *pass, after *v2alpha1.GitLabSecrets, o outcome.Outcome) {
	key := client.ObjectKeyFromObject(after)
	if !finished(o) {
		r.rested.forget(key)
		return
	}
	left := map[string]string{}
	for name, secret := range p.live {
		left[name] = secret.ResourceVersion
	}
	r.rested.put(key, versionOf(after, left, p.shared))
}

// finished reports whether an outcome holds for as long as nothing changes.
func finished(o outcome.Outcome) bool {
	refuse, refused := o.(outcome.Refuse)
	return !stop(o) || (refused && refuse.Reason == v2alpha1.ReasonUnitsReported)
}

// versionOf is the same text for the same state.
func versionOf(resource *v2alpha1.GitLabSecrets, secrets, shared map[string]string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s", resource.UID, resource.ResourceVersion)
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		fmt.Fprintf(&text, " %s=%s", name, secrets[name])
	}
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		fmt.Fprintf(&text, " %s<%s", name, shared[name])
	}
	return text.String()
}
