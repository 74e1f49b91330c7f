package gitlabcore_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// inventory lists the release's objects of a namespace, and its cluster-scoped ones: what an intact release has.
func inventory(ctx context.Context, namespace string, kinds []string) []string {
	GinkgoHelper()
	var out []string
	for _, kind := range kinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(listKind(kind))
		Expect(w.Live.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{object.LabelReleaseNamespace: namespace})).To(Succeed())
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
		result, err = reconciler(c, time.Now).Reconcile(ctx, request(namespace))
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
	shellOff := without("gitlab-shell")

	It("never leads to a lost or wrongly pruned object", func(ctx context.Context) {
		whole, pruned, first, second := reference(ctx, shellOff)
		for _, after := range []bool{false, true} {
			for n := int64(1); n <= first; n++ {
				namespace := stored(ctx)
				settle(ctx, world.Failing(w.Live, world.Fault{Call: n, After: after}), namespace)
				Expect(inventory(ctx, namespace, kindsOf(ctx, namespace))).To(Equal(whole), "call %d of %d, after=%v", n, first, after)
			}
		}
		for n := int64(1); n <= second; n++ {
			namespace := stored(ctx)
			settle(ctx, w.Live, namespace)
			change(ctx, namespace, shellOff)
			settle(ctx, world.Failing(w.Live, world.Fault{Call: n, After: n%2 == 0}), namespace)
			settle(ctx, w.Live, namespace)
			Expect(inventory(ctx, namespace, kindsOf(ctx, namespace))).To(Equal(pruned), "call %d of %d of the pruning pass", n, second)
		}
		_, _ = fmt.Fprintf(GinkgoWriter, "%d calls of a first pass, %d of a pruning one\n", first, second)
	}, NodeTimeout(15*time.Minute))
})

// reference makes both passes without any fault and returns what is there after each, and how many calls each took.
func reference(ctx context.Context, shellOff []byte) (whole, pruned []string, first, second int64) {
	GinkgoHelper()
	namespace := stored(ctx)
	c, calls := world.Counting(w.Live)
	settle(ctx, c, namespace)
	first = calls.Total()
	whole = inventory(ctx, namespace, kindsOf(ctx, namespace))
	change(ctx, namespace, shellOff)
	c, calls = world.Counting(w.Live)
	settle(ctx, c, namespace)
	second = calls.Total()
	pruned = inventory(ctx, namespace, kindsOf(ctx, namespace))
	Expect(len(pruned)).To(BeNumerically("<", len(whole)))
	return whole, pruned, first, second
}

func stored(ctx context.Context) string {
	GinkgoHelper()
	namespace := w.Namespace(ctx, GinkgoTB())
	Expect(w.Live.Create(ctx, small(namespace))).To(Succeed())
	return namespace
}

func change(ctx context.Context, namespace string, values []byte) {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	Expect(w.Live.Get(ctx, request(namespace).NamespacedName, core)).To(Succeed())
	core.Spec.Chart.Values.Raw = values
	Expect(w.Live.Update(ctx, core)).To(Succeed())
}

func kindsOf(ctx context.Context, namespace string) []string {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	Expect(w.Live.Get(ctx, request(namespace).NamespacedName, core)).To(Succeed())
	return core.Status.RenderedKinds
}
