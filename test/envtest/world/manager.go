package world

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Manager is a manager that sees one namespace.
type Manager struct {
	manager.Manager

	server *Server
	only   map[string]cache.Config
}

// Manager returns a manager over one namespace, without anything in it. It serves neither metrics nor health, and does not
// mind that another manager of this process has controllers of the same names.
func (s *Server) Manager(tb testing.TB, namespace string) *Manager {
	tb.Helper()
	skip, only := true, map[string]cache.Config{namespace: {}}
	mgr, err := ctrl.NewManager(s.Config, manager.Options{
		Scheme: s.Scheme, Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache: cache.Options{DefaultNamespaces: only}, Controller: config.Controller{SkipNameValidation: &skip},
	})
	must(tb, err)
	return &Manager{Manager: mgr, server: s, only: only}
}

// Cache adds a cache beside the manager's own, over the same namespace. It holds what the selector lets in, or everything.
func (m *Manager) Cache(tb testing.TB, selector labels.Selector) cache.Cache {
	tb.Helper()
	c, err := cache.New(m.server.Config, cache.Options{Scheme: m.server.Scheme, DefaultNamespaces: m.only, DefaultLabelSelector: selector})
	must(tb, err)
	must(tb, m.Add(c))
	return c
}

// Run starts the manager. It ends with the test or the context, and the test fails where it does not end well.
func (m *Manager) Run(ctx context.Context, tb testing.TB) {
	tb.Helper()
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- m.Start(running) }()
	tb.Cleanup(func() {
		tb.Helper()
		stop()
		if err := <-ended; err != nil {
			tb.Errorf("the manager ended with: %v", err)
		}
	})
}
