// Package certs keeps the webhooks' certificate and tells the API server which authority signs it.
//
// Floor 2, effect. The authority lives in a Secret that every replica shares; the serving certificates live in memory
// only and are renewed by themselves. The one idea is overlap: a new authority is added to both webhook configurations
// beside the old one, which leaves only when it has expired, so that no replica is ever refused while it still serves a
// certificate of the old one.
package certs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	servertls "github.com/cert-manager/cert-manager/pkg/server/tls"
	"github.com/cert-manager/cert-manager/pkg/server/tls/authority"
	"golang.org/x/sync/errgroup"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// refreshInterval is how often the configurations are looked at although no authority was rotated: somebody may have
// applied them anew, without the bundle.
const refreshInterval = 10 * time.Second

// ErrNotReady says that no certificate is loaded yet, or that a configuration does not trust its authority yet.
var ErrNotReady = errors.New("the webhook certificate is not in place yet")

// Options name what a Keeper keeps.
type Options struct {
	// Config connects to the API server.
	Config *rest.Config
	// Client reads and writes without a cache.
	Client client.Client
	// Namespace and SecretName name the Secret that holds the authority.
	Namespace, SecretName string
	// DNSNames are the names the API server calls the webhooks by.
	DNSNames []string
	// Configuration is the name of the mutating and the validating webhook configuration.
	Configuration string
	// Now is the clock.
	Now func() time.Time
}

// Keeper serves certificates and keeps both configurations trusting them. It runs on every replica.
type Keeper struct {
	options  Options
	source   *servertls.DynamicSource
	injected atomic.Bool
}

// New returns a Keeper; Start runs it.
func New(options Options) *Keeper {
	return &Keeper{options: options, source: &servertls.DynamicSource{
		DNSNames: options.DNSNames,
		Authority: &authority.DynamicAuthority{
			SecretNamespace: options.Namespace, SecretName: options.SecretName,
			CommonName: "portcullis-webhook-ca", RESTConfig: options.Config,
		},
	}}
}

// Certificate returns the certificate to serve.
func (k *Keeper) Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	certificate, err := k.source.GetCertificate(hello)
	if err != nil {
		return nil, fmt.Errorf("webhook certificate: %w", err)
	}
	return certificate, nil
}

// NeedLeaderElection says that every replica serves webhooks, so every replica keeps certificates.
func (k *Keeper) NeedLeaderElection() bool { return false }

// Check fails until a certificate is loaded and both configurations trust its authority.
func (k *Keeper) Check(*http.Request) error {
	if !k.source.Healthy() || !k.injected.Load() {
		return ErrNotReady
	}
	return nil
}

// Start serves and injects until the context ends.
func (k *Keeper) Start(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return k.source.Start(ctx) })
	group.Go(func() error {
		rotated := make(chan struct{}, 1)
		k.source.Authority.WatchRotation(rotated)
		defer k.source.Authority.StopWatchingRotation(rotated)
		k.inject(ctx, rotated)
		return nil
	})
	if err := group.Wait(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("keep the webhook certificate: %w", err)
	}
	return nil
}

func (k *Keeper) inject(ctx context.Context, rotated <-chan struct{}) {
	log := logf.FromContext(ctx).WithName("certificates")
	for {
		pause := refreshInterval
		if err := k.injectOnce(ctx); err != nil {
			if !k.injected.Load() {
				pause = 200 * time.Millisecond
			}
			if client.IgnoreNotFound(err) != nil && ctx.Err() == nil {
				log.Error(err, "the webhook configurations could not be told the certificate authority; trying again")
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-rotated:
		case <-time.After(pause):
		}
	}
}

// injectOnce makes both configurations trust the current authority.
func (k *Keeper) injectOnce(ctx context.Context) error {
	var secret corev1.Secret
	key := client.ObjectKey{Namespace: k.options.Namespace, Name: k.options.SecretName}
	if err := k.options.Client.Get(ctx, key, &secret); err != nil {
		return fmt.Errorf("read the authority in Secret %s: %w", key, err)
	}
	current := secret.Data[corev1.TLSCertKey]
	if len(current) == 0 {
		return fmt.Errorf("read the authority in Secret %s: %w", key, ErrNotReady)
	}
	mutating := &admissionregistrationv1.MutatingWebhookConfiguration{}
	err := k.update(ctx, mutating, current, func() []*admissionregistrationv1.WebhookClientConfig {
		var out []*admissionregistrationv1.WebhookClientConfig
		for i := range mutating.Webhooks {
			out = append(out, &mutating.Webhooks[i].ClientConfig)
		}
		return out
	})
	validating := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	err = errors.Join(err, k.update(ctx, validating, current, func() []*admissionregistrationv1.WebhookClientConfig {
		var out []*admissionregistrationv1.WebhookClientConfig
		for i := range validating.Webhooks {
			out = append(out, &validating.Webhooks[i].ClientConfig)
		}
		return out
	}))
	if err == nil {
		k.injected.Store(true)
	}
	return err
}

func (k *Keeper) update(ctx context.Context, object client.Object, current []byte, configs func() []*admissionregistrationv1.WebhookClientConfig) error {
	if err := k.options.Client.Get(ctx, client.ObjectKey{Name: k.options.Configuration}, object); err != nil {
		return fmt.Errorf("read webhook configuration %s: %w", k.options.Configuration, err)
	}
	before, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("copy webhook configuration %s: it is no object", k.options.Configuration)
	}
	changed := false
	for _, c := range configs() {
		bundle := Bundle(c.CABundle, current, k.options.Now())
		changed = changed || !bytes.Equal(bundle, c.CABundle)
		c.CABundle = bundle
	}
	if !changed {
		return nil
	}
	if err := k.options.Client.Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("patch webhook configuration %s: %w", k.options.Configuration, err)
	}
	return nil
}

// Bundle returns the authorities to trust: the current one first, then those that were trusted before and have not
// expired. Everything else that stood in the bundle is dropped.
func Bundle(trusted, current []byte, now time.Time) []byte {
	out := bytes.TrimSpace(current)
	seen := map[string]bool{}
	for block, rest := pem.Decode(current); block != nil; block, rest = pem.Decode(rest) {
		seen[string(block.Bytes)] = true
	}
	for block, rest := pem.Decode(trusted); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil || seen[string(block.Bytes)] || now.After(certificate.NotAfter) {
			continue
		}
		seen[string(block.Bytes)] = true
		out = append(append(bytes.Clone(out), '\n'), bytes.TrimSpace(pem.EncodeToMemory(block))...)
	}
	return append(bytes.Clone(out), '\n')
}
