package gitlabcore_test

import (
	"context"
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

const (
	secretsJob = "instance-shared-secrets"
	webservice = "instance-webservice-default"
	shell      = "instance-gitlab-shell"
)

var _ = Describe("A GitLabCore", func() {
	It("runs its hooks without holding the worker, applies, and gets ready when its workloads are", func(ctx context.Context) {
		i := create(ctx, withHooks)
		core := i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksRunning)
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhasePreparing))
		Expect(core.Finalizers).To(ContainElement(v2alpha1.FinalizerGitLabCore))
		Expect(core.Status.RenderedKinds).To(ContainElements("apps/v1/Deployment", "batch/v1/Job", "v1/ConfigMap"), "kinds are on record before the first apply")
		Expect(i.exists(ctx, &appsv1.Deployment{}, webservice)).To(BeFalse(), "nothing is applied while a hook runs")

		i.ends(ctx, secretsJob, batchv1.JobComplete)
		core = i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		message := says(core, v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonWorkloadsNotReady)
		Expect(message).To(ContainSubstring("instance-"), "the first workload is named")
		Expect(core.Status.Version).To(Equal("10.4.0"))
		Expect(core.Status.GitLabVersion).To(Equal("19.4.0"))
		Expect(core.Status.HooksVersion).To(Equal("10.4.0"))
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
		Expect(core.Status.RenderedKinds).To(ContainElements("v1/Secret", "v1/PersistentVolumeClaim"), "what is rendered stays on record, pruned or not")

		i.rolledOut(ctx)
		core = i.pass(ctx)
		says(core, v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
		says(core, v2alpha1.ConditionReady, metav1.ConditionTrue, v2alpha1.ReasonReconcileSucceeded)
		Expect(core.Status.ObservedGeneration).To(Equal(core.Generation))
	})

	It("reports a failed hook, and runs it again after a pause", func(ctx context.Context) {
		i := create(ctx, withHooks)
		i.pass(ctx)
		i.ends(ctx, secretsJob, batchv1.JobFailed)
		_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
		Expect(err).To(HaveOccurred())
		core := i.read(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksFailed)
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseFailed))

		job := &batchv1.Job{}
		Expect(i.exists(ctx, job, secretsJob)).To(BeTrue())
		failed := job.UID
		core = i.pass(ctx)
		Expect(says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksFailed)).To(ContainSubstring("it runs again at"))
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseFailed))
		Expect(i.exists(ctx, job, secretsJob)).To(BeTrue())
		Expect(job.UID).To(Equal(failed), "it is not made again at once")
		Expect(job.DeletionTimestamp).To(BeNil())

		i.now = i.now.Add(10 * time.Second)
		core = i.pass(ctx)
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhasePreparing), "the old Job makes room")
		i.collected(ctx, secretsJob)
		i.pass(ctx)
		Expect(i.exists(ctx, job, secretsJob)).To(BeTrue())
		Expect(job.UID).NotTo(Equal(failed))
		Expect(job.Status.Failed).To(BeZero())
	})

	It("applies neither RBAC nor definitions, and stamps and owns what it applies", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		var roles rbacv1.RoleList
		Expect(w.Live.List(ctx, &roles, client.InNamespace(i.namespace))).To(Succeed())
		Expect(roles.Items).To(BeEmpty())
		d := &appsv1.Deployment{}
		Expect(i.exists(ctx, d, webservice)).To(BeTrue())
		Expect(d.Labels).To(HaveKeyWithValue(object.LabelReleaseName, "instance"))
		Expect(d.Labels).To(HaveKeyWithValue(object.LabelReleaseNamespace, i.namespace))
		Expect(d.Labels).To(HaveKeyWithValue(object.LabelReleaseKind, "gitlabcore"))
		Expect(d.Spec.Template.Labels).NotTo(HaveKey(object.LabelReleaseName))
		Expect(metav1.GetControllerOf(d).Kind).To(Equal("GitLabCore"))
		Expect(d.ManagedFields[0].Manager).To(Equal("gitlabcore-controller"))
	})

	It("restores what was deleted or edited by hand", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		d := &appsv1.Deployment{}
		Expect(i.exists(ctx, d, webservice)).To(BeTrue())
		image := d.Spec.Template.Spec.Containers[0].Image
		d.Spec.Template.Spec.Containers[0].Image = "edited.example.com/by:hand"
		Expect(w.Live.Update(ctx, d)).To(Succeed())
		Expect(w.Live.Delete(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: shell}})).To(Succeed())
		i.pass(ctx)
		Expect(i.exists(ctx, d, webservice)).To(BeTrue())
		Expect(d.Spec.Template.Spec.Containers[0].Image).To(Equal(image))
		Eventually(func() bool { i.pass(ctx); return i.exists(ctx, &appsv1.Deployment{}, shell) }).
			WithTimeout(10 * time.Second).Should(BeTrue())
	})

	It("is looked at again 30 seconds later, whether a pass applied it, found nothing to do or waits", func(ctx context.Context) {
		i := create(ctx, small)
		next := func(what string) {
			GinkgoHelper()
			result, err := i.reconciler.Reconcile(ctx, request(i.namespace))
			Expect(err).NotTo(HaveOccurred())
			Expect(result.RequeueAfter).To(Equal(30*time.Second), what)
		}
		next("applied, and waiting for its workloads")
		i.rolledOut(ctx)
		next("ready")
		writes := i.counts.Writes.Load()
		next("nothing to do")
		Expect(i.counts.Writes.Load()).To(Equal(writes))
		i.edit(ctx, func(core *v2alpha1.GitLabCore) {
			core.Spec.Chart.ValuesFrom = []v2alpha1.ValuesReference{{Kind: v2alpha1.ValuesReferenceConfigMap, Name: "more"}}
		})
		next("waiting for values")
	})

	It("prunes what a change of the values stops producing, and spares what is kept", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeTrue())
		i.edit(ctx, func(core *v2alpha1.GitLabCore) {
			core.Spec.Chart.Values.Raw = without("gitlab-shell")
		})
		core := i.pass(ctx)
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeFalse())
		Expect(i.exists(ctx, &corev1.ConfigMap{}, shell+"-motd")).To(BeTrue(), "helm.sh/resource-policy: keep")
		Expect(i.exists(ctx, &appsv1.Deployment{}, webservice)).To(BeTrue())
		Expect(core.Status.RenderedKinds).To(ContainElement("apps/v1/Deployment"))
	})

	It("keeps the running version when an older one is asked for, and still repairs drift", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) { core.Spec.Version.Version = "10.3.0" })
		Expect(w.Live.Delete(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: shell}})).To(Succeed())
		result, err := i.reconciler.Reconcile(ctx, request(i.namespace))
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(30*time.Second), "what runs is looked after as ever")
		core := i.read(ctx)
		message := says(core, v2alpha1.ConditionUpgradeable, metav1.ConditionFalse, v2alpha1.ReasonDowngradeRefused)
		Expect(message).To(And(ContainSubstring("10.3.0"), ContainSubstring("10.4.0")), "both versions are named")
		Expect(core.Status.Version).To(Equal("10.4.0"))
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeTrue())
	})

	It("takes a later patch of its minor", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) { core.Spec.Version.Version = "10.4.1" })
		core := i.pass(ctx)
		Expect(core.Status.Version).To(Equal("10.4.1"))
		Expect(core.Status.GitLabVersion).To(Equal("19.4.1"))
	})

	It("refuses by itself what a missing webhook let in, and applies nothing of it", func(ctx context.Context) {
		i := create(ctx, func(namespace string) *v2alpha1.GitLabCore {
			core := small(namespace)
			core.Spec.Chart.Values.Raw = []byte(`{"global":{"hosts":{"https":"yes"}}}`)
			return core
		})
		core := i.pass(ctx)
		message := says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonRenderFailed)
		Expect(message).To(ContainSubstring("spec.chart.values.global.hosts.https"))
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseFailed))
		says(core, v2alpha1.ConditionStalled, metav1.ConditionTrue, v2alpha1.ReasonRenderFailed)
		Expect(core.Status.RenderedKinds).To(BeEmpty())
	})

	It("waits for referenced values, and never shows what came from a Secret", func(ctx context.Context) {
		const password = "correct-horse-battery"
		i := create(ctx, func(namespace string) *v2alpha1.GitLabCore {
			core := small(namespace)
			core.Spec.Chart.ValuesFrom = []v2alpha1.ValuesReference{{Kind: v2alpha1.ValuesReferenceSecret, Name: "more"}}
			return core
		})
		core := i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonValuesReferenceNotFound)
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: "more", Labels: map[string]string{object.LabelConfigSource: "true"}},
			StringData: map[string]string{"values.yaml": "global: {hosts: {https: " + password + "}}\n"},
		}
		Expect(w.Live.Create(ctx, secret)).To(Succeed())
		core = i.pass(ctx)
		message := says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonRenderFailed)
		Expect(message).To(And(ContainSubstring("spec.chart.valuesFrom[0]"), Not(ContainSubstring(password))))
		secret.StringData = map[string]string{"values.yaml": "global: {hosts: {https: false}}\n"}
		Expect(w.Live.Update(ctx, secret)).To(Succeed())
		core = i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
	})

	It("takes over nothing that belongs to another release, and applies the rest", func(ctx context.Context) {
		i := create(ctx, small)
		theirs := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: "instance-webservice", Labels: object.Release{
				Name: "other", Namespace: i.namespace, Kind: "gitlabcore"}.Labels()},
			Data: map[string]string{"mine": "yes"},
		}
		Expect(w.Live.Create(ctx, theirs)).To(Succeed())
		_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
		Expect(err).To(HaveOccurred())
		message := says(i.read(ctx), v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
		Expect(message).To(And(ContainSubstring("instance-webservice"), ContainSubstring("other")))
		live := &corev1.ConfigMap{}
		Expect(i.exists(ctx, live, "instance-webservice")).To(BeTrue())
		Expect(live.Data).To(HaveKeyWithValue("mine", "yes"))
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeTrue(), "one object that fails does not stop the others")
	})

	It("costs nothing when nothing changed: no render, no write", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		i.pass(ctx)
		writes, renders := i.counts.Writes.Load(), w.Renders.Load()
		core := i.pass(ctx)
		Expect(i.counts.Writes.Load()).To(Equal(writes))
		Expect(w.Renders.Load()).To(Equal(renders))
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		i.now = i.now.Add(11 * time.Minute)
		i.pass(ctx)
		Expect(w.Renders.Load()).To(BeNumerically(">", renders), "a full pass still runs every ten minutes")
	})

	It("makes no full pass when only the status of a Service moves, and still repairs an edit of it", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		i.pass(ctx)
		service := &corev1.Service{}
		balanced := func(ip string) {
			Expect(w.Live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: shell}, service)).To(Succeed())
			Expect(service.Generation).To(BeZero(), "a kind with a generation would show nothing here")
			service.Status.Conditions = []metav1.Condition{{Type: "Balanced", Status: metav1.ConditionTrue, Reason: "Seen", Message: ip, LastTransitionTime: metav1.Now()}}
			Expect(w.Live.Status().Update(ctx, service)).To(Succeed())
		}
		balanced("192.0.2.1")
		i.pass(ctx)
		renders := w.Renders.Load()
		balanced("192.0.2.2")
		balanced("192.0.2.3")
		i.pass(ctx)
		Expect(w.Renders.Load()).To(Equal(renders))
		port := service.Spec.Ports[0].Port
		service.Spec.Ports[0].Port = port + 1
		Expect(w.Live.Update(ctx, service)).To(Succeed())
		i.pass(ctx)
		Expect(w.Live.Get(ctx, client.ObjectKeyFromObject(service), service)).To(Succeed())
		Expect(service.Spec.Ports).To(ContainElement(HaveField("Port", port)))
	})

	It("is deleted with its cluster-scoped objects, even while they cannot be", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		refuses := interceptor.NewClient(w.Live, interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
				return errors.New("the API server is away")
			},
		})
		Expect(w.Live.Delete(ctx, i.read(ctx))).To(Succeed())
		stubborn := reconciler(refuses, func() time.Time { return i.now })
		_, err := stubborn.Reconcile(ctx, request(i.namespace))
		Expect(err).NotTo(HaveOccurred())
		Expect(i.read(ctx).Finalizers).NotTo(BeEmpty(), "it is tried again for a minute")
		i.now = i.now.Add(2 * time.Minute)
		_, err = stubborn.Reconcile(ctx, request(i.namespace))
		Expect(err).NotTo(HaveOccurred())
		err = w.Live.Get(ctx, request(i.namespace).NamespacedName, &v2alpha1.GitLabCore{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "a cleanup never blocks a deletion")
	})
})
