package addons_test

import (
	"context"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/controller/orbit"
	"github.com/portcullis-operator/portcullis/internal/controller/siphon"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

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
		Expect(w.Live.List(ctx, list, client.InNamespace(p.namespace), client.HasLabels{object.LabelReleaseName})).To(Succeed())
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

// Every call of a first pass fails once in turn, before and after it reached the server. The manager is a new one each
// time, so this is also the crash between any two calls.
var _ = Describe("An API server that fails each call once", Label("slow"), func() {
	for _, kind := range []struct {
		name  string
		start func(p *place, c client.Client) reconcile.Reconciler
	}{
		{siphonName, func(p *place, c client.Client) reconcile.Reconciler {
			return &siphon.Reconciler{Cached: c, Reviewer: w.Reviewer(c), Engine: w.Engine(c, siphon.Manager, p.events), Tables: p.shelf, Now: time.Now}
		}},
		{orbitName, func(p *place, c client.Client) reconcile.Reconciler {
			return &orbit.Reconciler{Cached: c, Reviewer: w.Reviewer(c), Engine: w.Engine(c, orbit.Manager, p.events), Now: time.Now}
		}},
	} {
		It("never leads to a lost object, nor to one left behind: "+kind.name, func(ctx context.Context) {
			whole, first := firstPass(ctx, kind.name, kind.start, world.Fault{})
			Expect(len(whole)).To(BeNumerically(">", 8))
			for _, after := range []bool{false, true} {
				for n := int64(1); n <= first; n++ {
					got, calls := firstPass(ctx, kind.name, kind.start, world.Fault{Call: n, After: after})
					Expect(calls).To(BeNumerically(">=", n), "no call was lost")
					Expect(got).To(Equal(whole), "call %d of %d, after=%v", n, first, after)
				}
			}
		}, NodeTimeout(10*time.Minute))
	}
})

// firstPass takes one resource through its first pass and its deletion, with a call of the pass lost, and returns what there
// was in between and how many calls there were.
func firstPass(ctx context.Context, name string, start func(p *place, c client.Client) reconcile.Reconciler, lost world.Fault) ([]string, int64) {
	GinkgoHelper()
	p := beside(ctx, nil)
	c, sent := world.Counting(world.Failing(w.Live, lost))
	p.settle(ctx, name, func() reconcile.Reconciler { return start(p, c) })
	calls := sent.Total()
	there := p.inventory(ctx)
	var o client.Object = &v2alpha1.Orbit{}
	if name == siphonName {
		o = &v2alpha1.Siphon{}
	}
	Expect(w.Live.Delete(ctx, p.get(ctx, o, name))).To(Succeed())
	p.settle(ctx, name, func() reconcile.Reconciler { return start(p, w.Live) })
	Expect(p.inventory(ctx)).To(BeEmpty())
	return there, calls
}
