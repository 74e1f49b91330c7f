package gitlabcore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

var errInjected = errors.New("the API server does not answer this call")

// failing returns a client whose call number n fails once, before or after it reached the server.
func failing(c client.WithWatch, n int64, after bool) (client.Client, *atomic.Int64) {
	var calls atomic.Int64
	once := func(do func() error) error {
		if calls.Add(1) != n {
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
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return once(func() error { return c.Create(ctx, o, opts...) })
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
	}), &calls
}

// inventory lists the release's objects of a namespace: what an intact release has.
func inventory(ctx context.Context, namespace string, kinds []string) []string {
	GinkgoHelper()
	var out []string
	for _, kind := range kinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(listKind(kind))
		Expect(w.live.List(ctx, list, client.InNamespace(namespace), client.HasLabels{object.LabelReleaseName})).To(Succeed())
		for _, o := range list.Items {
			if o.DeletionTimestamp.IsZero() {
				out = append(out, kind+" "+o.Name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// settle reconciles with fresh managers until a pass neither fails nor leaves anything to write.
func settle(ctx context.Context, c client.Client, namespace string) {
	GinkgoHelper()
	var err error
	for range 8 {
		var result ctrl.Result
		result, err = w.reconciler(c, time.Now).Reconcile(ctx, request(namespace))
		if err == nil && result.RequeueAfter >= time.Second {
			return
		}
		// An error, or a pass that began from a stale read and is made again at once.
	}
	Fail(fmt.Sprintf("the resource does not settle: %v", err))
}

// Every call of a first pass, and of one that prunes, fails once in turn. The manager is a new one after each failure, so
// this is also the crash at every point between two calls.
var _ = Describe("An API server that fails each call once", Label("slow"), func() {
	shellOff := []byte(`{"shared-secrets":{"enabled":false},"prometheus":{"install":false},"gitlab":{"toolbox":{"enabled":false},"gitlab-shell":{"enabled":false}}}`)

	It("never leads to a lost or wrongly pruned object", func(ctx context.Context) {
		whole, pruned, first, second := reference(ctx, shellOff)
		for _, after := range []bool{false, true} {
			for n := int64(1); n <= first; n++ {
				namespace := stored(ctx)
				c, _ := failing(w.live, n, after)
				settle(ctx, c, namespace)
				Expect(inventory(ctx, namespace, kindsOf(ctx, namespace))).To(Equal(whole), "call %d of %d, after=%v", n, first, after)
			}
		}
		for n := int64(1); n <= second; n++ {
			namespace := stored(ctx)
			settle(ctx, w.live, namespace)
			change(ctx, namespace, shellOff)
			c, _ := failing(w.live, n, n%2 == 0)
			settle(ctx, c, namespace)
			settle(ctx, w.live, namespace)
			Expect(inventory(ctx, namespace, kindsOf(ctx, namespace))).To(Equal(pruned), "call %d of %d of the pruning pass", n, second)
		}
		_, _ = fmt.Fprintf(GinkgoWriter, "%d calls of a first pass, %d of a pruning one\n", first, second)
	}, NodeTimeout(15*time.Minute))
})

// reference makes both passes without any fault and returns what is there after each, and how many calls each took.
func reference(ctx context.Context, shellOff []byte) (whole, pruned []string, first, second int64) {
	GinkgoHelper()
	namespace := stored(ctx)
	c, calls := failing(w.live, -1, false)
	settle(ctx, c, namespace)
	first = calls.Load()
	whole = inventory(ctx, namespace, kindsOf(ctx, namespace))
	change(ctx, namespace, shellOff)
	c, calls = failing(w.live, -1, false)
	settle(ctx, c, namespace)
	second = calls.Load()
	pruned = inventory(ctx, namespace, kindsOf(ctx, namespace))
	Expect(len(pruned)).To(BeNumerically("<", len(whole)))
	return whole, pruned, first, second
}

func stored(ctx context.Context) string {
	GinkgoHelper()
	namespace, err := w.namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
	Expect(w.live.Create(ctx, small(namespace))).To(Succeed())
	return namespace
}

func change(ctx context.Context, namespace string, values []byte) {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	Expect(w.live.Get(ctx, request(namespace).NamespacedName, core)).To(Succeed())
	core.Spec.Chart.Values.Raw = values
	Expect(w.live.Update(ctx, core)).To(Succeed())
}

func kindsOf(ctx context.Context, namespace string) []string {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	Expect(w.live.Get(ctx, request(namespace).NamespacedName, core)).To(Succeed())
	return core.Status.RenderedKinds
}
