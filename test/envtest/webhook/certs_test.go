package webhook_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/certs"
	"github.com/portcullis-operator/portcullis/webhooks"
)

// rotated is a configuration of its own, which no request ever matches.
const rotated = "rotated"

// configurations writes both configurations under another name, for a group that does not exist.
func configurations(ctx context.Context) {
	GinkgoHelper()
	mutating, validating := webhooks.Configurations(webhooks.Target{URL: "https://localhost:1"})
	mutating.Name, validating.Name = rotated, rotated
	mutating.Webhooks[0].Rules[0].APIGroups = []string{"nowhere.example.com"}
	validating.Webhooks[0].Rules[0].APIGroups = []string{"nowhere.example.com"}
	Expect(w.Live.Create(ctx, mutating)).To(Succeed())
	Expect(w.Live.Create(ctx, validating)).To(Succeed())
}

// bundles reads what both configurations trust.
func bundles(ctx context.Context) (*x509.CertPool, *x509.CertPool, [][]byte, error) {
	mutating, validating := &admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{}
	err := errors.Join(
		w.Live.Get(ctx, client.ObjectKey{Name: rotated}, mutating), w.Live.Get(ctx, client.ObjectKey{Name: rotated}, validating))
	if err != nil {
		return nil, nil, nil, err
	}
	raw := [][]byte{mutating.Webhooks[0].ClientConfig.CABundle, validating.Webhooks[0].ClientConfig.CABundle}
	first, second := x509.NewCertPool(), x509.NewCertPool()
	first.AppendCertsFromPEM(raw[0])
	second.AppendCertsFromPEM(raw[1])
	return first, second, raw, nil
}

// trusted says whether what is served verifies under both bundles of this moment. It reads the bundles after the
// certificate, as the API server meets a certificate with the bundle it has.
func trusted(ctx context.Context, served *tls.Certificate) error {
	first, second, _, err := bundles(ctx)
	if err != nil {
		return err
	}
	for _, roots := range []*x509.CertPool{first, second} {
		if _, err := served.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "localhost"}); err != nil {
			return err
		}
	}
	return nil
}

var _ = Describe("The webhook certificate", Ordered, func() {
	var keeper *certs.Keeper
	var namespace string

	BeforeAll(func(ctx SpecContext) {
		namespace = w.namespace(ctx, "certificates")
		keeper = w.keeper(namespace, "authority", rotated)
		running, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- keeper.Start(running) }()
		DeferCleanup(func() {
			cancel()
			Eventually(ended).WithTimeout(20 * time.Second).Should(Receive(Not(HaveOccurred())))
		})
	})

	It("is not ready while a configuration is missing", func(ctx SpecContext) {
		Eventually(func() error {
			return w.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "authority"}, &corev1.Secret{})
		}).WithTimeout(20 * time.Second).Should(Succeed())
		Consistently(func() error { return keeper.Check(nil) }).WithTimeout(time.Second).Should(MatchError(certs.ErrNotReady))
		_, err := keeper.Certificate(nil)
		Expect(err).To(MatchError(certs.ErrNotReady))
	})

	It("is served once both configurations trust its authority", func(ctx SpecContext) {
		configurations(ctx)
		Eventually(func() error { return keeper.Check(nil) }).WithTimeout(20 * time.Second).Should(Succeed())
		served, err := keeper.Certificate(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(trusted(ctx, served)).To(Succeed())
	})

	It("is trusted at every moment of a rotation, and the old authority stays beside the new one", func(ctx SpecContext) {
		before, err := keeper.Certificate(nil)
		Expect(err).NotTo(HaveOccurred())
		_, _, old, err := bundles(ctx)
		Expect(err).NotTo(HaveOccurred())
		watched, stop := watchTrust(ctx, keeper)
		Expect(w.Live.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "authority"}})).To(Succeed())
		Eventually(func() (bool, error) {
			now, err := keeper.Certificate(nil)
			return now != before && now.Leaf.CheckSignatureFrom(authorityOf(old[0])) != nil, err
		}).WithTimeout(40*time.Second).Should(BeTrue(), "a certificate of the new authority is served in the end")
		Eventually(watched.looks.Load).WithTimeout(20 * time.Second).Should(BeNumerically(">", watched.looks.Load()+20))
		stop()
		Expect(watched.failure.Load()).To(BeNil())
		_, _, now, err := bundles(ctx)
		Expect(err).NotTo(HaveOccurred())
		for i := range now {
			Expect(string(now[i])).To(HaveSuffix(string(old[i])), "a replica that still serves the old one is trusted")
			Expect(len(now[i])).To(BeNumerically(">", len(old[i])))
		}
		Expect(trusted(ctx, before)).To(Succeed())
	})

	It("is told to the API server again when somebody applies a configuration without it", func(ctx SpecContext) {
		mutating := &admissionregistrationv1.MutatingWebhookConfiguration{}
		Expect(w.Live.Get(ctx, client.ObjectKey{Name: rotated}, mutating)).To(Succeed())
		mutating.Webhooks[0].ClientConfig.CABundle = nil
		Expect(w.Live.Update(ctx, mutating)).To(Succeed())
		Eventually(func() error {
			served, err := keeper.Certificate(nil)
			if err != nil {
				return err
			}
			return trusted(ctx, served)
		}).WithTimeout(20 * time.Second).Should(Succeed())
	})
})

// authorityOf reads the first authority of a bundle.
func authorityOf(bundle []byte) *x509.Certificate {
	GinkgoHelper()
	block, _ := pem.Decode(bundle)
	Expect(block).NotTo(BeNil())
	c, err := x509.ParseCertificate(block.Bytes)
	Expect(err).NotTo(HaveOccurred())
	return c
}

// watch is what was seen of a certificate over a time.
type watch struct {
	looks   atomic.Int64
	failure atomic.Pointer[error]
}

// watchTrust looks again and again whether the certificate is trusted, until it is stopped.
func watchTrust(ctx context.Context, keeper *certs.Keeper) (*watch, func()) {
	seen := &watch{}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			served, err := keeper.Certificate(nil)
			if err == nil {
				err = trusted(ctx, served)
			}
			if err != nil {
				seen.failure.Store(&err)
			}
			seen.looks.Add(1)
			select {
			case <-quit:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return seen, func() { close(quit); <-ended }
}
