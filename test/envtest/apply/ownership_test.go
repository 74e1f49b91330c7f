package apply_test

import (
	"context"
	"errors"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
)

// sprintf is fmt.Sprintf under a name that reads as «fill in the manifest».
func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

var _ = Describe("whose an object is", func() {
	var ctx context.Context
	var r release
	BeforeEach(func() {
		ctx = context.Background()
		r = newRelease(ctx, live)
	})

	DescribeTable("an object that was there before",
		func(change func(*corev1.ConfigMap), want apply.Action, named string) {
			there := &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: "shared"},
				Data:       map[string]string{"key": "theirs"},
			}
			change(there)
			Expect(live.Create(ctx, there)).To(Succeed())
			changes := r.apply(ctx, configMap("shared", "ours"), configMap("next", "ours"))
			Expect(changes[0].Action).To(Equal(want))
			Expect(changes[1].Action).To(Equal(apply.Created), "one foreign object stops no other")

			var stored corev1.ConfigMap
			Expect(live.Get(ctx, client.ObjectKeyFromObject(there), &stored)).To(Succeed())
			if want != apply.Foreign {
				Expect(stored.Data["key"]).To(Equal("ours"))
				return
			}
			Expect(stored.ResourceVersion).To(Equal(there.ResourceVersion), "not touched at all")
			var other *apply.ForeignError
			Expect(errors.As(changes[0].Err, &other)).To(BeTrue())
			Expect(other.Owner).To(ContainSubstring("acme"))
			Expect(other.Other).To(ContainSubstring(named))
			Expect(changes.Failed()).To(HaveLen(1))
		},
		Entry("made by hand is adopted", func(*corev1.ConfigMap) {}, apply.Configured, ""),
		Entry("of another release is not", func(c *corev1.ConfigMap) {
			c.Labels = object.Release{Name: "other", Namespace: c.Namespace, Kind: "gitlabcore"}.Labels()
		}, apply.Foreign, "other"),
		Entry("of a release of the same name and another kind is not", func(c *corev1.ConfigMap) {
			c.Labels = object.Release{Name: "acme", Namespace: c.Namespace, Kind: "siphon"}.Labels()
		}, apply.Foreign, "siphon"),
		Entry("labelled as ours before the kind label existed is adopted", func(c *corev1.ConfigMap) {
			c.Labels = map[string]string{object.LabelReleaseName: "acme", object.LabelReleaseNamespace: c.Namespace}
		}, apply.Configured, ""),
		Entry("with another controller is not, whatever its labels say", func(c *corev1.ConfigMap) {
			c.Labels = object.Release{Name: "acme", Namespace: c.Namespace, Kind: "gitlabcore"}.Labels()
			c.OwnerReferences = []metav1.OwnerReference{controller("Deployment", "web", "4711")}
		}, apply.Foreign, "Deployment web"),
		Entry("of an earlier owner of this name waits for the garbage collector", func(c *corev1.ConfigMap) {
			owner := controller("ConfigMap", "gitlabcore-acme", "4711")
			owner.APIVersion = "v1"
			c.OwnerReferences = []metav1.OwnerReference{owner}
		}, apply.Foreign, "earlier"),
		Entry("with an owner that is no controller is adopted", func(c *corev1.ConfigMap) {
			owner := controller("Deployment", "web", "4711")
			owner.Controller = nil
			c.OwnerReferences = []metav1.OwnerReference{owner}
		}, apply.Configured, ""),
		Entry("of another Helm release is not", func(c *corev1.ConfigMap) { helm(c, "other", c.Namespace) }, apply.Foreign, "Helm release"),
		Entry("of a Helm release of this name in another namespace is not", func(c *corev1.ConfigMap) { helm(c, "acme", "other") }, apply.Foreign, "other/acme"),
		Entry("left by the Helm release of this name and namespace is adopted", func(c *corev1.ConfigMap) { helm(c, "acme", c.Namespace) }, apply.Configured, ""),
		Entry("that only has the label every chart writes is adopted", func(c *corev1.ConfigMap) {
			c.Labels = map[string]string{"app.kubernetes.io/managed-by": "Helm"}
		}, apply.Configured, ""),
		Entry("of a Flux Kustomization is not", func(c *corev1.ConfigMap) {
			c.Labels = map[string]string{"kustomize.toolkit.fluxcd.io/name": "infra", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
		}, apply.Foreign, "flux-system/infra"),
		Entry("of an Argo CD application is not", func(c *corev1.ConfigMap) {
			c.Annotations = map[string]string{"argocd.argoproj.io/tracking-id": "infra:/ConfigMap:ns/shared"}
		}, apply.Foreign, "infra"),
	)
})

func controller(kind, name string, uid types.UID) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: name, UID: uid, Controller: &yes}
}

// helm marks an object as Helm does on install.
func helm(c *corev1.ConfigMap, release, namespace string) {
	c.Labels = map[string]string{"app.kubernetes.io/managed-by": "Helm"}
	c.Annotations = map[string]string{"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace}
}
