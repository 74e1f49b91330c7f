// Package gitlabsecrets_test takes the GitLabSecrets reconciler through its life against a real API server.
package gitlabsecrets_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabsecrets"
)

// needsAPIServer is what a suite says that cannot run.
const needsAPIServer = "KUBEBUILDER_ASSETS is not set: this suite needs a real API server (task test:envtest)"

// keysAtOnce is how many keys a forge of the suite makes at once.
const keysAtOnce = 2

// world is one API server with the definitions installed.
type world struct {
	config     *rest.Config
	scheme     *runtime.Scheme
	live       client.WithWatch
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
	w := &world{scheme: runtime.NewScheme()}
	must(clientgoscheme.AddToScheme(w.scheme))
	must(apiextensionsv1.AddToScheme(w.scheme))
	must(v2alpha1.AddToScheme(w.scheme))
	files, err := crd.Files()
	must(err)
	environment := &envtest.Environment{ControlPlaneStartTimeout: 2 * time.Minute, CRDs: definitions(tb, files...)}
	w.config, err = environment.Start()
	must(err)
	tb.Cleanup(func() { _ = environment.Stop() })
	w.config.QPS, w.config.Burst = 2000, 4000
	w.live, err = client.NewWithWatch(w.config, client.Options{Scheme: w.scheme})
	must(err)
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

// namespace makes a namespace of its own for a spec.
func (w *world) namespace(ctx context.Context) (string, error) {
	name := fmt.Sprintf("spec-%d", w.namespaces.Add(1))
	return name, w.live.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// reconciler returns a reconciler that talks through the given client, with an empty forge: a manager that has just
// started.
func (w *world) reconciler(c client.Client, told *told, now func() time.Time) *gitlabsecrets.Reconciler {
	return &gitlabsecrets.Reconciler{
		Client: c, Cached: c, Events: told, Random: rand.Reader, Now: now,
		Forge: gitlabsecrets.NewForge(keysAtOnce, rand.Reader, now),
	}
}

// told keeps the events people would see.
type told struct {
	mu     sync.Mutex
	events []string
}

// Eventf notes an event.
func (t *told) Eventf(_, related runtime.Object, eventtype, reason, _, note string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	about := ""
	if o, ok := related.(metav1.Object); ok {
		about = o.GetName()
	}
	t.events = append(t.events, fmt.Sprintf("%s %s %s: %s", eventtype, reason, about, fmt.Sprintf(note, args...)))
}

// all returns the events of a reason so far.
func (t *told) all(reason string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.events), func(e string) bool { return !strings.Contains(e, " "+reason+" ") })
}

// name is what the GitLabSecrets of every spec is called.
const name = "instance"

func request(namespace string) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}}
}

// calls counts what a client sends, and notes each write.
type calls struct {
	reads, writes atomic.Int64
	mu            sync.Mutex
	log           []string
}

func (n *calls) write(verb string, o client.Object, dry bool) {
	n.writes.Add(1)
	n.mu.Lock()
	defer n.mu.Unlock()
	if dry {
		verb = "dry " + verb
	}
	n.log = append(n.log, verb+" "+o.GetName())
}

// counting returns a client that counts what it sends.
func counting(c client.WithWatch) (client.WithWatch, *calls) {
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
			n.write("create", o, len((&client.CreateOptions{}).ApplyOptions(opts).DryRun) > 0)
			return c.Create(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			n.write("patch", o, len((&client.PatchOptions{}).ApplyOptions(opts).DryRun) > 0)
			return c.Patch(ctx, o, p, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			n.write("status", o, false)
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}), n
}
