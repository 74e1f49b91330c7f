package webhook_test

import (
	"context"
	"crypto/tls"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/portcullis-operator/portcullis/internal/certs"
	"github.com/portcullis-operator/portcullis/internal/facts"
	"github.com/portcullis-operator/portcullis/webhooks"
)

// authoritySecret holds the authority of the webhooks under test.
const authoritySecret = "portcullis-webhook-ca"

func rawValues(raw []byte) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: raw} }

// operator is a manager that serves the webhooks in this process.
type operator struct {
	cancel context.CancelFunc
	ended  chan error
}

// startOperator starts a manager and waits until its certificate is in place.
func (w *suite) startOperator() *operator {
	GinkgoHelper()
	keeper := w.keeper("default", authoritySecret, webhooks.ConfigurationName)
	mgr, err := ctrl.NewManager(w.Config, manager.Options{
		Scheme: w.Scheme, Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		WebhookServer: webhook.NewServer(webhook.Options{Host: "localhost", Port: w.port, TLSOpts: []func(*tls.Config){
			func(c *tls.Config) { c.GetCertificate = keeper.Certificate },
		}}),
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(mgr.Add(keeper)).To(Succeed())
	verdicts := &webhooks.Verdicts{TTL: 10 * time.Second, Limit: 64, Now: time.Now}
	for path, handler := range webhooks.Handlers(w.reviewer(w.facts(mgr.GetAPIReader())), verdicts) {
		mgr.GetWebhookServer().Register(path, handler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := &operator{cancel: cancel, ended: make(chan error, 1)}
	go func() { o.ended <- mgr.Start(ctx) }()
	Eventually(func() error { return keeper.Check(nil) }).WithTimeout(time.Minute).Should(Succeed())
	return o
}

// stop ends the manager and waits until nobody listens any more.
func (o *operator) stop() {
	GinkgoHelper()
	o.cancel()
	Eventually(o.ended).WithTimeout(time.Minute).Should(Receive(Not(HaveOccurred())))
}

// keeper keeps the certificate of a configuration.
func (w *suite) keeper(namespace, secret, configuration string) *certs.Keeper {
	return certs.New(certs.Options{
		Config: w.Config, Client: w.Live, Namespace: namespace, SecretName: secret,
		DNSNames: []string{"localhost"}, Configuration: configuration, Now: time.Now,
	})
}

// facts are those of the cluster.
func (w *suite) facts(reader client.Reader) *facts.Cluster {
	return w.Facts(reader, w.catalogue, 30*time.Second)
}
