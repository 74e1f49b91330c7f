package addons_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

var _ = Describe("A Siphon", func() {
	It("waits for its instance step by step, renders nothing before, and each wait resolves by itself", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newSiphon(p.namespace), nil)
		waits := func(reason, text string) {
			GinkgoHelper()
			renders := w.Renders.Load()
			result, err := p.reconcile(ctx, p.siphons, siphonName)
			Expect(err).NotTo(HaveOccurred())
			Expect(result.RequeueAfter).To(Equal(30 * time.Second))
			s := p.passSiphon(ctx)
			Expect(says(s, v2alpha1.ConditionInitialized, metav1.ConditionFalse, reason)).To(ContainSubstring(text))
			Expect(s.Status.Phase).To(Equal(v2alpha1.PhasePreparing))
			Expect(w.Renders.Load()).To(Equal(renders))
			Expect(p.deployments(ctx)).To(BeEmpty())
			Expect(s.Generation).To(BeEquivalentTo(1))
		}
		waits(v2alpha1.ReasonGitLabNotFound, "GitLabCore gitlab does not exist")
		core := newCore(p.namespace)
		core.Spec.ClickHouse = nil
		store(ctx, core, nil)
		waits(v2alpha1.ReasonGitLabNotReady, "is not available yet")
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.Conditions = available(metav1.ConditionFalse, "a pod crashes") })
		waits(v2alpha1.ReasonGitLabNotReady, "a pod crashes")
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.Conditions = available(metav1.ConditionTrue, "") })
		waits(v2alpha1.ReasonGitLabVersionPending, "which version of GitLab")
		p.coreReports(ctx, running)
		waits(v2alpha1.ReasonGitLabClickHouseNotConfigured, "spec.clickhouse")
		p.core(ctx, func(c *v2alpha1.GitLabCore) { c.Spec.ClickHouse = newCore(p.namespace).Spec.ClickHouse })
		s := p.passSiphon(ctx)
		says(s, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(p.deployments(ctx)).To(Equal([]string{consumer, producer, reconciler}))
	})

	It("is available once its producer and its consumer are rolled out, whatever its reconciler does", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newCore(p.namespace), running)
		store(ctx, newSiphon(p.namespace), nil)
		s := p.passSiphon(ctx)
		Expect(says(s, v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonWorkloadsNotReady)).To(ContainSubstring("events-siphon-"))
		Expect(s.Finalizers).To(ContainElement(v2alpha1.FinalizerSiphon))
		p.rolledOut(ctx, consumer, reconciler)
		says(p.passSiphon(ctx), v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonWorkloadsNotReady)
		p.rolledOut(ctx, producer)
		d := &appsv1.Deployment{}
		Expect(p.exists(ctx, d, reconciler)).To(BeTrue())
		d.Status = appsv1.DeploymentStatus{}
		Expect(w.Live.Status().Update(ctx, d)).To(Succeed())
		s = p.passSiphon(ctx)
		says(s, v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
		says(s, v2alpha1.ConditionReady, metav1.ConditionTrue, v2alpha1.ReasonReconcileSucceeded)
		Expect(s.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
	})

	It("records the versions, the publication, the slot and the stream", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newCore(p.namespace), running)
		store(ctx, newSiphon(p.namespace), nil)
		s := p.passSiphon(ctx)
		Expect([]string{s.Status.Version, s.Status.TargetVersion, s.Status.GitLabVersion, s.Status.Publication, s.Status.ReplicationSlot, s.Status.StreamName}).To(Equal(
			[]string{"1.18.0", "1.18.0", "19.4.0", "siphon_producer_main", "siphon_producer_main_slot", stream}))
		Expect(s.Status.RenderedKinds).To(ContainElements("apps/v1/Deployment", "v1/ConfigMap", "v1/ServiceAccount"))
		Expect(s.Status.EffectiveValuesDigest).NotTo(BeEmpty())
	})

	It("applies as siphon-controller, and stamps and owns what it applies", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newCore(p.namespace), running)
		store(ctx, newSiphon(p.namespace), nil)
		p.passSiphon(ctx)
		for _, o := range []metav1.Object{p.get(ctx, &appsv1.Deployment{}, producer), p.get(ctx, &corev1.ConfigMap{}, tablesMap)} {
			Expect(o.GetManagedFields()[0].Manager).To(Equal("siphon-controller"))
			Expect(o.GetLabels()).To(HaveKeyWithValue(object.LabelReleaseName, siphonName))
			Expect(o.GetLabels()).To(HaveKeyWithValue(object.LabelReleaseKind, "siphon"))
			Expect(metav1.GetControllerOf(o).Kind).To(Equal("Siphon"))
		}
	})

	It("restores what was deleted or edited by hand", func(ctx context.Context) {
		p := whole(ctx)
		d := &appsv1.Deployment{}
		Expect(p.exists(ctx, d, producer)).To(BeTrue())
		image := d.Spec.Template.Spec.Containers[0].Image
		d.Spec.Template.Spec.Containers[0].Image = "edited.example.com/by:hand"
		Expect(w.Live.Update(ctx, d)).To(Succeed())
		Expect(w.Live.Delete(ctx, &appsv1.Deployment{ObjectMeta: meta(p.namespace, consumer)})).To(Succeed())
		p.passSiphon(ctx)
		Expect(p.exists(ctx, d, producer)).To(BeTrue())
		Expect(d.Spec.Template.Spec.Containers[0].Image).To(Equal(image))
		Expect(p.exists(ctx, &appsv1.Deployment{}, consumer)).To(BeTrue())
	})

	It("keeps what runs when its instance loses ClickHouse or goes, and says so", func(ctx context.Context) {
		p := whole(ctx)
		runs := p.deployments(ctx)
		p.core(ctx, func(c *v2alpha1.GitLabCore) { c.Spec.ClickHouse = nil })
		s := p.passSiphon(ctx)
		says(s, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonGitLabClickHouseNotConfigured)
		says(s, v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
		Expect(s.Status.StreamName).To(Equal(stream))
		Expect(w.Live.Delete(ctx, newCore(p.namespace))).To(Succeed())
		s = p.passSiphon(ctx)
		says(s, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonGitLabNotFound)
		Expect(p.deployments(ctx)).To(Equal(runs))
		Expect([]string{s.Status.Version, string(s.Status.Phase)}).To(Equal([]string{"1.18.0", "Preparing"}))
	})

	It("is not available without its producer, in whatever pass", func(ctx context.Context) {
		p := whole(ctx)
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.Conditions = available(metav1.ConditionFalse, "down") })
		says(p.passSiphon(ctx), v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
		Expect(w.Live.Delete(ctx, &appsv1.Deployment{ObjectMeta: meta(p.namespace, producer)})).To(Succeed())
		Expect(says(p.passSiphon(ctx), v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonWorkloadsNotReady)).To(ContainSubstring(producer))
		p.coreReports(ctx, running)
		p.siphon(ctx, func(s *v2alpha1.Siphon) {
			s.Spec.Chart = freeForm(`{"deployments":{"` + producer + `":{"enabled":false}}}`)
		})
		Expect(says(p.passSiphon(ctx), v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonWorkloadsNotReady)).To(ContainSubstring(producer))
	})

	It("follows the version of its instance", func(ctx context.Context) {
		p := whole(ctx)
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "19.4.1" })
		p.shelf.digest = "sha256:of-19.4.1"
		s := p.passSiphon(ctx)
		Expect(s.Status.GitLabVersion).To(Equal("19.4.1"))
		Expect(s.Status.TablesImage).To(HaveSuffix(":v19.4.1-ee"))
		Expect(s.Status.TablesDigest).To(Equal("sha256:of-19.4.1"))
	})

	It("costs nothing while nothing changes: no render, no write", func(ctx context.Context) {
		p := whole(ctx)
		p.passSiphon(ctx)
		writes, renders := p.counts.Writes.Load(), w.Renders.Load()
		p.now = p.now.Add(time.Minute)
		s := p.passSiphon(ctx)
		Expect([]int64{p.counts.Writes.Load(), w.Renders.Load()}).To(Equal([]int64{writes, renders}))
		says(s, v2alpha1.ConditionReady, metav1.ConditionTrue, v2alpha1.ReasonReconcileSucceeded)
		p.now = p.now.Add(11 * time.Minute)
		p.passSiphon(ctx)
		Expect(w.Renders.Load()).To(BeNumerically(">", renders), "a full pass still runs every ten minutes")
	})

	It("takes nothing over from another Siphon of the same names, and says which object belongs to whom", func(ctx context.Context) {
		p := newPlace(ctx)
		shared := `{"siphonConnectionConfigMap":{"name":"shared-connection"},"siphonLayoutConfigMap":{"name":"shared-layout"}}`
		store(ctx, newCore(p.namespace), running)
		first := newSiphon(p.namespace)
		first.Spec.Chart = freeForm(shared)
		store(ctx, first, nil)
		p.passSiphon(ctx)
		before := p.get(ctx, &corev1.ConfigMap{}, "shared-connection")

		second := newSiphon(p.namespace)
		second.Name, second.Spec.Chart, second.Spec.Source.Host = "second", freeForm(shared), "another-postgresql"
		store(ctx, second, nil)
		_, err := p.reconcile(ctx, p.siphons, "second")
		Expect(err).To(HaveOccurred(), "it is tried again")
		Expect(w.Live.Get(ctx, key(p.namespace, "second"), second)).To(Succeed())
		message := says(second, v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
		Expect(message).To(And(ContainSubstring("shared-connection"), ContainSubstring("shared-layout"), ContainSubstring("Siphon events")))
		Expect(second.Status.Phase).To(Equal(v2alpha1.PhaseFailed))
		after := p.get(ctx, &corev1.ConfigMap{}, "shared-connection")
		Expect(after.GetResourceVersion()).To(Equal(before.GetResourceVersion()))
		says(p.passSiphon(ctx), v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)

		edit(ctx, p, second, "second", func(s *v2alpha1.Siphon) { s.Spec.Chart = nil })
		_, err = p.reconcile(ctx, p.siphons, "second")
		Expect(err).NotTo(HaveOccurred(), "with the names of its own they live side by side")
		Expect(p.exists(ctx, &corev1.ConfigMap{}, "second-siphon-connection")).To(BeTrue())
	})

	It("is deleted with what it rendered, names the slot that stays, and leaves its instance as it is", func(ctx context.Context) {
		p := whole(ctx)
		core := p.get(ctx, &v2alpha1.GitLabCore{}, instanceName)
		Expect(w.Live.Delete(ctx, newSiphon(p.namespace))).To(Succeed())
		_, err := p.reconcile(ctx, p.siphons, siphonName)
		Expect(err).NotTo(HaveOccurred())
		err = w.Live.Get(ctx, key(p.namespace, siphonName), &v2alpha1.Siphon{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue())
		for _, name := range []string{producer, consumer, reconciler} {
			Expect(p.exists(ctx, &appsv1.Deployment{}, name)).To(BeFalse(), name)
		}
		Expect(p.exists(ctx, &corev1.ConfigMap{}, tablesMap)).To(BeFalse())
		Expect(p.exists(ctx, &appsv1.Deployment{}, webserver)).To(BeTrue(), "an Orbit is not touched")
		Expect(p.told()).To(ContainElement(And(HavePrefix("Normal ReplicationSlotRetained "), ContainSubstring("siphon_producer_main_slot"))))
		Expect(p.get(ctx, &v2alpha1.GitLabCore{}, instanceName).GetResourceVersion()).To(Equal(core.GetResourceVersion()))
	})
})
