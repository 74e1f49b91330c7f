package webhook_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render/sandbox"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/test/charts"
	"github.com/portcullis-operator/portcullis/webhooks"
)

// chartVersions are the charts at hand, for every door.
var chartVersions = []string{"10.3.0", "10.4.0", "10.4.1", "10.5.0"}

// world is one API server with the definitions, and what the doors share.
type world struct {
	environment *envtest.Environment
	config      *rest.Config
	scheme      *runtime.Scheme
	live        client.Client
	warned      *warned
	url         string
	port        int
	catalogue   *chart.Catalogue
	set         *definition.Set
	checker     *schema.Checker
	pool        *sandbox.Pool
	operator    *operator
}

func newWorld() *world {
	GinkgoHelper()
	files, err := crd.Files()
	Expect(err).NotTo(HaveOccurred())
	routing, err := charts.Definitions()
	Expect(err).NotTo(HaveOccurred())
	folder := GinkgoT().TempDir()
	Expect(os.WriteFile(folder+"/routing.yaml", routing, 0o600)).To(Succeed())

	w := &world{scheme: runtime.NewScheme(), checker: schema.NewChecker(), warned: &warned{}}
	Expect(clientgoscheme.AddToScheme(w.scheme)).To(Succeed())
	Expect(v2alpha1.AddToScheme(w.scheme)).To(Succeed())
	w.set, err = definition.New(files...)
	Expect(err).NotTo(HaveOccurred())
	w.environment = &envtest.Environment{
		ControlPlaneStartTimeout: 2 * time.Minute,
		CRDDirectoryPaths:        []string{"../../../config/crd/bases", folder}, ErrorIfCRDPathMissing: true,
	}
	w.config, err = w.environment.Start()
	Expect(err).NotTo(HaveOccurred())
	w.config.QPS, w.config.Burst = 500, 1000
	listening := rest.CopyConfig(w.config)
	listening.WarningHandler = w.warned
	w.live, err = client.New(listening, client.Options{Scheme: w.scheme})
	Expect(err).NotTo(HaveOccurred())

	w.catalogue = catalogue()
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	w.pool = sandbox.New(sandbox.Config{Command: []string{self, renderWorker}, Workers: 2})
	w.port = freePort()
	w.url = fmt.Sprintf("https://localhost:%d", w.port)
	return w
}

func (w *world) close() {
	w.pool.Close()
	_ = w.environment.Stop()
}

func catalogue() *chart.Catalogue {
	GinkgoHelper()
	folder := fstest.MapFS{}
	for _, v := range chartVersions {
		archive, err := charts.Archive(v)
		Expect(err).NotTo(HaveOccurred())
		folder["gitlab-"+v+".tgz"] = &fstest.MapFile{Data: archive}
	}
	catalogue, problems := chart.OpenCatalogue(folder, chart.DefaultLimits())
	Expect(problems).To(BeEmpty())
	return catalogue
}

func freePort() int {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "localhost:0")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// reviewer is the check, with the given facts and the same everything else.
func (w *world) reviewer(facts plan.Facts) *admit.Reviewer {
	return &admit.Reviewer{
		Definitions: w.set,
		Tools:       plan.Tools{Schemas: w.checker, Renderer: w.pool},
		Settings:    derive.Settings{ManagerServiceAccount: "gitlab-manager"},
		Facts:       facts,
	}
}

// install writes both webhook configurations, as the manifest does.
func (w *world) install(ctx context.Context) {
	GinkgoHelper()
	mutating, validating := webhooks.Configurations(webhooks.Target{URL: w.url})
	Expect(w.live.Create(ctx, mutating)).To(Succeed())
	Expect(w.live.Create(ctx, validating)).To(Succeed())
}

// refusesNonsense waits until the API server asks the webhooks and trusts them.
func (w *world) refusesNonsense(ctx context.Context) {
	GinkgoHelper()
	nonsense := good(metav1.NamespaceDefault)
	nonsense.Spec.Version.Version = "0.0.0"
	Eventually(func() bool {
		return apierrors.IsInvalid(w.live.Create(ctx, nonsense.DeepCopy(), client.DryRunAll))
	}).WithTimeout(time.Minute).WithPolling(200*time.Millisecond).Should(BeTrue(), "the webhooks never came up")
	w.warned.take()
}

// namespace makes one.
func (w *world) namespace(ctx context.Context, name string) string {
	GinkgoHelper()
	Expect(w.live.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})).To(Succeed())
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
