// Package certs keeps the webhooks' certificate and tells the API server which authority signs it.
//
// Floor 2, effect. The authority lives in a Secret that every replica shares; the serving certificates live in memory
// only and are renewed by themselves. The one idea is overlap: a new authority is first added to both webhook
// configurations beside the old one, then served, and the old one leaves only when it has expired. So the API server
// trusts whatever any replica serves at any moment.
package certs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	// refreshInterval is how often the configurations are looked at although no authority was rotated: somebody may
	// have applied them anew, without the bundle.
	refreshInterval = 5 * time.Second
	// retryInterval is how soon a failed look is repeated.
	retryInterval = 500 * time.Millisecond
	// noticeInterval is how long the API server may take to notice a configuration that this replica or another one
	// changed. Only after it a certificate of a new authority is served.
	noticeInterval = 2 * time.Second
)

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
	options Options
	source  *servertls.DynamicSource
	served  atomic.Pointer[tls.Certificate]

	// trusted is the authority both configurations trust, and since when this replica knows. Only keep uses them.
	trusted []byte
	since   time.Time
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

// Certificate returns the certificate to serve: the newest one whose authority both configurations trust.
func (k *Keeper) Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c := k.served.Load(); c != nil {
		return c, nil
	}
	return nil, ErrNotReady
}

// NeedLeaderElection says that every replica serves webhooks, so every replica keeps certificates.
func (k *Keeper) NeedLeaderElection() bool { return false }

// Check fails until a certificate is loaded and both configurations trust its authority.
func (k *Keeper) Check(*http.Request) error {
	if k.served.Load() == nil {
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
		k.keep(ctx, rotated)
		return nil
	})
	if err := group.Wait(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("keep the webhook certificate: %w", err)
	}
	return nil
}

// keep looks at the configurations again and again, at once after a rotation.
func (k *Keeper) keep(ctx context.Context, rotated <-chan struct{}) {
	log := logf.FromContext(ctx).WithName("certificates")
	for {
		pause, err := k.pass(ctx)
		if unexpected(err) && ctx.Err() == nil {
			log.Error(err, "the webhook configurations could not be told the certificate authority; trying again")
		}
		select {
		case <-ctx.Done():
			return
		case <-rotated:
		case <-time.After(pause):
		}
	}
}

// unexpected leaves out what passes by itself: at a start nothing is there yet, and replicas get in each other's way.
func unexpected(err error) bool {
	return err != nil && !errors.Is(err, ErrNotReady) && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err)
}

// pass makes both configurations trust the current authority and then serves its certificate. It returns when to look
// again.
func (k *Keeper) pass(ctx context.Context) (time.Duration, error) {
	current, err := k.authority(ctx)
	if err != nil {
		return retryInterval, err
	}
	changed, err := k.inject(ctx, current)
	if err != nil {
		return retryInterval, err
	}
	now := k.options.Now()
	if changed || !bytes.Equal(current, k.trusted) {
		k.trusted, k.since = current, now
	}
	if left := noticeInterval - now.Sub(k.since); left > 0 && k.served.Load() != nil {
		return left, nil
	}
	if err := k.serve(current); err != nil {
		return retryInterval, err
	}
	return refreshInterval, nil
}

// authority reads the current authority.
func (k *Keeper) authority(ctx context.Context) ([]byte, error) {
	var secret corev1.Secret
	key := client.ObjectKey{Namespace: k.options.Namespace, Name: k.options.SecretName}
	if err := k.options.Client.Get(ctx, key, &secret); err != nil {
		return nil, fmt.Errorf("read the authority in Secret %s: %w", key, err)
	}
	current := secret.Data[corev1.TLSCertKey]
	if len(certificates(current)) == 0 {
		return nil, fmt.Errorf("read the authority in Secret %s: %w", key, ErrNotReady)
	}
	return current, nil
}

// serve takes up the newest certificate, if the current authority signed it. Until it did, the one before stays.
func (k *Keeper) serve(current []byte) error {
	newest, err := k.source.GetCertificate(nil)
	if err != nil {
		return fmt.Errorf("take up a certificate: %w", errors.Join(ErrNotReady, err))
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(current)
	if _, err := newest.Leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: k.options.Now()}); err != nil {
		return fmt.Errorf("take up a certificate: %w: it is not signed by the authority of now", ErrNotReady)
	}
	k.served.Store(newest)
	return nil
}

// inject makes both configurations trust the current authority, and reports whether one of them did not.
func (k *Keeper) inject(ctx context.Context, current []byte) (changed bool, err error) {
	mutating := &admissionregistrationv1.MutatingWebhookConfiguration{}
	first, err := k.update(ctx, mutating, current, func() []*admissionregistrationv1.WebhookClientConfig {
		var out []*admissionregistrationv1.WebhookClientConfig
		for i := range mutating.Webhooks {
			out = append(out, &mutating.Webhooks[i].ClientConfig)
		}
		return out
	})
	validating := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	second, err2 := k.update(ctx, validating, current, func() []*admissionregistrationv1.WebhookClientConfig {
		var out []*admissionregistrationv1.WebhookClientConfig
		for i := range validating.Webhooks {
			out = append(out, &validating.Webhooks[i].ClientConfig)
		}
		return out
	})
	return first || second, errors.Join(err, err2)
}

func (k *Keeper) update(
	ctx context.Context, object client.Object, current []byte, configs func() []*admissionregistrationv1.WebhookClientConfig,
) (changed bool, err error) {
	if err := k.options.Client.Get(ctx, client.ObjectKey{Name: k.options.Configuration}, object); err != nil {
		return false, fmt.Errorf("read webhook configuration %s: %w", k.options.Configuration, err)
	}
	before, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		return false, fmt.Errorf("copy webhook configuration %s: it is no object", k.options.Configuration)
	}
	for _, c := range configs() {
		bundle := Bundle(c.CABundle, current, k.options.Now())
		changed = changed || !bytes.Equal(bundle, c.CABundle)
		c.CABundle = bundle
	}
	if !changed {
		return false, nil
	}
	if err := k.options.Client.Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return true, fmt.Errorf("patch webhook configuration %s: %w", k.options.Configuration, err)
	}
	return true, nil
}
