package addons_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/controller/orbit"
	"github.com/portcullis-operator/portcullis/internal/controller/siphon"
	"github.com/portcullis-operator/portcullis/internal/object"
)

var errInjected = errors.New("the API server does not answer this call")

// failing returns a client whose call number n fails once, before or after it reached the server, and the count.
func failing(c client.WithWatch, n int64, after bool) (client.Client, *atomic.Int64) {
	var sent atomic.Int64
	once := func(do func() error) error {
		if sent.Add(1) != n {
			return do()
		}
		if after {
			_ = do()
		}
		return errInjected
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			return once(func() error { return c.Get(ctx, key, o, opts...) })
		},
		List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			return once(func() error { return c.List(ctx, l, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return once(func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			return once(func() error { return c.Apply(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return once(func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return once(func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	}), &sent
}

// settle reconciles with managers that have just started until a pass neither fails nor asks to be made again at once.
func (p *place) settle(ctx context.Context, name string, starts func() reconcile.Reconciler) {
	GinkgoHelper()
	var err error
	for range 8 {
		var result ctrl.Result
		result, err = p.reconcile(ctx, starts(), name)
		if err == nil && (result.RequeueAfter == 0 || result.RequeueAfter >= time.Second) {
			return
		}
	}
	Expect(err).NotTo(HaveOccurred(), "the resource does not settle")
}

// inventory is what an intact release has.
func (p *place) inventory(ctx context.Context) []string {
	GinkgoHelper()
	var out []string
	for _, list := range []client.ObjectList{&appsv1.DeploymentList{}, &corev1.ConfigMapList{}, &corev1.ServiceList{}, &corev1.ServiceAccountList{}} {
		Expect(w.live.List(ctx, list, client.InNamespace(p.namespace), client.HasLabels{object.LabelReleaseName})).To(Succeed())
		names, err := runtime.DefaultUnstructuredConverter.ToUnstructured(list)
		Expect(err).NotTo(HaveOccurred())
		items, _ := names["items"].([]any)
		for _, item := range items {
			metadata, _ := item.(map[string]any)["metadata"].(map[string]any)
			name, _ := metadata["name"].(string)
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Every call of a first pass fails once in turn, before or after it reached the server. The manager is a new one each
// time, so this is also the crash between any two calls.
var _ = Describe("An API server that fails each call once", Label("slow"), func() {
	for _, kind := range []struct {
		name  string
		start func(p *place, c client.Client) reconcile.Reconciler
	}{
		{siphonName, func(p *place, c client.Client) reconcile.Reconciler {
			return &siphon.Reconciler{Cached: c, Reviewer: p.siphons.Reviewer, Engine: w.engine(c, siphon.Manager, p.events), Tables: p.shelf, Now: time.Now}
		}},
		{orbitName, func(p *place, c client.Client) reconcile.Reconciler {
			return &orbit.Reconciler{Cached: c, Reviewer: p.orbits.Reviewer, Engine: w.engine(c, orbit.Manager, p.events), Now: time.Now}
		}},
	} {
		It("never leads to a lost object, nor to one left behind: "+kind.name, func(ctx context.Context) {
			whole, first := firstPass(ctx, kind.name, kind.start, -1)
			Expect(len(whole)).To(BeNumerically(">", 8))
			for n := int64(1); n <= first; n++ {
				got, _ := firstPass(ctx, kind.name, kind.start, n)
				Expect(got).To(Equal(whole), "call %d of %d", n, first)
			}
		}, NodeTimeout(5*time.Minute))
	}
})

// firstPass takes one resource through its first pass and its deletion, with call number n of the pass failing, and returns
// what there was in between and how many calls there were.
func firstPass(ctx context.Context, name string, start func(p *place, c client.Client) reconcile.Reconciler, n int64) ([]string, int64) {
	GinkgoHelper()
	p := beside(ctx, nil)
	c, sent := failing(w.live, n, n%2 == 0)
	p.settle(ctx, name, func() reconcile.Reconciler { return start(p, c) })
	calls := sent.Load()
	there := p.inventory(ctx)
	var o client.Object = &v2alpha1.Orbit{}
	if name == siphonName {
		o = &v2alpha1.Siphon{}
	}
	Expect(w.live.Delete(ctx, p.get(ctx, o, name))).To(Succeed())
	p.settle(ctx, name, func() reconcile.Reconciler { return start(p, w.live) })
	Expect(p.inventory(ctx)).To(BeEmpty())
	return there, calls
}
