package gitlabcore_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

// gatewayClass reads the GatewayClass an instance brings along; nil when there is none.
func (i *instance) gatewayClass(ctx context.Context) *unstructured.Unstructured {
	GinkgoHelper()
	class := classOf(i.namespace)
	err := w.Live.Get(ctx, client.ObjectKeyFromObject(class), class)
	if apierrors.IsNotFound(err) {
		return nil
	}
	Expect(err).NotTo(HaveOccurred())
	return class
}

// classOf is a GatewayClass of the name that the instance of a namespace gives its own.
func classOf(namespace string) *unstructured.Unstructured {
	class := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"controllerName": "gateway.example.com/theirs"}}}
	class.SetAPIVersion("gateway.networking.k8s.io/v1")
	class.SetKind("GatewayClass")
	class.SetName(namespace + ".instance")
	return class
}

// gone runs the pass of a deletion and reports whether the resource is let go.
func (i *instance) gone(ctx context.Context) bool {
	GinkgoHelper()
	_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
	Expect(err).NotTo(HaveOccurred())
	core := &v2alpha1.GitLabCore{}
	err = w.Live.Get(ctx, request(i.namespace).NamespacedName, core)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	return apierrors.IsNotFound(err) || len(core.Finalizers) == 0
}

var _ = Describe("A GitLabCore that is deleted", func() {
	It("takes its GatewayClass along, and leaves that of the one that is called alike in another namespace", func(ctx context.Context) {
		i, other := create(ctx, routed), create(ctx, routed)
		core := i.pass(ctx)
		other.pass(ctx)
		Expect(core.Status.RenderedKinds).To(ContainElement("gateway.networking.k8s.io/v1/GatewayClass"))
		Expect(i.gatewayClass(ctx).GetOwnerReferences()).To(BeEmpty(), "the garbage collector does not take it")
		theirs, kinds := other.gatewayClass(ctx), other.read(ctx).Status.RenderedKinds
		Expect(theirs).NotTo(BeNil())
		kept := inventory(ctx, other.namespace, kinds)

		Expect(w.Live.Delete(ctx, core)).To(Succeed())
		Expect(i.gone(ctx)).To(BeTrue())
		Expect(i.gatewayClass(ctx)).To(BeNil())
		Expect(other.gatewayClass(ctx)).To(Equal(theirs))
		Expect(inventory(ctx, other.namespace, kinds)).To(Equal(kept))
	})

	It("leaves a GatewayClass of its name that belongs to another release, which it never took over", func(ctx context.Context) {
		i := create(ctx, routed)
		theirs := classOf(i.namespace)
		theirs.SetLabels(object.Release{Name: "other", Namespace: "elsewhere", Kind: "gitlabcore"}.Labels())
		Expect(w.Live.Create(ctx, theirs)).To(Succeed())
		core, message := i.fails(ctx)
		Expect(message).To(And(ContainSubstring("GatewayClass "+theirs.GetName()), ContainSubstring("elsewhere/other")))
		Expect(i.gatewayClass(ctx)).To(Equal(theirs))
		Expect(w.Live.Delete(ctx, core)).To(Succeed())
		Expect(i.gone(ctx)).To(BeTrue())
		Expect(i.gatewayClass(ctx)).To(Equal(theirs))
	})

	It("leaves everything of its release where the deletion asks to orphan it", func(ctx context.Context) {
		i := create(ctx, routed)
		core := i.pass(ctx)
		class, before := i.gatewayClass(ctx), inventory(ctx, i.namespace, core.Status.RenderedKinds)
		Expect(before).NotTo(BeEmpty())
		Expect(w.Live.Delete(ctx, core, client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
		Expect(i.gone(ctx)).To(BeFalse())
		Expect(i.read(ctx).Finalizers).To(ConsistOf(metav1.FinalizerOrphanDependents), "the garbage collector has its own part to do")
		Expect(inventory(ctx, i.namespace, core.Status.RenderedKinds)).To(Equal(before))
		Expect(i.gatewayClass(ctx)).To(Equal(class))
	})
})
