package addons_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabcore"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/testing/expect"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// atOnce is how soon a watch must have had its effect: well below the 30 seconds of the interval.
const atOnce = 20 * time.Second

// managed starts a manager over the namespace, with the reconcilers of the two add-ons and, where asked, of the instance.
func (p *place) managed(ctx context.Context, withCores bool) {
	GinkgoHelper()
	mgr := w.Manager(GinkgoTB(), p.namespace)
	p.now = time.Now()
	c := p.siphons.Engine.Client
	cores := &gitlabcore.Reconciler{Reviewer: w.Reviewer(c), Engine: w.Engine(c, gitlabcore.Manager, p.events), Now: time.Now, Cached: mgr.GetClient()}
	p.siphons.Cached, p.orbits.Cached, p.siphons.Now, p.orbits.Now = mgr.GetClient(), mgr.GetClient(), time.Now, time.Now
	metadata := mgr.Cache(GinkgoTB(), nil)
	add := func(kind string, e *release.Engine, setup func(manager.Manager, int) (controller.Controller, error)) {
		GinkgoHelper()
		c, err := setup(mgr, 1)
		Expect(err).NotTo(HaveOccurred())
		e.Metadata = metadata
		e.Drift = &release.Drift{Cache: metadata, Controller: c, Mapper: mgr.GetRESTMapper(), Memory: e.Memory, Kind: kind, Now: time.Now}
	}
	add("siphon", p.siphons.Engine, p.siphons.Setup)
	add("orbit", p.orbits.Engine, p.orbits.Setup)
	if withCores {
		add("gitlabcore", cores.Engine, cores.Setup)
	}
	mgr.Run(ctx, GinkgoTB())
}

// becomes waits until a condition says this.
func (p *place) becomes(ctx context.Context, o client.Object, name, conditionType string, status metav1.ConditionStatus, reason string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(w.Live.Get(ctx, key(p.namespace, name), o)).To(Succeed())
		c, found, err := expect.Condition(o, conditionType)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(BeTrue())
		g.Expect(string(c.Status)+"/"+c.Reason).To(Equal(string(status)+"/"+reason), c.Message)
	}, atOnce, 100*time.Millisecond).Should(Succeed())
}

// comesUp rolls workloads out until a resource is ready.
func (p *place) comesUp(ctx context.Context, o client.Object, name string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(w.Live.Get(ctx, key(p.namespace, name), o)).To(Succeed())
		g.Expect(world.RollOut(ctx, w.Live, p.namespace)).To(Succeed())
	}, atOnce, 200*time.Millisecond).Should(Succeed())
	p.becomes(ctx, o, name, v2alpha1.ConditionReady, metav1.ConditionTrue, v2alpha1.ReasonReconcileSucceeded)
}

var _ = Describe("A running manager", func() {
	It("wakes an add-on when the ConfigMap of its version appears and changes, and an Orbit when its Siphon changes", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newCore(p.namespace), running)
		s, o := newSiphon(p.namespace), newOrbit(p.namespace)
		s.Spec.Version, o.Spec.Version = referenced("of-siphons"), referenced("of-orbits")
		store(ctx, s, nil)
		store(ctx, o, nil)
		p.managed(ctx, false)
		p.becomes(ctx, s, siphonName, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonVersionUnresolved)
		p.becomes(ctx, o, orbitName, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonSiphonNotReady)

		store(ctx, versions(p.namespace, "of-siphons", "1.18.0"), nil)
		p.becomes(ctx, s, siphonName, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		p.comesUp(ctx, s, siphonName)
		p.becomes(ctx, o, orbitName, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonVersionUnresolved)
		store(ctx, versions(p.namespace, "of-orbits", "4.0.0"), nil)
		p.becomes(ctx, o, orbitName, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		p.comesUp(ctx, o, orbitName)

		edit(ctx, p, &corev1.ConfigMap{}, "of-orbits", func(c *corev1.ConfigMap) { c.Data["chart"] = "4.1.0" })
		Eventually(func() string {
			return p.get(ctx, &v2alpha1.Orbit{}, orbitName).(*v2alpha1.Orbit).Status.Version
		}, atOnce, 100*time.Millisecond).Should(Equal("4.1.0"))
		p.siphon(ctx, func(s *v2alpha1.Siphon) { s.Spec.Queue.URL = "nats://moved:4222" })
		Eventually(func(g Gomega) {
			g.Expect(world.RollOut(ctx, w.Live, p.namespace, producer, consumer)).To(Succeed())
			g.Expect(p.config(ctx, sdlc+"-config")).To(ContainSubstring("nats://moved:4222"))
		}, atOnce, 200*time.Millisecond).Should(Succeed(), "the pods of the Siphon roll, and the Orbit waits for them")
	})

	It("restores at once what somebody deletes", func(ctx context.Context) {
		p := whole(ctx)
		p.restart()
		p.managed(ctx, false)
		time.Sleep(2 * time.Second)
		// The Orbit first: it waits for its Siphon, which is not available without a producer.
		for _, name := range []string{webserver, producer} {
			Expect(w.Live.Delete(ctx, &appsv1.Deployment{ObjectMeta: meta(p.namespace, name)})).To(Succeed())
			Eventually(func() bool { return p.exists(ctx, &appsv1.Deployment{}, name) }, atOnce, 100*time.Millisecond).Should(BeTrue(), name)
		}
	})

	It("resolves the whole chain by itself: the instance, its Siphon, its Orbit, and the instance again on chart 10.4 and not below", func(ctx context.Context) {
		p := newPlace(ctx)
		p.managed(ctx, true)
		o, s := newOrbit(p.namespace), newSiphon(p.namespace)
		store(ctx, o, nil)
		store(ctx, s, nil)
		p.becomes(ctx, o, orbitName, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonGitLabNotFound)
		p.becomes(ctx, s, siphonName, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonGitLabNotFound)
		core, older := newCore(p.namespace), newCore(p.namespace)
		core.Spec.OrbitRef = &v2alpha1.OrbitReference{Name: orbitName}
		older.Name, older.Spec.OrbitRef, older.Spec.Version.Version = "older", core.Spec.OrbitRef, "10.3.0"
		store(ctx, core, nil)
		store(ctx, older, nil)
		// Neither instance waits for the Orbit.
		p.becomes(ctx, core, instanceName, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		p.becomes(ctx, older, "older", v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		p.becomes(ctx, o, orbitName, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonGitLabNotReady)
		p.comesUp(ctx, core, instanceName)
		p.becomes(ctx, s, siphonName, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		p.becomes(ctx, o, orbitName, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonSiphonNotReady)
		p.comesUp(ctx, s, siphonName)
		p.becomes(ctx, o, orbitName, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		endpoint := "tls://" + webserver + "." + p.namespace + ".svc:50054"
		Eventually(func() string { return p.config(ctx, "gitlab-webservice") }, atOnce, 100*time.Millisecond).Should(ContainSubstring(endpoint))
		Expect(p.config(ctx, "older-webservice")).NotTo(ContainSubstring(endpoint))

		// The endpoint rolls the pods of the instance, and the Orbit waits until they are up again.
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.TLS = nil })
		Eventually(func(g Gomega) {
			g.Expect(world.RollOut(ctx, w.Live, p.namespace)).To(Succeed())
			g.Expect(p.config(ctx, "gitlab-webservice")).NotTo(ContainSubstring(endpoint))
		}, atOnce, 200*time.Millisecond).Should(Succeed())
	})
})
