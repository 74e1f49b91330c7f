// Package addons_test takes the Siphon and Orbit reconcilers through their lives against a real API server, with the
// stand-in charts rendered in process. No controller runs there: the specs write the status of the instance an add-on
// builds on, and roll out its workloads themselves.
package addons_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/facts"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/render/capabilities"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// needsAPIServer is what a suite says that cannot run.
const needsAPIServer = "KUBEBUILDER_ASSETS is not set: this suite needs a real API server (task test:envtest)"

// world is one API server with the definitions installed, and what every reconciler of the suite shares.
type world struct {
	config     *rest.Config
	scheme     *runtime.Scheme
	live       client.WithWatch
	catalogue  *chart.Catalogue
	set        *definition.Set
	checker    *schema.Checker
	renders    atomic.Int64
	namespaces atomic.Int64
}

// newWorld starts an API server. It fails the test where that does not work.
func newWorld(tb testing.TB) *world {
	tb.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		tb.Skip(needsAPIServer)
	}
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	w := &world{scheme: runtime.NewScheme(), checker: schema.NewChecker()}
	must(clientgoscheme.AddToScheme(w.scheme))
	must(apiextensionsv1.AddToScheme(w.scheme))
	must(v2alpha1.AddToScheme(w.scheme))
	files, err := crd.Files()
	must(err)
	w.set, err = definition.New(files...)
	must(err)
	routing, err := charts.Definitions()
	must(err)
	environment := &envtest.Environment{ControlPlaneStartTimeout: 2 * time.Minute, CRDs: definitions(tb, append(files, routing)...)}
	environment.ControlPlane.GetAPIServer().Configure().Set("service-cluster-ip-range", "10.0.0.0/16")
	w.config, err = environment.Start()
	must(err)
	tb.Cleanup(func() { _ = environment.Stop() })
	w.config.QPS, w.config.Burst = 500, 1000
	w.live, err = client.NewWithWatch(w.config, client.Options{Scheme: w.scheme})
	must(err)
	w.catalogue = catalogue(tb)
	return w
}

// catalogue holds the charts a manager of this suite comes with: every Siphon and Orbit chart, and a GitLab chart on
// either side of 10.4.
func catalogue(tb testing.TB) *chart.Catalogue {
	tb.Helper()
	folder := fstest.MapFS{}
	for of, versions := range map[*charts.Chart][]string{
		new(charts.GitLab()): {"10.3.0", "10.4.0"}, new(charts.Siphon()): charts.Siphon().Versions(), new(charts.Orbit()): charts.Orbit().Versions(),
	} {
		for _, v := range versions {
			archive, err := of.Archive(v)
			if err != nil {
				tb.Fatal(err)
			}
			folder[of.Name()+"-"+v+".tgz"] = &fstest.MapFile{Data: archive}
		}
	}
	opened, problems := chart.OpenCatalogue(folder, chart.DefaultLimits())
	if len(problems) > 0 {
		tb.Fatalf("charts that cannot be used: %v", problems)
	}
	return opened
}

// withPool holds an Orbit chart with one pool of another name in place of its own two.
func withPool(tb testing.TB, pool string) *chart.Catalogue {
	tb.Helper()
	files, err := charts.Orbit().Files("4.1.0")
	if err != nil {
		tb.Fatal(err)
	}
	folder := fstest.MapFS{}
	for name, content := range files {
		if name == "values.yaml" {
			before, rest, found := strings.Cut(string(content), "    sdlc:\n")
			_, after, closed := strings.Cut(rest, "\n\n")
			if !found || !closed {
				tb.Fatal("the chart has no pools where they were looked for")
			}
			content = []byte(before + "    " + pool + ": {}\n\n" + after)
		}
		folder["orbit/"+name] = &fstest.MapFile{Data: content}
	}
	opened, problems := chart.OpenCatalogue(folder, chart.DefaultLimits())
	if len(problems) > 0 {
		tb.Fatalf("a chart that cannot be used: %v", problems)
	}
	return opened
}

func definitions(tb testing.TB, files ...[]byte) []*apiextensionsv1.CustomResourceDefinition {
	tb.Helper()
	var out []*apiextensionsv1.CustomResourceDefinition
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(bytes.Join(files, []byte("\n---\n"))), 4096)
	for {
		d := &apiextensionsv1.CustomResourceDefinition{}
		if err := decoder.Decode(d); err != nil {
			break
		}
		if d.Name != "" {
			out = append(out, d)
		}
	}
	if len(out) < 4 {
		tb.Fatalf("read %d definitions", len(out))
	}
	return out
}

// Render renders in process and counts.
func (w *world) Render(ctx context.Context, req render.Request) (render.Release, error) {
	w.renders.Add(1)
	return render.Render(ctx, req)
}

// reviewer makes the check on facts read through the given client. What the cluster serves is read once.
func (w *world) reviewer(c client.Client) *admit.Reviewer {
	d := discovery.NewDiscoveryClientForConfigOrDie(w.config)
	return &admit.Reviewer{
		Definitions: w.set,
		Tools:       plan.Tools{Schemas: w.checker, Renderer: w},
		Settings:    derive.Settings{ManagerServiceAccount: "gitlab-manager"},
		Facts: &facts.Cluster{Reader: c, Resources: c, Catalogue: w.catalogue, Served: &facts.Snapshot{
			TTL: time.Hour, Now: time.Now,
			Read: func(ctx context.Context) (plan.Capabilities, error) {
				served, err := capabilities.Read(ctx, d)
				return plan.Capabilities{Capabilities: served}, err
			},
		}},
	}
}

// engine performs plans through the given client, with a memory of its own: that of a manager that has just started.
func (w *world) engine(c client.Client, manager string, recorder events.EventRecorder) *release.Engine {
	return &release.Engine{
		Client: c, Manager: manager, Renderer: w, Memory: release.NewMemory(), Metadata: c, Events: recorder,
	}
}

// namespace makes a namespace of its own for a spec.
func (w *world) namespace(ctx context.Context) (string, error) {
	name := fmt.Sprintf("spec-%d", w.namespaces.Add(1))
	return name, w.live.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// oneLine makes a message readable in a failure.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }
