package hooks_test

import (
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/render/hookexec"
)

var _ = Describe("A run", func() {
	It("goes by weight and name, and each hook completes before the next begins", func(ctx SpecContext) {
		w := newPlace(ctx)
		all := hooks(job("b-second", "1", ""), job("a-second", "1", ""), job("z-first", "0", ""), configMap("scripts", "-5", ""))

		Expect(w.waits(ctx, all).Message).To(Equal("pre-install hook: Job z-first is running"))
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "scripts")).To(BeTrue())
		Expect(w.exists(ctx, &batchv1.Job{}, "a-second")).To(BeFalse())
		w.waits(ctx, all)

		w.ends(ctx, "z-first", batchv1.JobComplete)
		w.waits(ctx, all)
		Expect(w.exists(ctx, &batchv1.Job{}, "a-second")).To(BeTrue())
		Expect(w.exists(ctx, &batchv1.Job{}, "b-second")).To(BeFalse())

		w.ends(ctx, "a-second", batchv1.JobComplete)
		w.waits(ctx, all)
		w.ends(ctx, "b-second", batchv1.JobComplete)
		w.completes(ctx, all)
		w.completes(ctx, all)
	})

	It("makes each hook one of the release and of the run, and lets no Job remove itself", func(ctx SpecContext) {
		w := newPlace(ctx)
		w.waits(ctx, hooks(job("setup", "0", "")))
		made := w.job(ctx, "setup")
		Expect(made.Annotations).To(HaveKeyWithValue(object.AnnotationHookRun, "first"))
		Expect(made.Annotations).To(HaveKey("helm.sh/hook"))
		for key, value := range w.run.Release.Labels() {
			Expect(made.Labels).To(HaveKeyWithValue(key, value))
		}
		Expect(metav1.GetControllerOf(made).UID).To(Equal(w.run.Owner.UID))
		Expect(made.Spec.TTLSecondsAfterFinished).To(BeNil())
		Expect(made.ManagedFields[0].Manager).To(Equal("gitlabcore-controller"))
	})

	It("does not change the hooks it was given", func(ctx SpecContext) {
		w := newPlace(ctx)
		all := hooks(job("setup", "0", ""))
		w.waits(ctx, all)
		Expect(all).To(Equal(hooks(job("setup", "0", ""))))
	})

	It("leaves definitions, roles and the hooks of other events alone", func(ctx SpecContext) {
		w := newPlace(ctx)
		w.completes(ctx, hooks(
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n"+meta("setup", "pre-install", "0", ""),
			"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"+meta("things.example.com", "pre-install", "0", ""),
			"apiVersion: v1\nkind: ConfigMap\n"+meta("later", "post-install", "0", ""),
		))
		Expect(w.exists(ctx, &rbacv1.Role{}, "setup")).To(BeFalse())
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "later")).To(BeFalse())
	})

	It("places a cluster-scoped hook in no namespace and under no controller", func(ctx SpecContext) {
		w := newPlace(ctx)
		name := w.run.Release.Namespace
		all := hooks("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n" + meta(name+"\n  namespace: elsewhere", "pre-install", "0", "hook-succeeded") + "value: 5\n")
		w.completes(ctx, all)
		class := &schedulingv1.PriorityClass{}
		Expect(live.Get(ctx, client.ObjectKey{Name: name}, class)).To(Succeed())
		Expect(class.OwnerReferences).To(BeEmpty())
		Expect(hookexec.Cleanup(ctx, live, w.run, all)).To(Succeed())
		Expect(w.exists(ctx, class, name)).To(BeFalse())
	})

	It("refuses a hook of another namespace before it does anything", func(ctx SpecContext) {
		w := newPlace(ctx)
		o := w.step(ctx, hooks(configMap("scripts", "-5", ""), configMap("stray\n  namespace: default", "0", "")))
		refused, _ := o.(outcome.Refuse)
		Expect(refused.Reason).To(Equal(unapplied))
		Expect(refused.Message).To(ContainSubstring("ConfigMap default/stray"))
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "scripts")).To(BeFalse())
	})

	It("names a kind the cluster does not serve", func(ctx SpecContext) {
		err := newPlace(ctx).fails(ctx, unapplied, hooks("apiVersion: example.com/v1\nkind: Thing\n"+meta("a", "pre-install", "0", "")))
		var unserved *hookexec.UnservedError
		Expect(errors.As(err, &unserved)).To(BeTrue(), "got %v", err)
		Expect(unserved.Hook.GVK.Kind).To(Equal("Thing"))
	})

	It("says what the API server refused", func(ctx SpecContext) {
		err := newPlace(ctx).fails(ctx, unapplied, hooks("apiVersion: batch/v1\nkind: Job\n"+meta("setup", "pre-install", "0", "")+"spec: {}\n"))
		Expect(err).To(MatchError(ContainSubstring("create hook Job")))
	})

	It("awaits a Pod by its phase", func(ctx SpecContext) {
		w := newPlace(ctx)
		all := hooks("apiVersion: v1\nkind: Pod\n" + meta("check", "pre-install", "0", "") + "spec: {restartPolicy: Never, containers: [{name: work, image: registry.invalid/work}]}\n")
		w.waits(ctx, all)
		pod := &corev1.Pod{}
		Expect(live.Get(ctx, w.key("check"), pod)).To(Succeed())
		pod.Status.Phase = corev1.PodSucceeded
		Expect(live.Status().Update(ctx, pod)).To(Succeed())
		w.completes(ctx, all)
	})

	It("cleans up what is deleted on success, in a later pass, and nothing of another run", func(ctx SpecContext) {
		w := newPlace(ctx)
		all := hooks(configMap("scripts", "-5", "hook-succeeded,before-hook-creation"), configMap("stays", "-4", ""), job("setup", "0", "hook-succeeded"))
		w.waits(ctx, all)
		w.ends(ctx, "setup", batchv1.JobComplete)
		w.completes(ctx, all)

		other := w.run
		other.Token = "second"
		Expect(hookexec.Cleanup(ctx, live, other, all)).To(Succeed())
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "scripts")).To(BeTrue())

		Expect(hookexec.Cleanup(ctx, live, w.run, all)).To(Succeed())
		w.collect(ctx)
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "scripts")).To(BeFalse())
		Expect(w.exists(ctx, &batchv1.Job{}, "setup")).To(BeFalse())
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "stays")).To(BeTrue())
		Expect(hookexec.Cleanup(ctx, live, w.run, all)).To(Succeed())
	})
})

var _ = Describe("A new run", func() {
	It("replaces what the one before left, and waits until its pods are gone", func(ctx SpecContext) {
		w := newPlace(ctx)
		all := hooks(configMap("scripts", "-5", ""), job("setup", "0", "hook-succeeded"))
		w.waits(ctx, all)
		w.ends(ctx, "setup", batchv1.JobComplete)
		w.completes(ctx, all)
		old := w.job(ctx, "setup").UID

		w.run.Token = "second"
		Expect(w.waits(ctx, all).Message).To(HaveSuffix("/setup of an earlier run is being deleted"))
		w.waits(ctx, all)
		Expect(w.job(ctx, "setup").UID).To(Equal(old))
		w.collect(ctx)
		w.waits(ctx, all)
		Expect(w.job(ctx, "setup").UID).NotTo(Equal(old))
		Expect(w.job(ctx, "setup").Annotations).To(HaveKeyWithValue(object.AnnotationHookRun, "second"))
		w.ends(ctx, "setup", batchv1.JobComplete)
		w.completes(ctx, all)
	})

	It("replaces what a deleted resource of the same name left behind", func(ctx SpecContext) {
		w := newPlace(ctx)
		all := hooks(configMap("scripts", "-5", ""))
		w.completes(ctx, all)
		w.run.Token, w.run.Owner.UID = "second", "a-new-uid"
		w.completes(ctx, all)
		made := &corev1.ConfigMap{}
		Expect(live.Get(ctx, w.key("scripts"), made)).To(Succeed())
		Expect(string(metav1.GetControllerOf(made).UID)).To(Equal("a-new-uid"))
	})

	DescribeTable("meets a Secret of the run before and",
		func(ctx SpecContext, events, policy, annotation string, stays bool) {
			w := newPlace(ctx)
			all := hooks("apiVersion: v1\nkind: Secret\n" + meta("generated", events, "0", policy) + annotation + "stringData: {a: b}\n")
			w.completes(ctx, all)
			first := &corev1.Secret{}
			Expect(live.Get(ctx, w.key("generated"), first)).To(Succeed())

			w.run.Token = "second"
			w.completes(ctx, all)
			second := &corev1.Secret{}
			Expect(live.Get(ctx, w.key("generated"), second)).To(Succeed())
			Expect(second.UID == first.UID).To(Equal(stays))
			Expect(len(first.OwnerReferences) == 0).To(Equal(stays), "kept data outlives its resource")
		},
		Entry("keeps it when Helm would have made it once", "pre-install", "", "", true),
		Entry("keeps it when it is marked to be kept", "pre-install,pre-upgrade", "before-hook-creation", "    helm.sh/resource-policy: keep\n", true),
		Entry("replaces it when Helm would do so on every upgrade", "pre-install,pre-upgrade", "", "", false),
		Entry("replaces it when the chart says so", "pre-install", "before-hook-creation", "", false),
	)
})

var _ = Describe("An object in the way", func() {
	DescribeTable("is never touched when it belongs to",
		func(ctx SpecContext, labels map[string]string, owner, named string) {
			w := newPlace(ctx)
			for key, value := range labels {
				if value == "" {
					labels[key] = w.run.Release.Namespace
				}
			}
			foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.run.Release.Namespace, Name: "scripts", Labels: labels}}
			if owner != "" {
				yes := true
				foreign.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner, UID: "x", Controller: &yes}}
			}
			Expect(live.Create(ctx, foreign)).To(Succeed())

			all := hooks(configMap("scripts", "-5", "hook-succeeded"), job("setup", "0", ""))
			err := w.fails(ctx, unapplied, all)
			var theirs *hookexec.ForeignError
			Expect(errors.As(err, &theirs)).To(BeTrue(), "got %v", err)
			Expect(theirs.Owner).To(Equal(named))
			Expect(err.Error()).To(ContainSubstring("ConfigMap " + w.run.Release.Namespace + "/scripts of gitlabcore"))
			Expect(hookexec.Cleanup(ctx, live, w.run, all)).To(Succeed())
			Expect(w.exists(ctx, foreign, "scripts")).To(BeTrue())
			Expect(foreign.Annotations).To(BeEmpty())
			Expect(w.exists(ctx, &batchv1.Job{}, "setup")).To(BeFalse())
		},
		Entry("nobody", nil, "", "no release"),
		Entry("another release", object.Release{Name: "other", Namespace: "elsewhere", Kind: "gitlabcore"}.Labels(), "", "gitlabcore elsewhere/other"),
		Entry("another kind of the same name", map[string]string{
			object.LabelReleaseName: "acme", object.LabelReleaseNamespace: "", object.LabelReleaseKind: "siphon",
		}, "other", "ConfigMap other"),
		Entry("another controller although it has our labels", map[string]string{
			object.LabelReleaseName: "acme", object.LabelReleaseNamespace: "", object.LabelReleaseKind: "gitlabcore",
		}, "other", "ConfigMap other"),
	)
})

var _ = Describe("A hook that does not succeed", func() {
	stuck := func(ctx SpecContext, w *place, job string) {
		GinkgoHelper()
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: w.run.Release.Namespace, Name: job + "-x7k2p",
				Labels: map[string]string{"batch.kubernetes.io/controller-uid": string(w.job(ctx, job).UID)},
			},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "work", Image: "registry.invalid/work"}}},
		}
		Expect(live.Create(ctx, pod)).To(Succeed())
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "work", State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"},
		}}}
		Expect(live.Status().Update(ctx, pod)).To(Succeed())
	}

	It("is reported with the cause, run again on a retry, and runs on when the retry finds it running", func(ctx SpecContext) {
		w := newPlace(ctx)
		all := hooks(job("setup", "0", ""))
		w.waits(ctx, all)
		stuck(ctx, w, "setup")
		Expect(w.waits(ctx, all).Message).To(Equal("pre-install hook: Job setup is running: container work of pod setup-x7k2p is waiting: ImagePullBackOff"))
		w.ends(ctx, "setup", batchv1.JobFailed)

		err := w.fails(ctx, failed, all)
		var failure *hookexec.FailedError
		Expect(errors.As(err, &failure)).To(BeTrue(), "got %v", err)
		Expect(failure.Message).To(Equal("Job setup failed: Ended (as the spec wants): container work of pod setup-x7k2p is waiting: ImagePullBackOff"))
		_ = w.fails(ctx, failed, all)
		old := w.job(ctx, "setup").UID

		w.run.Retry = true
		w.waits(ctx, all)
		w.run.Retry = false
		Expect(w.waits(ctx, all).Message).To(ContainSubstring("is being deleted"), "the failure was reported; it is not reported again while it goes")
		w.collect(ctx)
		w.waits(ctx, all)
		again := w.job(ctx, "setup").UID
		Expect(again).NotTo(Equal(old))
		w.run.Retry = true
		w.waits(ctx, all)
		Expect(w.job(ctx, "setup").UID).To(Equal(again))
		w.ends(ctx, "setup", batchv1.JobComplete)
		w.completes(ctx, all)
	})

	It("in time is reported with its cause, goes on, and keeps what it needs", func(ctx SpecContext) {
		w := newPlace(ctx)
		all := hooks(configMap("scripts", "-5", "hook-succeeded"), job("setup", "0", ""))
		w.waits(ctx, all)
		stuck(ctx, w, "setup")
		w.run.Now = w.job(ctx, "setup").CreationTimestamp.Add(hookexec.DefaultTimeout - time.Second)
		Expect(w.waits(ctx, all).After).To(Equal(time.Second))

		w.run.Now = w.run.Now.Add(time.Second)
		err := w.fails(ctx, failed, all)
		var failure *hookexec.FailedError
		Expect(errors.As(err, &failure)).To(BeTrue(), "got %v", err)
		Expect(failure.TimedOut).To(Equal(hookexec.DefaultTimeout))
		Expect(err.Error()).To(HaveSuffix("did not complete within 10m0s: Job setup is running: container work of pod setup-x7k2p is waiting: ImagePullBackOff"))
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "scripts")).To(BeTrue())

		w.run.Retry = true
		_ = w.fails(ctx, failed, all)
		w.ends(ctx, "setup", batchv1.JobComplete)
		w.completes(ctx, all)
	})

	It("is deleted by its policy, with those that succeeded by theirs", func(ctx SpecContext) {
		w := newPlace(ctx)
		all := hooks(configMap("stays", "-6", ""), configMap("scripts", "-5", "hook-succeeded"), configMap("only-if-it-fails", "-4", "hook-failed"),
			job("setup", "0", "hook-failed"))
		w.waits(ctx, all)
		w.ends(ctx, "setup", batchv1.JobFailed)
		_ = w.fails(ctx, failed, all)
		w.collect(ctx)
		Expect(w.exists(ctx, &batchv1.Job{}, "setup")).To(BeFalse())
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "scripts")).To(BeFalse())
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "stays")).To(BeTrue())
		Expect(w.exists(ctx, &corev1.ConfigMap{}, "only-if-it-fails")).To(BeTrue())
	})
})
