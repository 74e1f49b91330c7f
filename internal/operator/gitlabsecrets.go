//go:build bridge

package operator

import (
	"crypto/rand"
	"fmt"
	"runtime"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/portcullis-operator/portcullis/internal/controller/gitlabsecrets"
)

// registerGitLabSecrets adds the GitLabSecrets reconciler. It reads Secrets from the API server and never from a cache.
func (b *bridge) registerGitLabSecrets(mgr manager.Manager) error {
	live, err := client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return fmt.Errorf("build a client without a cache: %w", err)
	}
	names, err := b.secretNames(mgr)
	if err != nil {
		return err
	}
	r := &gitlabsecrets.Reconciler{
		Client: live, Cached: mgr.GetClient(), Names: names,
		Forge:  gitlabsecrets.NewForge(runtime.GOMAXPROCS(0), rand.Reader, b.options.Now),
		Events: mgr.GetEventRecorder("gitlabsecrets"),
		Random: rand.Reader, Now: b.options.Now,
	}
	if err := r.Setup(mgr, names, b.options.Concurrency); err != nil {
		return fmt.Errorf("add the GitLabSecrets reconciler: %w", err)
	}
	return nil
}

// secretNames is a cache that tells when a Secret came, changed or went, and holds nothing of it but its identity. The
// manager's own cache cannot tell: it sees only the Secrets whose label lets them be read into values.
func (b *bridge) secretNames(mgr manager.Manager) (cache.Cache, error) {
	names, err := cache.New(mgr.GetConfig(), cache.Options{
		Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(),
		DefaultNamespaces: namespaces(b.options.Namespaces),
		DefaultTransform:  identityOnly,
	})
	if err != nil {
		return nil, fmt.Errorf("build the cache of Secret names: %w", err)
	}
	if err := mgr.Add(names); err != nil {
		return nil, fmt.Errorf("add the cache of Secret names: %w", err)
	}
	return names, nil
}

// identityOnly drops what tells more of an object than which one it is, and in which version.
func identityOnly(o any) (any, error) {
	if m, ok := o.(*metav1.PartialObjectMetadata); ok {
		m.ObjectMeta = metav1.ObjectMeta{
			Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion, DeletionTimestamp: m.DeletionTimestamp,
		}
	}
	return o, nil
}
