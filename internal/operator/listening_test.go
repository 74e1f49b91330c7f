//go:build bridge

package operator

import (
	"errors"
	"net/http"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/certs"
)

// parts is a manager as far as the webhooks are registered with it.
type parts struct {
	manager.Manager
	server webhook.Server
	checks map[string]healthz.Checker
}

func (p *parts) GetWebhookServer() webhook.Server { return p.server }

func (p *parts) AddReadyzCheck(name string, check healthz.Checker) error {
	p.checks[name] = check
	return nil
}

func registered(t *testing.T, options WebhookOptions) *parts {
	t.Helper()
	p := &parts{server: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: options.Port}), checks: map[string]healthz.Checker{}}
	b := &bridge{options: Options{Webhooks: options}}
	if err := b.registerWebhooks(p, &admit.Reviewer{}); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReadinessWaitsForTheWebhookListenerWhereThereIsOne(t *testing.T) {
	check, waits := registered(t, WebhookOptions{Port: 9443}).checks["webhooks"]
	if !waits || check(nil) == nil {
		t.Error("the manager is ready although its webhook server was not started")
	}
	if _, waits := registered(t, WebhookOptions{}).checks["webhooks"]; waits {
		t.Error("the manager waits for a webhook server it does not have")
	}
}

func TestTheListenerIsNotProbedBeforeThereIsACertificate(t *testing.T) {
	b := &bridge{keeper: certs.New(certs.Options{})}
	err := b.listening(func(*http.Request) error {
		t.Error("a handshake is tried without a certificate")
		return nil
	})(nil)
	if !errors.Is(err, certs.ErrNotReady) {
		t.Errorf("the reason is %v", err)
	}
	b.keeper = nil
	if err := b.listening(func(*http.Request) error { return nil })(nil); err != nil {
		t.Errorf("with a certificate of somebody else and a listener that answers: %v", err)
	}
}
