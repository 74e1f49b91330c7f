package gitlabcore_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

var _ = Describe("A GitLabCore whose chart renders a GitLabSecrets", func() {
	It("applies it first, owns it, and does nothing else until it is Ready for its generation", func(ctx context.Context) {
		i := create(ctx, withSecrets)
		core := i.pass(ctx)
		Expect(waits(core)).To(ContainSubstring("not made yet"))
		secrets := i.declared(ctx)
		Expect(metav1.IsControlledBy(secrets, core)).To(BeTrue())
		Expect(secrets.Labels).To(HaveKeyWithValue(object.LabelReleaseKind, "gitlabcore"))
		Expect(i.rest(ctx, core)).To(BeEmpty())

		i.secretsSay(ctx, metav1.ConditionUnknown, v2alpha1.ReasonProgressing, "keys of Secret instance-registry-secret are being made")
		core = i.pass(ctx)
		Expect(waits(core)).To(And(ContainSubstring("Progressing"), ContainSubstring("keys of Secret instance-registry-secret are being made")))
		i.secretsLost(ctx)
		core = i.pass(ctx)
		Expect(waits(core)).To(And(ContainSubstring(v2alpha1.ReasonUnitsReported), ContainSubstring(lost)))
		Expect(i.rest(ctx, core)).To(BeEmpty())

		i.secretsReady(ctx)
		core = i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksRunning)
		Expect(i.rest(ctx, core)).To(Equal([]string{"batch/v1/Job " + hookJob}))
		i.ends(ctx, hookJob, batchv1.JobComplete)
		core = i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(i.exists(ctx, &appsv1.Deployment{}, webservice)).To(BeTrue())
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
		Expect(i.declared(ctx).UID).To(Equal(secrets.UID))
	})

	It("is not satisfied by what it said of an earlier generation", func(ctx context.Context) {
		i := create(ctx, withSecrets)
		i.pass(ctx)
		i.secretsReady(ctx)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) { core.Spec.Chart.Values.Raw = sparse(`"selfsign":{"keySize":3072}`) })
		core := i.pass(ctx)
		Expect(i.declared(ctx).Generation).To(BeEquivalentTo(2))
		Expect(waits(core)).To(And(ContainSubstring("changed"), ContainSubstring(v2alpha1.ReasonSecretsReady), ContainSubstring("all declared Secrets are there")))
		Expect(i.rest(ctx, core)).To(BeEmpty())
		i.secretsReady(ctx)
		says(i.pass(ctx), v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksRunning)
	})

	It("takes one that is being deleted for none, whatever it says", func(ctx context.Context) {
		i := create(ctx, withSecrets)
		i.pass(ctx)
		i.secretsReady(ctx)
		secrets := i.declared(ctx)
		secrets.Finalizers = []string{"example.com/held"}
		Expect(w.Live.Update(ctx, secrets)).To(Succeed())
		Expect(w.Live.Delete(ctx, secrets)).To(Succeed())
		core := i.pass(ctx)
		Expect(waits(core)).To(ContainSubstring("being deleted"))
		Expect(i.rest(ctx, core)).To(BeEmpty())
		secrets = i.declared(ctx)
		secrets.Finalizers = nil
		Expect(w.Live.Update(ctx, secrets)).To(Succeed())
		Expect(waits(i.pass(ctx))).To(ContainSubstring("not made yet"))
		Expect(i.declared(ctx).UID).NotTo(Equal(secrets.UID))
	})

	It("applies nothing to a running instance while it is not ready, and goes on without running the hooks again", func(ctx context.Context) {
		i := running(ctx)
		before := i.read(ctx)
		ran := &batchv1.Job{}
		Expect(i.exists(ctx, ran, hookJob)).To(BeTrue())
		i.secretsLost(ctx)
		Expect(w.Live.Delete(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: shell}})).To(Succeed())
		for range 2 {
			core := i.pass(ctx)
			Expect(waits(core)).To(And(ContainSubstring(v2alpha1.ReasonUnitsReported), ContainSubstring(lost)))
			Expect(core.Status.HooksGeneration).To(Equal(before.Status.HooksGeneration))
			Expect(core.Status.Version).To(Equal("10.5.0"))
			says(core, v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
			Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeFalse(), "no drift is repaired")
			Expect(i.exists(ctx, &appsv1.Deployment{}, webservice)).To(BeTrue(), "what runs keeps running")
		}
		i.secretsReady(ctx)
		core := i.pass(ctx)
		says(core, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeTrue())
		again := &batchv1.Job{}
		Expect(i.exists(ctx, again, hookJob)).To(BeTrue())
		Expect(again.UID).To(Equal(ran.UID))
	})

	It("notices in a pass that costs no write and no render that it is no longer ready", func(ctx context.Context) {
		i := running(ctx)
		writes, renders := i.counts.Writes.Load(), w.Renders.Load()
		i.pass(ctx)
		Expect(i.counts.Writes.Load()).To(Equal(writes))
		i.secretsLost(ctx)
		Expect(waits(i.pass(ctx))).To(ContainSubstring(lost))
		Expect(i.counts.Writes.Load()).To(Equal(writes+1), "the status")
		waits(i.pass(ctx))
		Expect(i.counts.Writes.Load()).To(Equal(writes + 1))
		i.secretsReady(ctx)
		says(i.pass(ctx), v2alpha1.ConditionReady, metav1.ConditionTrue, v2alpha1.ReasonReconcileSucceeded)
		Expect(w.Renders.Load()).To(Equal(renders))
	})

	It("waits before a version is gone to, and runs none of its hooks", func(ctx context.Context) {
		i := running(ctx)
		core := i.read(ctx)
		core.Status.Version, core.Status.TargetVersion, core.Status.HooksVersion = "10.5.0-rc.1", "10.5.0-rc.1", "10.5.0-rc.1"
		Expect(w.Live.Status().Update(ctx, core)).To(Succeed())
		Expect(w.Live.Delete(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: hookJob}},
			client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
		i.secretsLost(ctx)
		core = i.pass(ctx)
		waits(core)
		Expect(core.Status.TargetVersion).To(Equal("10.5.0"))
		Expect(core.Status.Version).To(Equal("10.5.0-rc.1"))
		says(core, v2alpha1.ConditionProgressing, metav1.ConditionTrue, v2alpha1.ReasonProgressing)
		Expect(i.exists(ctx, &batchv1.Job{}, hookJob)).To(BeFalse(), "no hook of the new version ran")
		i.secretsReady(ctx)
		says(i.pass(ctx), v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonHooksRunning)
		Expect(i.exists(ctx, &batchv1.Job{}, hookJob)).To(BeTrue())
	})

	It("is made again when it is deleted by hand, with nothing of its status", func(ctx context.Context) {
		i := running(ctx)
		old := i.declared(ctx)
		Expect(w.Live.Delete(ctx, old)).To(Succeed())
		Expect(waits(i.pass(ctx))).To(ContainSubstring("not made yet"))
		Expect(i.declared(ctx).UID).NotTo(Equal(old.UID))
		Expect(i.declared(ctx).Status.Conditions).To(BeEmpty())
		i.secretsReady(ctx)
		Expect(i.pass(ctx).Status.Phase).To(Equal(v2alpha1.PhaseRunning))
	})

	It("is pruned only when it is no longer rendered, and never takes a Secret along", func(ctx context.Context) {
		i := running(ctx)
		secrets := i.declared(ctx)
		labels := object.Release{Name: "instance", Namespace: i.namespace, Kind: "gitlabcore"}.Labels()
		made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: "instance-rails-secret", Labels: labels}}
		Expect(w.Live.Create(ctx, made)).To(Succeed())
		i.edit(ctx, func(core *v2alpha1.GitLabCore) {
			core.Spec.Chart.Values.Raw = []byte(strings.Replace(string(sparse(`"selfsign":{"keySize":2048}`)), `"gitlab":{`, `"gitlab":{"gitlab-shell":{"enabled":false},`, 1))
		})
		i.pass(ctx)
		i.hooksAgain(ctx)
		Expect(i.exists(ctx, &appsv1.Deployment{}, shell)).To(BeFalse(), "a prune took place")
		Expect(i.declared(ctx).UID).To(Equal(secrets.UID))
		Expect(i.exists(ctx, &corev1.Secret{}, made.Name)).To(BeTrue())

		i.edit(ctx, func(core *v2alpha1.GitLabCore) { core.Spec.Chart.Values.Raw = sparse(`"enabled":false`) })
		i.pass(ctx)
		i.hooksAgain(ctx)
		Expect(i.exists(ctx, &v2alpha1.GitLabSecrets{}, "instance")).To(BeFalse())
		Expect(i.exists(ctx, &corev1.Secret{}, made.Name)).To(BeTrue())
	})

	It("is never taken over from another owner, and nothing else is applied then", func(ctx context.Context) {
		i := create(ctx, withSecrets)
		theirs := &v2alpha1.GitLabSecrets{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: "instance",
			Labels: object.Release{Name: "other", Namespace: i.namespace, Kind: "gitlabcore"}.Labels()}}
		Expect(w.Live.Create(ctx, theirs)).To(Succeed())
		_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
		Expect(err).To(HaveOccurred())
		core := i.read(ctx)
		message := says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
		Expect(message).To(ContainSubstring("other"))
		Expect(i.declared(ctx).OwnerReferences).To(BeEmpty())
		Expect(i.rest(ctx, core)).To(BeEmpty(), "that of another release is not counted here")
	})
})
