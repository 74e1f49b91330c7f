//go:build bridge

// Package role_test starts the whole manager as its own ServiceAccount, with the rights of config/rbac and no others, on
// an API server that lets nobody block the deletion of an owner without a right to its finalizers. Every answer that
// something is forbidden is counted, also those that nobody would see in a status.
package role_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/operator"
	"github.com/portcullis-operator/portcullis/internal/render/sandbox"
	"github.com/portcullis-operator/portcullis/test/charts"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
	"github.com/portcullis-operator/portcullis/webhooks"
)

const (
	// renderWorker is the argument on which this test program is a render process, as the manager is.
	renderWorker = "render-worker"
	// home is the namespace of the manager, and place that of what it looks after.
	home, place = "portcullis-system", "gitlab"
)

var (
	live   client.Client
	denied = &refusals{}
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == renderWorker {
		os.Exit(sandbox.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

func TestRole(t *testing.T) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set: this suite needs a real API server (task test:envtest)")
	}
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter)))
	RegisterFailHandler(Fail)
	RunSpecs(t, "The manager with the rights of config/rbac and no others")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	config := serve()
	for _, name := range []string{home, place} {
		Expect(live.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})).To(Succeed())
	}
	grant(ctx, "../../../config/rbac")
	port := world.FreePort(GinkgoTB())
	mutating, validating := webhooks.Configurations(webhooks.Target{URL: fmt.Sprintf("https://localhost:%d", port)})
	Expect(live.Create(ctx, mutating)).To(Succeed())
	Expect(live.Create(ctx, validating)).To(Succeed())
	run(asManager(config), port)
})

var _ = AfterEach(func() { Expect(denied.all()).To(BeEmpty(), "the manager asked for what it may not") })

// serve starts the API server.
func serve() *rest.Config {
	GinkgoHelper()
	environment := &envtest.Environment{
		CRDs: slices.Concat(world.Own(GinkgoTB()), world.Routing(GinkgoTB())), ControlPlaneStartTimeout: 2 * time.Minute, ControlPlaneStopTimeout: time.Minute,
	}
	environment.ControlPlane.GetAPIServer().Configure().Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
	DeferCleanup(environment.Stop)
	config, err := environment.Start()
	Expect(err).NotTo(HaveOccurred())
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v2alpha1.AddToScheme(scheme)).To(Succeed())
	live, err = client.New(config, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	return config
}

// grant creates every role and binding of a folder.
func grant(ctx context.Context, folder string) {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	Expect(err).NotTo(HaveOccurred())
	granted := 0
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
		for {
			o := &unstructured.Unstructured{}
			if err := documents.Decode(o); errors.Is(err, io.EOF) {
				break
			} else if Expect(err).NotTo(HaveOccurred()); len(o.Object) > 0 {
				Expect(live.Create(ctx, o)).To(Succeed(), file)
				granted++
			}
		}
	}
	Expect(granted).To(Equal(6), "two roles and a role of the manager's namespace, each with its binding")
}

// asManager is the configuration of somebody who has the identity of the manager, and whose refusals are counted.
func asManager(config *rest.Config) *rest.Config {
	as := rest.CopyConfig(config)
	as.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + home + ":portcullis-manager",
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + home, "system:authenticated"},
	}
	as.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return heard(func(r *http.Request) (*http.Response, error) {
			answer, err := next.RoundTrip(r)
			if err == nil && answer.StatusCode == http.StatusForbidden {
				denied.add(r.Method + " " + r.URL.Path)
			}
			return answer, err
		})
	})
	return as
}

// run starts the manager until the suite ends.
func run(config *rest.Config, port int) {
	GinkgoHelper()
	folder := fstest.MapFS{}
	for _, c := range []struct {
		charts.Chart
		version string
	}{{charts.GitLab(), "10.4.1"}, {charts.GitLab(), "10.5.0"}, {charts.Siphon(), siphonVersion}, {charts.Orbit(), orbitVersion}} {
		maps.Copy(folder, world.Archives(GinkgoTB(), c.Chart, c.version))
	}
	tables := GinkgoT().TempDir()
	Expect(charts.WriteTables(tables)).To(Succeed())
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	running, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- operator.Run(running, config, operator.Options{
			Bridge: true, Charts: folder, TablesLayouts: os.DirFS(tables), ManagerServiceAccount: "gitlab-manager", Concurrency: 2,
			RenderCommand: []string{self, renderWorker}, RenderMemory: 768 << 20, RenderWorkers: 1,
			HealthAddress: "0", MetricsAddress: "0", LeaderElection: true, Namespace: home,
			Webhooks: operator.WebhookOptions{Host: "localhost", Port: port, DNSNames: []string{"localhost"}}, Now: time.Now,
		})
	}()
	DeferCleanup(func() {
		stop()
		Eventually(ended).WithTimeout(time.Minute).Should(Receive(Not(HaveOccurred())))
	})
}

// heard is a function that sends requests.
type heard func(*http.Request) (*http.Response, error)

// RoundTrip sends a request.
func (h heard) RoundTrip(r *http.Request) (*http.Response, error) { return h(r) }

// refusals collects what was forbidden.
type refusals struct {
	mu    sync.Mutex
	asked map[string]bool
}

func (r *refusals) add(request string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked == nil {
		r.asked = map[string]bool{}
	}
	r.asked[request] = true
}

// all returns what came in so far.
func (r *refusals) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.asked))
}
