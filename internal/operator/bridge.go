//go:build bridge

package operator

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/certs"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/facts"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render/capabilities"
	"github.com/portcullis-operator/portcullis/internal/render/sandbox"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/webhooks"
)

const (
	// servedTTL is how long an answer to «what does the cluster serve» is good for.
	servedTTL = 30 * time.Second
	// verdictTTL bridges the time between the two webhook entries of one request.
	verdictTTL   = 10 * time.Second
	verdictLimit = 1024
	// authoritySecret holds the webhooks' certificate authority.
	authoritySecret = "portcullis-webhook-ca"
)

// ErrDefinitionsMissing says that the cluster does not serve the GitLab kinds. A watch on a kind that is not served
// fails the manager later and in worse words, so the start fails at once.
var ErrDefinitionsMissing = errors.New("the cluster does not serve the definitions")

// bridge is everything the GitLab kinds need: shared by their reconcilers and webhooks.
type bridge struct {
	enabled  bool
	options  Options
	config   *rest.Config
	pool     *sandbox.Pool
	schemas  *schema.Checker
	charts   *chart.Catalogue
	problems []chart.Problem
	set      *definition.Set
	keeper   *certs.Keeper
	warm     atomic.Bool
}

func newBridge(config *rest.Config, scheme *apiruntime.Scheme, options Options) (*bridge, error) {
	b := &bridge{enabled: options.Bridge, options: options, config: config}
	if !b.enabled {
		return b, nil
	}
	if err := v2alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("learn the GitLab kinds: %w", err)
	}
	if err := served(config); err != nil {
		return nil, err
	}
	files, err := crd.Files()
	if err != nil {
		return nil, fmt.Errorf("read the definitions: %w", err)
	}
	set, err := definition.New(files...)
	if err != nil {
		return nil, fmt.Errorf("read the definitions: %w", err)
	}
	b.set, b.schemas = set, schema.NewChecker()
	b.charts, b.problems = chart.OpenCatalogue(options.Charts, chart.DefaultLimits())
	b.pool = sandbox.New(sandbox.Config{Command: options.RenderCommand, Workers: options.RenderWorkers, MemoryLimit: options.RenderMemory})
	return b, b.keepCertificate(scheme)
}

// keepCertificate sets up the operator's own certificate, unless somebody else keeps one.
func (b *bridge) keepCertificate(scheme *apiruntime.Scheme) error {
	if b.options.Webhooks.Port == 0 || b.options.Webhooks.CertDir != "" {
		return nil
	}
	live, err := client.New(b.config, client.Options{Scheme: scheme})
	if err != nil {
		return fmt.Errorf("build a client for the webhook certificate: %w", err)
	}
	b.keeper = certs.New(certs.Options{
		Config: b.config, Client: live, Namespace: b.options.Namespace, SecretName: authoritySecret,
		DNSNames: b.options.Webhooks.DNSNames, Configuration: webhooks.ConfigurationName, Now: b.options.Now,
	})
	return nil
}

// served fails at once when a definition is missing, and names the task that installs it.
func served(config *rest.Config) error {
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("ask the cluster for the definitions: %w", err)
	}
	list, err := d.ServerResourcesForGroupVersion(v2alpha1.GroupVersion.String())
	missing := []string{"gitlabcores", "gitlabsecrets", "siphons", "orbits"}
	if err == nil {
		for _, r := range list.APIResources {
			missing = slices.DeleteFunc(missing, func(name string) bool { return name == r.Name })
		}
		if len(missing) == 0 {
			return nil
		}
	} else if !discovery.IsGroupDiscoveryFailedError(err) && client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("ask the cluster for the definitions: %w", err)
	}
	for i, name := range missing {
		missing[i] = name + "." + v2alpha1.GroupName
	}
	return fmt.Errorf("%w %s that ENABLE_BRIDGE=true needs: install them with «task install_v2alpha1_crds», then start the manager again",
		ErrDefinitionsMissing, strings.Join(missing, ", "))
}

// cached keeps Secrets out of the cache but for those that hold values, and of these everything but which one it is: a
// change wakes who refers to it, and whoever needs the content reads it live.
func (b *bridge) cached() map[client.Object]cache.ByObject {
	if !b.enabled {
		return nil
	}
	return map[client.Object]cache.ByObject{
		&corev1.Secret{}: {Label: labels.SelectorFromSet(labels.Set{object.LabelConfigSource: "true"}), Transform: identityOnly},
	}
}

func (b *bridge) serveCertificate(c *tls.Config) {
	if b.keeper != nil {
		c.GetCertificate = b.keeper.Certificate
	}
}

// register adds the reconcilers and webhooks of the GitLab kinds to the manager.
func (b *bridge) register(ctx context.Context, mgr manager.Manager) error {
	if !b.enabled {
		return nil
	}
	log := mgr.GetLogger().WithName("charts")
	for _, p := range b.problems {
		log.Info("a chart cannot be used", "entry", p.Entry, "problem", p.Sentence)
	}
	log.Info("charts at hand", "charts", fmt.Sprint(b.charts.Refs()))
	reviewer, err := b.reviewer(mgr)
	if err != nil {
		return err
	}
	if err := mgr.Add(warming{b}); err != nil {
		return fmt.Errorf("add the warm-up: %w", err)
	}
	if err := mgr.AddReadyzCheck("charts", b.ready); err != nil {
		return fmt.Errorf("add the readiness check: %w", err)
	}
	if err := b.registerWebhooks(mgr, reviewer); err != nil {
		return err
	}
	if err := b.registerGitLabSecrets(mgr); err != nil {
		return err
	}
	return b.registerReleases(mgr, reviewer)
}

func (b *bridge) reviewer(mgr manager.Manager) (*admit.Reviewer, error) {
	d, err := discovery.NewDiscoveryClientForConfig(b.config)
	if err != nil {
		return nil, fmt.Errorf("build a discovery client: %w", err)
	}
	return &admit.Reviewer{
		Definitions: b.set,
		Tools:       plan.Tools{Schemas: b.schemas, Renderer: b.pool},
		Settings:    derive.Settings{ManagerServiceAccount: b.options.ManagerServiceAccount},
		Facts: &facts.Cluster{
			Reader:     mgr.GetAPIReader(),
			Resources:  mgr.GetClient(),
			Catalogue:  b.charts,
			Namespaces: b.options.Namespaces,
			Served: &facts.Snapshot{TTL: servedTTL, Now: b.options.Now, Read: func(ctx context.Context) (plan.Capabilities, error) {
				return readCapabilities(ctx, d)
			}},
		},
	}, nil
}

func readCapabilities(ctx context.Context, d discovery.DiscoveryInterface) (plan.Capabilities, error) {
	served, err := capabilities.Read(ctx, d)
	if partial, ok := errors.AsType[*capabilities.PartialError](err); ok {
		logf.FromContext(ctx).Info("a part of the cluster's API does not answer; nothing is pruned until it does", "cause", partial.Error())
		return plan.Capabilities{Capabilities: served, Partial: true}, nil
	}
	if err != nil {
		return plan.Capabilities{}, fmt.Errorf("read what the cluster serves: %w", err)
	}
	return plan.Capabilities{Capabilities: served}, nil
}

// warming is the warm-up as a part of the manager. Every replica serves webhooks and is ready only when it is warm, so
// none waits to be the leader.
type warming struct{ bridge *bridge }

// Start warms up and stays until the manager ends.
func (w warming) Start(ctx context.Context) error { return w.bridge.warmUp(ctx) }

// NeedLeaderElection says that every replica warms up.
func (warming) NeedLeaderElection() bool { return false }

// warmUp compiles every schema ahead, so that no request pays for it, and closes the render processes at the end.
func (b *bridge) warmUp(ctx context.Context) error {
	for _, ref := range b.charts.Refs() {
		c, err := b.charts.Open(ref)
		if err == nil {
			err = b.schemas.Warm(c)
		}
		if err != nil {
			logf.FromContext(ctx).Error(err, "the schemas of a chart could not be compiled ahead", "chart", ref)
		}
	}
	b.warm.Store(true)
	<-ctx.Done()
	b.pool.Close()
	return nil
}

// errCold says that the schemas are still being compiled.
var errCold = errors.New("the charts' schemas are still being compiled")

func (b *bridge) ready(*http.Request) error {
	if !b.warm.Load() {
		return errCold
	}
	return nil
}

// listening is ready when the webhook certificate is in place and the server answers with it. The certificate is asked
// first: a probe that shakes hands before there is one would only fill the log.
func (b *bridge) listening(started healthz.Checker) healthz.Checker {
	return func(r *http.Request) error {
		if b.keeper != nil {
			if err := b.keeper.Check(r); err != nil {
				return fmt.Errorf("serve webhooks: %w", err)
			}
		}
		return started(r)
	}
}

func (b *bridge) registerWebhooks(mgr manager.Manager, reviewer *admit.Reviewer) error {
	if b.options.Webhooks.Port == 0 {
		return nil
	}
	if b.keeper != nil {
		if err := mgr.Add(b.keeper); err != nil {
			return fmt.Errorf("add the keeper of the webhook certificate: %w", err)
		}
	}
	verdicts := &webhooks.Verdicts{TTL: verdictTTL, Limit: verdictLimit, Now: b.options.Now}
	server := mgr.GetWebhookServer()
	for path, handler := range webhooks.Handlers(reviewer, verdicts) {
		server.Register(path, handler)
	}
	if err := mgr.AddReadyzCheck("webhooks", b.listening(server.StartedChecker())); err != nil {
		return fmt.Errorf("add the readiness check of the webhooks: %w", err)
	}
	return nil
}
