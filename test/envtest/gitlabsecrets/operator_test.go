//go:build bridge

package gitlabsecrets_test

import (
	"context"
	"os"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/operator"
)

var _ = Describe("The operator as it is put together", func() {
	It("makes the Secrets of a GitLabSecrets and sees a deleted one, whatever labels it had", func(ctx context.Context) {
		i := create(ctx, entry("token", random("token", 32)), entry("found", random("token", 32)))
		i.store(ctx, "found", map[string]string{"token": "mine"})
		running, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() {
			ended <- operator.Run(running, w.Config, operator.Options{
				Bridge: true, Charts: fstest.MapFS{}, Namespaces: []string{i.namespace}, Concurrency: 1, Namespace: i.namespace,
				HealthAddress: "0", MetricsAddress: "0", Now: time.Now, RenderCommand: []string{os.Args[0], "-test.run=^$"},
			})
		}()
		DeferCleanup(func() {
			stop()
			Expect(<-ended).To(Succeed())
		})
		i.becomes(ctx, name, metav1.ConditionTrue, v2alpha1.ReasonSecretsReady)
		for _, secret := range []string{"token", "found"} {
			i.remove(ctx, secret)
			Eventually(func() *corev1.Secret { return i.secret(ctx, secret) }, atOnce, 50*time.Millisecond).ShouldNot(BeNil())
		}
	})
})
