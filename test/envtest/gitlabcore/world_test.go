// Package gitlabcore_test takes the GitLabCore reconciler through its life against a real API server. No controller runs
// there, so the specs play the Job controller themselves and workloads never become ready.
package gitlabcore_test

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
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabcore"
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

// world is one API server with the definitions installed, and what every reconciler of a suite shares.
type world struct {
	environment *envtest.Environment
	config      *rest.Config
	scheme      *runtime.Scheme
	live        client.WithWatch
	catalogue   *chart.Catalogue
	set         *definition.Set
	checker     *schema.Checker
	renders     atomic.Int64
	namespaces  atomic.Int64
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
	w.environment = &envtest.Environment{ControlPlaneStartTimeout: 2 * time.Minute, CRDs: definitions(tb, append(files, routing)...)}
	// Every spec of the fault suite has Services of its own, and nothing collects them here.
	w.environment.ControlPlane.GetAPIServer().Configure().Set("service-cluster-ip-range", "10.0.0.0/16")
	w.config, err = w.environment.Start()
	must(err)
	tb.Cleanup(func() { _ = w.environment.Stop() })
	w.config.QPS, w.config.Burst = 500, 1000
	w.live, err = client.NewWithWatch(w.config, client.Options{Scheme: w.scheme})
	must(err)

	folder := fstest.MapFS{}
	for _, v := range []string{"10.3.0", "10.4.0", "10.4.1", "10.5.0"} {
		archive, err := charts.Archive(v)
		must(err)
		folder["gitlab-"+v+".tgz"] = &fstest.MapFile{Data: archive}
	}
	var problems []chart.Problem
	w.catalogue, problems = chart.OpenCatalogue(folder, chart.DefaultLimits())
	if len(problems) > 0 {
		tb.Fatalf("charts that cannot be used: %v", problems)
	}
	return w
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
	if len(out) < 2 {
		tb.Fatalf("read %d definitions", len(out))
	}
	return out
}

// Render renders in process and counts.
func (w *world) Render(ctx context.Context, req render.Request) (render.Release, error) {
	w.renders.Add(1)
	return render.Render(ctx, req)
}

// reconciler returns a reconciler that talks through the given client, with a memory of its own: a manager that has
// just started.
func (w *world) reconciler(c client.Client, now func() time.Time) *gitlabcore.Reconciler {
	d := discovery.NewDiscoveryClientForConfigOrDie(w.config)
	reviewer := &admit.Reviewer{
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
	return &gitlabcore.Reconciler{
		Cached: c, Reviewer: reviewer, Now: now,
		Engine: &release.Engine{
			Client: c, Manager: gitlabcore.Manager, Renderer: w, Memory: release.NewMemory(), Metadata: c,
			Events: events.NewFakeRecorder(1000),
		},
	}
}

// namespace makes a namespace of its own for a spec.
func (w *world) namespace(ctx context.Context) (string, error) {
	name := fmt.Sprintf("spec-%d", w.namespaces.Add(1))
	return name, w.live.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// small is a GitLabCore whose release is as small as the chart allows: no hooks, a handful of components.
func small(namespace string) *v2alpha1.GitLabCore {
	ref := v2alpha1.SecretKeyRef{Name: "credentials", Key: "password"}
	return &v2alpha1.GitLabCore{
		ObjectMeta: metav1.ObjectMeta{Name: "instance", Namespace: namespace},
		Spec: v2alpha1.GitLabCoreSpec{
			Version:       v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: "10.4.0"},
			Hostname:      "gitlab.example.com",
			PostgreSQL:    &v2alpha1.Connection{Host: "postgresql", PasswordSecretRef: ref},
			Redis:         &v2alpha1.Connection{Host: "redis", PasswordSecretRef: ref},
			ObjectStorage: &v2alpha1.ObjectStorage{ConnectionSecretRef: ref},
			Chart: &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(
				`{"shared-secrets":{"enabled":false},"prometheus":{"install":false},"gitlab":{"toolbox":{"enabled":false}}}`)}},
		},
	}
}

// withHooks is a GitLabCore whose release has the shared-secrets hooks.
func withHooks(namespace string) *v2alpha1.GitLabCore {
	core := small(namespace)
	core.Spec.Chart.Values.Raw = []byte(`{"prometheus":{"install":false}}`)
	return core
}

// request names the resource of a namespace.
func request(namespace string) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: "instance"}}
}

// counting returns a client that counts what it sends, and the counts.
func counting(c client.WithWatch) (client.Client, *calls) {
	n := &calls{}
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			n.reads.Add(1)
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			n.reads.Add(1)
			return c.List(ctx, l, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			n.writes.Add(1)
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			n.writes.Add(1)
			return c.Update(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			n.writes.Add(1)
			return c.Patch(ctx, o, p, opts...)
		},
		Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			n.writes.Add(1)
			return c.Apply(ctx, o, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			n.writes.Add(1)
			return c.Delete(ctx, o, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			n.writes.Add(1)
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}), n
}

type calls struct{ reads, writes atomic.Int64 }

// oneLine makes a message readable in a failure.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }
