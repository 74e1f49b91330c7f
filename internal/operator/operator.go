// Package operator puts the manager together: one flat list of what runs in it.
//
// Floor 6, assembly. Settings arrive as one value, read and checked in cmd; nothing here reads the environment.
package operator

import (
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// Options are the settings of the manager.
type Options struct {
	// Bridge registers the GitLab kinds: the second of their two gates, after the build tag.
	Bridge bool
	// Charts is the folder of bundled charts.
	Charts fs.FS
	// TablesLayouts is a folder of OCI image layouts the tables of Siphons are read from; nil asks their registries.
	TablesLayouts fs.FS
	// ManagerServiceAccount is the ServiceAccount the shared-secrets Job of a release runs as.
	ManagerServiceAccount string
	// Namespaces limits what is watched; empty means all.
	Namespaces []string
	// Concurrency is how many resources of one kind are reconciled at once.
	Concurrency int
	// RenderCommand starts a render process: this binary with the argument it understands.
	RenderCommand []string
	// RenderWorkers is how many render processes run at once. All of them must fit into the memory limit of the manager,
	// so it is a setting and does not follow the processors of the node.
	RenderWorkers int
	// RenderMemory bounds a render process, in bytes.
	RenderMemory int64
	// HealthAddress and MetricsAddress are where health and metrics are served; "0" serves none.
	HealthAddress, MetricsAddress string
	// LeaderElection lets one of several replicas reconcile. All of them serve webhooks.
	LeaderElection bool
	// Namespace is the one the manager runs in: of its lease and its certificate authority.
	Namespace string
	// Webhooks are the settings of the webhook server.
	Webhooks WebhookOptions
	// Now is the clock of everything in the manager.
	Now func() time.Time
}

// WebhookOptions are the settings of the webhook server.
type WebhookOptions struct {
	// Host and Port are where it listens. Port 0 serves no webhooks.
	Host string
	Port int
	// CertDir holds tls.crt and tls.key, kept by somebody else, such as cert-manager. Empty means that the operator
	// keeps a certificate of its own and tells the API server about it.
	CertDir string
	// DNSNames are the names the API server calls by; used for the operator's own certificate.
	DNSNames []string
}

// leaseName is the lease the replicas elect their leader by.
const leaseName = "portcullis.portcullis.dev"

// Run builds the manager and runs it until the context ends.
func Run(ctx context.Context, config *rest.Config, options Options) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return fmt.Errorf("learn the built-in kinds: %w", err)
	}
	bridge, err := newBridge(config, scheme, options)
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, managerOptions(scheme, options, bridge))
	if err != nil {
		return fmt.Errorf("build the manager: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("add the health check: %w", err)
	}
	if err := bridge.register(ctx, mgr); err != nil {
		return err
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("run the manager: %w", err)
	}
	return nil
}

// shutdownPatience is what reconciles and requests under way get to end. With the pod's pause before it, it stays below
// the 30 seconds after which a pod is killed.
const shutdownPatience = 20 * time.Second

func managerOptions(scheme *runtime.Scheme, options Options, bridge *bridge) manager.Options {
	return manager.Options{
		Scheme:                        scheme,
		Metrics:                       server.Options{BindAddress: options.MetricsAddress},
		HealthProbeBindAddress:        options.HealthAddress,
		LeaderElection:                options.LeaderElection,
		LeaderElectionID:              leaseName,
		LeaderElectionNamespace:       options.Namespace,
		LeaderElectionReleaseOnCancel: true,
		GracefulShutdownTimeout:       new(shutdownPatience),
		Cache: cache.Options{
			DefaultNamespaces: namespaces(options.Namespaces),
			DefaultTransform:  cache.TransformStripManagedFields(),
			ByObject:          bridge.cached(),
		},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host:    options.Webhooks.Host,
			Port:    options.Webhooks.Port,
			CertDir: options.Webhooks.CertDir,
			TLSOpts: []func(*tls.Config){func(c *tls.Config) {
				c.MinVersion = tls.VersionTLS12
				bridge.serveCertificate(c)
			}},
		}),
	}
}

func namespaces(names []string) map[string]cache.Config {
	if len(names) == 0 {
		return nil
	}
	out := make(map[string]cache.Config, len(names))
	for _, n := range names {
		out[n] = cache.Config{}
	}
	return out
}
