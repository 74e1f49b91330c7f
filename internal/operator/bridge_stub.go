//go:build !bridge

package operator

import (
	"context"
	"crypto/tls"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// ErrNoBridge says that the GitLab kinds are asked for and not in this binary.
var ErrNoBridge = errors.New("ENABLE_BRIDGE=true asks for the GitLab kinds, which this binary was built without: build it with the tag bridge (task run_bridge), or set ENABLE_BRIDGE=false")

// bridge is what an untagged binary knows of the GitLab kinds: nothing.
type bridge struct{}

func newBridge(_ *rest.Config, _ *runtime.Scheme, options Options) (*bridge, error) {
	if options.Bridge {
		return nil, ErrNoBridge
	}
	return &bridge{}, nil
}

func (*bridge) register(context.Context, manager.Manager) error { return nil }

func (*bridge) cached() map[client.Object]cache.ByObject { return nil }

func (*bridge) serveCertificate(*tls.Config) {}
