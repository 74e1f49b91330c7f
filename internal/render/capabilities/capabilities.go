package capabilities

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/discovery"

	"github.com/portcullis-operator/portcullis/internal/render"
)

// ErrEmpty is a cluster that claims to serve no API at all, or none of the core. No cluster does; the answer was cut short.
var ErrEmpty = errors.New("the API server lists no APIs")

// PartialError comes with capabilities that can be rendered with, but lack some groups: their API server, most often an
// aggregated one, did not answer. A release rendered with them may lack objects, so nothing may be pruned by it.
type PartialError struct {
	// Groups holds the group/versions that did not answer, sorted.
	Groups []string
	// Cause is the failure of each.
	Cause error
}

// Error names the groups.
func (e *PartialError) Error() string {
	return "the API server could not list the APIs of " + strings.Join(e.Groups, ", ")
}

// Unwrap returns the cause.
func (e *PartialError) Unwrap() error { return e.Cause }

// Read returns what the cluster serves now: what a discovery client has cached is dropped first. The entries are sorted, so
// the same cluster gives the same capabilities.
//
// A *PartialError comes together with capabilities that hold what is known. Any other error comes without.
func Read(ctx context.Context, client discovery.DiscoveryInterface) (render.Capabilities, error) {
	if cached, ok := client.(discovery.CachedDiscoveryInterface); ok {
		cached.Invalidate()
	}
	withContext := discovery.ToDiscoveryInterfaceWithContext(client)
	version, err := withContext.ServerVersionWithContext(ctx)
	if err != nil {
		return render.Capabilities{}, fmt.Errorf("reading the version of the API server: %w", err)
	}
	groups, resources, err := withContext.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return render.Capabilities{}, fmt.Errorf("reading the APIs of the API server: %w", err)
	}
	apis := map[string]struct{}{}
	for _, group := range groups {
		for _, v := range group.Versions {
			apis[v.GroupVersion] = struct{}{}
		}
	}
	core := false
	for _, list := range resources {
		for _, resource := range list.APIResources {
			apis[list.GroupVersion+"/"+resource.Kind] = struct{}{}
			core = core || list.GroupVersion == "v1"
		}
	}
	if !core {
		return render.Capabilities{}, ErrEmpty
	}
	caps := render.Capabilities{KubeVersion: version.GitVersion, APIVersions: slices.Sorted(maps.Keys(apis))}
	if !partial {
		return caps, nil
	}
	var names []string
	for gv := range failed {
		names = append(names, gv.String())
	}
	slices.Sort(names)
	return caps, &PartialError{Groups: names, Cause: err}
}
