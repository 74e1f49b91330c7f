package webhook_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render/sandbox"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/test/charts"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
	"github.com/portcullis-operator/portcullis/webhooks"
)

// chartVersions are the charts at hand, for every door.
var chartVersions = []string{"10.3.0", "10.4.0", "10.4.1", "10.5.0"}

// suite is the API server, and what the doors share.
type suite struct {
	*world.Server
	warned    *warned
	url       string
	port      int
	catalogue *chart.Catalogue
	set       *definition.Set
	checker   *schema.Checker
	pool      *sandbox.Pool
	operator  *operator
}

// start starts it. Its client hears the warnings the API server sends along.
func start(tb testing.TB) *suite {
	tb.Helper()
	w := &suite{
		Server: world.Start(tb, world.Own(tb), world.Routing(tb)), warned: &warned{}, set: world.Set(tb), checker: schema.NewChecker(),
		catalogue: world.Catalogue(tb, world.Archives(tb, charts.GitLab(), chartVersions...)), port: world.FreePort(tb),
	}
	listening := rest.CopyConfig(w.Config)
	listening.WarningHandler = w.warned
	w.Live = w.Connect(tb, listening)
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	w.pool = sandbox.New(sandbox.Config{Command: []string{self, renderWorker}, Workers: 2})
	tb.Cleanup(w.pool.Close)
	w.url = fmt.Sprintf("https://localhost:%d", w.port)
	return w
}

// reviewer is the check, with the given facts and the same everything else.
func (w *suite) reviewer(facts plan.Facts) *admit.Reviewer {
	return &admit.Reviewer{
		Definitions: w.set,
		Tools:       plan.Tools{Schemas: w.checker, Renderer: w.pool},
		Settings:    derive.Settings{ManagerServiceAccount: "gitlab-manager"},
		Facts:       facts,
	}
}

// install writes both webhook configurations, as the manifest does.
func (w *suite) install(ctx context.Context) {
	GinkgoHelper()
	mutating, validating := webhooks.Configurations(webhooks.Target{URL: w.url})
	Expect(w.Live.Create(ctx, mutating)).To(Succeed())
	Expect(w.Live.Create(ctx, validating)).To(Succeed())
}

// refusesNonsense waits until the API server asks the webhooks and trusts them.
func (w *suite) refusesNonsense(ctx context.Context) {
	GinkgoHelper()
	nonsense := good(metav1.NamespaceDefault)
	nonsense.Spec.Version.Version = "0.0.0"
	Eventually(func() bool {
		return apierrors.IsInvalid(w.Live.Create(ctx, nonsense.DeepCopy(), client.DryRunAll))
	}).WithTimeout(time.Minute).WithPolling(200*time.Millisecond).Should(BeTrue(), "the webhooks never came up")
	w.warned.take()
}

// namespace makes one.
func (w *suite) namespace(ctx context.Context, name string) string {
	GinkgoHelper()
	Expect(w.Live.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})).To(Succeed())
	return name
}

// warned collects the warnings the API server sends along.
type warned struct {
	mu    sync.Mutex
	texts []string
}

// HandleWarningHeader takes one warning.
func (c *warned) HandleWarningHeader(_ int, _, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts = append(c.texts, text)
}

// take returns what came in since it was last asked.
func (c *warned) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.texts
	c.texts = nil
	return out
}

// good is a GitLabCore nothing is wrong with.
func good(namespace string) *v2alpha1.GitLabCore {
	ref := v2alpha1.SecretKeyRef{Name: "credentials", Key: "password"}
	return &v2alpha1.GitLabCore{
		ObjectMeta: metav1.ObjectMeta{Name: "gitlab", Namespace: namespace},
		Spec: v2alpha1.GitLabCoreSpec{
			Version:       v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: "10.4.1"},
			Hostname:      "gitlab.example.com",
			PostgreSQL:    &v2alpha1.Connection{Host: "postgresql", PasswordSecretRef: ref},
			Redis:         &v2alpha1.Connection{Host: "redis", PasswordSecretRef: ref},
			ObjectStorage: &v2alpha1.ObjectStorage{ConnectionSecretRef: ref},
		},
	}
}

// with gives a GitLabCore free-form values, written as YAML.
func with(core *v2alpha1.GitLabCore, values string) *v2alpha1.GitLabCore {
	GinkgoHelper()
	raw, err := yaml.YAMLToJSON([]byte(values))
	Expect(err).NotTo(HaveOccurred())
	core = core.DeepCopy()
	core.Spec.Chart = &v2alpha1.Chart{Values: rawValues(raw)}
	return core
}

// untyped is a typed object as it is written.
func untyped(core *v2alpha1.GitLabCore) *unstructured.Unstructured {
	GinkgoHelper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(core)
	Expect(err).NotTo(HaveOccurred())
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(v2alpha1.GroupVersion.WithKind(v2alpha1.KindGitLabCore))
	delete(content, "status")
	return u
}
