package addons_test

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// refused are values that turn on every option there is.
const refusedValues = `{
	"clickhouseSetup":{"enabled":true,"adminSecret":{"secretName":"admin"}},
	"dashboards":{"enabled":true},
	"healthCheck":{"enabled":true,"targets":[{"namespace":"other"}]},
	"indexer":{"keda":{"enabled":true},"pools":{"code":{"keda":{"enabled":true}}}}}`

// refusedFields are where they do it.
func refusedFields() []string {
	return []string{
		"spec.chart.values.clickhouseSetup.enabled", "spec.chart.values.dashboards.enabled", "spec.chart.values.healthCheck.enabled",
		"spec.chart.values.indexer.keda.enabled", "spec.chart.values.indexer.pools.code.keda.enabled",
	}
}

var _ = Describe("What an Orbit refuses", func() {
	It("is every refused option at once, each by its whole path, before anything is applied", func(ctx context.Context) {
		p := beside(ctx, nil)
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart = freeForm(refusedValues) })
		o := p.passOrbit(ctx)
		message := says(o, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonValueRefused)
		for _, field := range refusedFields() {
			Expect(message).To(ContainSubstring(field))
		}
		Expect(message).To(ContainSubstring("clickhouseSetup.enabled cannot be turned on: it creates users in ClickHouse"), "with why, as far as there is room")
		says(o, v2alpha1.ConditionAvailable, metav1.ConditionUnknown, v2alpha1.ReasonValueRefused)
		says(o, v2alpha1.ConditionStalled, metav1.ConditionTrue, v2alpha1.ReasonValueRefused)
		Expect(o.Status.Phase).To(Equal(v2alpha1.PhaseFailed))
		Expect(o.Status.RenderedKinds).To(BeEmpty())
		Expect(p.deployments(ctx)).To(BeEmpty())
		Expect(p.told()).To(ContainElement(And(HavePrefix("Warning ConfigError "), ContainSubstring("healthCheck"))))
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart = freeForm(strings.ReplaceAll(refusedValues, "true", "false")) })
		p.goes(ctx)
	})

	It("is refused as well of an Orbit that runs, whose workloads stay as they are", func(ctx context.Context) {
		p := whole(ctx)
		runs := p.deployments(ctx)
		p.orbit(ctx, func(o *v2alpha1.Orbit) {
			o.Spec.Chart = freeForm(`{"dashboards":{"enabled":true},"webserver":{"replicas":7}}`)
		})
		o := p.passOrbit(ctx)
		Expect(says(o, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonValueRefused)).To(ContainSubstring("spec.chart.values.dashboards.enabled"))
		says(o, v2alpha1.ConditionAvailable, metav1.ConditionUnknown, v2alpha1.ReasonValueRefused)
		Expect(p.deployments(ctx)).To(Equal(runs))
		Expect(*p.deployment(ctx, webserver).Spec.Replicas).NotTo(BeEquivalentTo(7))
	})

	It("is a render without an indexer pool, however the pools are removed", func(ctx context.Context) {
		p := beside(ctx, nil)
		for _, values := range []string{
			`{"indexer":{"pools":{"sdlc":null,"code":null}}}`, `{"indexer":{"pools":{"sdlc":{"enabled":false},"code":{"enabled":false}}}}`, `{"indexer":{"pools":null}}`,
		} {
			p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart = freeForm(values) })
			message := says(p.passOrbit(ctx), v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonNoIndexerPool)
			Expect(message).To(HavePrefix("spec.chart.values.indexer.pools: leaves no indexer pool"))
			Expect(p.deployments(ctx)).To(BeEmpty())
		}
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart = freeForm(`{"indexer":{"pools":{}}}`) })
		p.goes(ctx)
	})

	It("is a chart whose own pools were removed, whatever they are called", func(ctx context.Context) {
		p := beside(ctx, nil)
		p.charts(withPool(GinkgoTB(), "everything"))
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart = freeForm(`{"indexer":{"pools":{"everything":null}}}`) })
		message := says(p.passOrbit(ctx), v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonNoIndexerPool)
		Expect(message).To(ContainSubstring("keep one of the chart's pools, everything"))
		Expect(p.deployments(ctx)).To(BeEmpty())
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart = nil })
		says(p.passOrbit(ctx), v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(p.deployments(ctx)).To(ContainElement("graph-orbit-indexer-everything"))
	})

	It("is a render with two objects of one kind and name, which are named", func(ctx context.Context) {
		p := beside(ctx, nil)
		long := newOrbit(p.namespace)
		long.Name = "a" + strings.Repeat("0123456789", 4) + "bcd"
		Expect(long.Name).To(HaveLen(44))
		alike := freeForm(`{"indexer":{"pools":{"sdlc":null,"code":null,"sdlc-one":{},"sdlc-two":{}}}}`)
		long.Spec.Chart = alike
		store(ctx, long, nil)
		_, err := p.reconcile(ctx, p.orbits, long.Name)
		Expect(err).NotTo(HaveOccurred())
		message := says(p.get(ctx, long, long.Name), v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonDuplicateObject)
		Expect(message).To(And(ContainSubstring("Deployment"), ContainSubstring(long.Name+"-orbit-indexer-")))
		Expect(p.deployments(ctx)).To(BeEmpty())
		edit(ctx, p, long, long.Name, func(o *v2alpha1.Orbit) { o.Spec.Chart = nil })
		_, err = p.reconcile(ctx, p.orbits, long.Name)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.deployments(ctx)).To(HaveLen(4), "the longest name fits with the pools of the chart")
		runs := p.deployments(ctx)
		edit(ctx, p, long, long.Name, func(o *v2alpha1.Orbit) { o.Spec.Chart = alike })
		_, err = p.reconcile(ctx, p.orbits, long.Name)
		Expect(err).NotTo(HaveOccurred())
		says(p.get(ctx, long, long.Name), v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonDuplicateObject)
		Expect(p.deployments(ctx)).To(Equal(runs), "an Orbit that runs is refused as well")
	})

	It("is a chart version the Operator does not come with, and lists those it has", func(ctx context.Context) {
		p := whole(ctx)
		runs := p.deployments(ctx)
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Version = static("4.7.0") })
		p.siphon(ctx, func(s *v2alpha1.Siphon) { s.Spec.Version = static("1.19.0") })
		o, s := p.passOrbit(ctx), p.passSiphon(ctx)
		Expect(says(o, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonChartVersionUnavailable)).To(
			And(ContainSubstring("orbit 4.7.0"), ContainSubstring("4.0.0"), ContainSubstring("4.1.0")))
		Expect(says(s, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonChartVersionUnavailable)).To(
			And(ContainSubstring("siphon 1.19.0"), ContainSubstring("1.17.0"), ContainSubstring("1.18.0")))
		says(o, v2alpha1.ConditionAvailable, metav1.ConditionUnknown, v2alpha1.ReasonChartVersionUnavailable)
		Expect([]string{o.Status.Version, s.Status.Version}).To(Equal([]string{"4.1.0", "1.18.0"}))
		Expect(p.deployments(ctx)).To(Equal(runs))
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Version = static("4.0.0") })
		Expect(p.goes(ctx).Status.Version).To(Equal("4.0.0"), "an add-on may go back")
	})

	It("is looked at again in ten minutes at the latest, since a cluster may have learned an API", func(ctx context.Context) {
		p := beside(ctx, nil)
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart = freeForm(`{"dashboards":{"enabled":true}}`) })
		result, err := p.reconcile(ctx, p.orbits, orbitName)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(And(BeNumerically(">", 0), BeNumerically("<=", 10*time.Minute)))
	})
})
