package addons_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// versions is a ConfigMap that says which chart version to run.
func versions(namespace, name, version string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: meta(namespace, name), Data: map[string]string{"chart": version}}
}

var _ = Describe("The version of an add-on", func() {
	It("comes from a ConfigMap, is rendered again when that changes, and keeps what runs while it gives none", func(ctx context.Context) {
		p := beside(ctx, nil)
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Version = referenced("versions") })
		unresolved := func(text string) *v2alpha1.Orbit {
			GinkgoHelper()
			o := p.passOrbit(ctx)
			Expect(says(o, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonVersionUnresolved)).To(ContainSubstring(text))
			says(o, v2alpha1.ConditionAvailable, metav1.ConditionUnknown, v2alpha1.ReasonVersionUnresolved)
			return o
		}
		Expect(unresolved("ConfigMap versions").Status.Version).To(BeEmpty())
		Expect(p.deployments(ctx)).To(BeEmpty())
		store(ctx, versions(p.namespace, "versions", " 4.0.0\n"), nil)
		Expect(p.goes(ctx).Status.Version).To(Equal("4.0.0"))
		edit(ctx, p, &corev1.ConfigMap{}, "versions", func(c *corev1.ConfigMap) { c.Data["chart"] = "4.1.0" })
		Expect(p.goes(ctx).Status.Version).To(Equal("4.1.0"))

		edit(ctx, p, &corev1.ConfigMap{}, "versions", func(c *corev1.ConfigMap) { c.Data["chart"] = "the newest" })
		Expect(unresolved("must hold a semantic version").Status.Version).To(Equal("4.1.0"))
		edit(ctx, p, &corev1.ConfigMap{}, "versions", func(c *corev1.ConfigMap) { delete(c.Data, "chart") })
		Expect(unresolved("has no key chart").Status.Phase).To(Equal(v2alpha1.PhaseRunning))
		Expect(w.Live.Delete(ctx, versions(p.namespace, "versions", ""))).To(Succeed())
		Expect(unresolved("does not exist").Status.TargetVersion).To(Equal("4.1.0"))
		Expect(p.deployments(ctx)).To(HaveLen(4))
	})

	It("of a Siphon comes from a ConfigMap too", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newCore(p.namespace), running)
		s := newSiphon(p.namespace)
		s.Spec.Version = referenced("versions")
		store(ctx, s, nil)
		says(p.passSiphon(ctx), v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonVersionUnresolved)
		store(ctx, versions(p.namespace, "versions", "1.17.0"), nil)
		Expect(p.passSiphon(ctx).Status.Version).To(Equal("1.17.0"))
		Expect(w.Live.Delete(ctx, versions(p.namespace, "versions", ""))).To(Succeed())
		s = p.passSiphon(ctx)
		says(s, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonVersionUnresolved)
		Expect(s.Status.Version).To(Equal("1.17.0"))
		Expect(p.deployments(ctx)).To(HaveLen(3))
	})
})

// monitoring are the kinds of the Prometheus operator, open stand-ins without a schema.
func monitoring() []*apiextensionsv1.CustomResourceDefinition {
	var out []*apiextensionsv1.CustomResourceDefinition
	for kind, plural := range map[string]string{"PodMonitor": "podmonitors", "PrometheusRule": "prometheusrules"} {
		open := true
		d := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: plural + ".monitoring.coreos.com"}}
		d.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "monitoring.coreos.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, ListKind: kind + "List", Plural: plural},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &open,
				}},
			}},
		}
		out = append(out, d)
	}
	return out
}

var _ = Describe("PodMonitors and PrometheusRules", func() {
	It("are rendered only on a cluster that serves them", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newCore(p.namespace), running)
		store(ctx, newSiphon(p.namespace), nil)
		Expect(p.passSiphon(ctx).Status.RenderedKinds).NotTo(ContainElement("monitoring.coreos.com/v1/PodMonitor"))
		p.siphonReports(ctx, publishing)
		store(ctx, newOrbit(p.namespace), nil)
		Expect(p.goes(ctx).Status.RenderedKinds).NotTo(ContainElement("monitoring.coreos.com/v1/PodMonitor"))

		definitions := monitoring()
		_, err := envtest.InstallCRDs(w.Config, envtest.CRDInstallOptions{CRDs: definitions})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() {
			Expect(envtest.UninstallCRDs(w.Config, envtest.CRDInstallOptions{CRDs: definitions})).To(Succeed())
			// The API server serves a kind for a while after its definition went; the next spec must not meet it.
			Eventually(func() error {
				_, err := discovery.NewDiscoveryClientForConfigOrDie(w.Config).ServerResourcesForGroupVersion("monitoring.coreos.com/v1")
				return err
			}, time.Minute, 200*time.Millisecond).Should(Satisfy(apierrors.IsNotFound))
		})
		p.restart()
		says(p.passSiphon(ctx), v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		p.siphonReports(ctx, publishing)
		Expect(p.goes(ctx).Status.RenderedKinds).To(ContainElements("monitoring.coreos.com/v1/PodMonitor", "monitoring.coreos.com/v1/PrometheusRule"))
		for kind, names := range map[string][]string{
			"PodMonitor": {producer + "-podmonitor", webserver, sdlc}, "PrometheusRule": {"graph-orbit-alerts"},
		} {
			for _, name := range names {
				u := &unstructured.Unstructured{}
				u.SetGroupVersionKind(schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: kind})
				Expect(p.exists(ctx, u, name)).To(BeTrue(), "%s %s", kind, name)
			}
		}
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart = freeForm(`{"metrics":{"prometheus":{"enabled":false}}}`) })
		p.goes(ctx)
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "PodMonitor"})
		Expect(p.exists(ctx, u, webserver)).To(BeFalse(), "the values can turn them off")
	})
})
