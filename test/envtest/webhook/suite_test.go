// Package webhook holds the webhooks to a real API server: a manager in this process serves them with the certificate it
// keeps itself, and everything asked here goes through the API server, as kubectl's requests do.
package webhook_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/portcullis-operator/portcullis/internal/render/sandbox"
)

// renderWorker is the argument on which this test program is a render process, as the manager is.
const renderWorker = "render-worker"

var w *suite

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == renderWorker {
		os.Exit(sandbox.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

func TestWebhooks(t *testing.T) {
	w = start(t)
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter)))
	RegisterFailHandler(Fail)
	RunSpecs(t, "The webhooks behind a real API server")
}

// What was stored before the webhooks were there is stored first, since afterwards nobody could.
var _ = BeforeSuite(func(ctx SpecContext) {
	storeTheExamplesThatChange(ctx)
	storeWhatWasValidYesterday(ctx)
	w.install(ctx)
	w.operator = w.startOperator()
	w.refusesNonsense(ctx)
})

var _ = AfterSuite(func() {
	if w.operator != nil {
		w.operator.stop()
	}
})
