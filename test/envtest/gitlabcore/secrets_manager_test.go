package gitlabcore_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabsecrets"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
)

const (
	// atOnce is how soon a watch must have had its effect: far below the 30 seconds of the interval.
	atOnce = 8 * time.Second
	// quiet is how long nothing may happen before a spec believes that every wake of before is served.
	quiet = 3 * time.Second
	// madeWithin is how long all keys of a release may take on a busy machine.
	madeWithin = 3 * time.Minute
)

// managed starts a manager over the namespace of an instance, put together as the operator does it: with the drift
// watches, and with the GitLabSecrets reconciler beside it where the spec does not play it.
func (i *instance) managed(ctx context.Context, madeForReal bool) {
	GinkgoHelper()
	mgr := w.Manager(GinkgoTB(), i.namespace)
	labelled, err := labels.Parse(object.LabelReleaseName)
	Expect(err).NotTo(HaveOccurred())
	applied := mgr.Cache(GinkgoTB(), labelled)
	i.reconciler.Cached, i.reconciler.Now, i.reconciler.Engine.Metadata = mgr.GetClient(), time.Now, applied
	c, err := i.reconciler.Setup(mgr, 1)
	Expect(err).NotTo(HaveOccurred())
	i.reconciler.Engine.Drift = &release.Drift{
		Cache: applied, Controller: c, Mapper: mgr.GetRESTMapper(), Memory: i.reconciler.Engine.Memory, Kind: plan.ReleaseKindGitLabCore, Now: time.Now,
	}
	if madeForReal {
		names := mgr.Cache(GinkgoTB(), nil)
		secrets := &gitlabsecrets.Reconciler{
			Client: w.Live, Cached: mgr.GetClient(), Names: names, Random: rand.Reader, Now: time.Now,
			Forge: gitlabsecrets.NewForge(2, rand.Reader, time.Now), Events: events.NewFakeRecorder(1000),
		}
		Expect(secrets.Setup(mgr, names, 1)).To(Succeed())
	}
	mgr.Run(ctx, GinkgoTB())
}

// becomes waits until Initialized says this of the resource's generation, and returns the resource.
func (i *instance) becomes(ctx context.Context, within time.Duration, status metav1.ConditionStatus, reason string) *v2alpha1.GitLabCore {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	Eventually(func(g Gomega) {
		g.Expect(w.Live.Get(ctx, request(i.namespace).NamespacedName, core)).To(Succeed())
		c := apimeta.FindStatusCondition(core.Status.Conditions, v2alpha1.ConditionInitialized)
		g.Expect(c).NotTo(BeNil())
		g.Expect(c.ObservedGeneration).To(Equal(core.Generation))
		g.Expect(string(c.Status)+"/"+c.Reason).To(Equal(string(status)+"/"+reason), c.Message)
	}, within, 50*time.Millisecond).WithContext(ctx).Should(Succeed())
	return core
}

// settles waits until the reconciler has been idle for a while.
func (i *instance) settles() {
	GinkgoHelper()
	last, since := i.counts.Total(), time.Now()
	Eventually(func() time.Duration {
		if now := i.counts.Total(); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since)
	}, time.Minute, 100*time.Millisecond).Should(BeNumerically(">", quiet))
}

// versions are the versions of the Secrets that are made for the release.
func (i *instance) versions(ctx context.Context) map[string]string {
	GinkgoHelper()
	var all corev1.SecretList
	Expect(w.Live.List(ctx, &all, client.InNamespace(i.namespace))).To(Succeed())
	out := map[string]string{}
	for _, s := range all.Items {
		if !slices.ContainsFunc(s.OwnerReferences, func(o metav1.OwnerReference) bool { return o.Kind == "GitLabCore" }) {
			out[s.Name] = s.ResourceVersion
		}
	}
	return out
}

func revision(o metav1.Object) int64 {
	GinkgoHelper()
	n, err := strconv.ParseInt(o.GetResourceVersion(), 10, 64)
	Expect(err).NotTo(HaveOccurred())
	return n
}

// firstWorkload is the revision at which the first workload came.
func (i *instance) firstWorkload(ctx context.Context) int64 {
	GinkgoHelper()
	var deployments appsv1.DeploymentList
	Expect(w.Live.List(ctx, &deployments, client.InNamespace(i.namespace))).To(Succeed())
	var sets appsv1.StatefulSetList
	Expect(w.Live.List(ctx, &sets, client.InNamespace(i.namespace))).To(Succeed())
	var revisions []int64
	for _, d := range deployments.Items {
		revisions = append(revisions, revision(&d))
	}
	for _, s := range sets.Items {
		revisions = append(revisions, revision(&s))
	}
	Expect(revisions).NotTo(BeEmpty())
	return slices.Min(revisions)
}

// withoutHook is the smallest release that has a GitLabSecrets.
func withoutHook(namespace string) *v2alpha1.GitLabCore {
	core := withSecrets(namespace)
	core.Spec.Chart.Values.Raw = []byte(`{"prometheus":{"install":false},"gitlab":{"toolbox":{"enabled":false}},"shared-secrets":{"selfsign":{"keySize":2048}}}`)
	return core
}

var _ = Describe("A running manager whose GitLabCore has a GitLabSecrets", func() {
	It("is woken by its readiness, there and back, and not by the next poll", func(ctx context.Context) {
		i := create(ctx, withSecrets)
		i.managed(ctx, false)
		i.becomes(ctx, time.Minute, metav1.ConditionFalse, v2alpha1.ReasonWaitingForSecrets)
		i.settles()
		i.secretsReady(ctx)
		start := time.Now()
		i.becomes(ctx, atOnce, metav1.ConditionFalse, v2alpha1.ReasonHooksRunning)
		_, _ = fmt.Fprintf(GinkgoWriter, "the wait ended after %s\n", time.Since(start).Round(time.Millisecond))
		i.ends(ctx, hookJob, batchv1.JobComplete)
		i.becomes(ctx, time.Minute, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		i.settles()
		// The pass this wakes leaves everything at rest: from then on the drift watch has no eye on the status of a GitLabSecrets.
		i.rolledOut(ctx)
		Eventually(func() bool {
			return apimeta.IsStatusConditionTrue(i.read(ctx).Status.Conditions, v2alpha1.ConditionReady)
		},
			time.Minute, 50*time.Millisecond).Should(BeTrue())
		i.settles()
		i.secretsLost(ctx)
		core := i.becomes(ctx, atOnce, metav1.ConditionFalse, v2alpha1.ReasonWaitingForSecrets)
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhasePreparing))
		i.settles()
		i.secretsReady(ctx)
		core = i.becomes(ctx, atOnce, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
	})

	It("makes every Secret before the first workload, reports a lost one, makes fresh ones on request, and leaves them all behind", func(ctx context.Context) {
		i := create(ctx, withoutHook)
		i.managed(ctx, true)
		i.becomes(ctx, madeWithin, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		secrets, first := i.declared(ctx), i.firstWorkload(ctx)
		Expect(len(secrets.Status.Secrets)).To(BeNumerically(">=", 28))
		for _, s := range secrets.Status.Secrets {
			made := &corev1.Secret{}
			Expect(i.exists(ctx, made, s.Name)).To(BeTrue(), s.Name)
			Expect(revision(made)).To(BeNumerically("<", first), s.Name)
			Expect(made.OwnerReferences).To(BeEmpty(), s.Name)
			Expect(slices.Sorted(maps.Keys(made.Labels))).NotTo(ContainElement(HavePrefix("operator.gitlab.com/release-")), s.Name)
		}

		By("deleting the GitLabSecrets by hand")
		i.settles()
		before := i.versions(ctx)
		Expect(w.Live.Delete(ctx, secrets)).To(Succeed())
		Eventually(func() bool {
			again := &v2alpha1.GitLabSecrets{}
			return i.exists(ctx, again, "instance") && again.UID != secrets.UID
		}, atOnce, 50*time.Millisecond).Should(BeTrue())
		i.becomes(ctx, time.Minute, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(i.versions(ctx)).To(Equal(before), "a present value keeps its value")

		By("losing a data-bearing Secret")
		i.settles()
		rails := &corev1.Secret{}
		Expect(i.exists(ctx, rails, "instance-rails-secret")).To(BeTrue())
		Expect(w.Live.Delete(ctx, rails)).To(Succeed())
		core := i.becomes(ctx, atOnce, metav1.ConditionFalse, v2alpha1.ReasonWaitingForSecrets)
		Expect(waits(core)).To(And(ContainSubstring(v2alpha1.ReasonUnitsReported), ContainSubstring(rails.Name)))
		i.settles()
		Expect(i.exists(ctx, &corev1.Secret{}, rails.Name)).To(BeFalse())

		By("forcing fresh values")
		Expect(w.Live.Delete(ctx, i.declared(ctx))).To(Succeed())
		Eventually(func() bool { return i.exists(ctx, &corev1.Secret{}, rails.Name) }, time.Minute, 100*time.Millisecond).Should(BeTrue())
		core = i.becomes(ctx, time.Minute, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))

		By("deleting the GitLabCore")
		i.settles()
		before = i.versions(ctx)
		Expect(metav1.IsControlledBy(i.declared(ctx), core)).To(BeTrue(), "the garbage collector takes it")
		Expect(w.Live.Delete(ctx, core)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(w.Live.Get(ctx, request(i.namespace).NamespacedName, &v2alpha1.GitLabCore{}))
		}, time.Minute, 50*time.Millisecond).Should(BeTrue())
		i.settles()
		Expect(i.versions(ctx)).To(Equal(before))
	}, NodeTimeout(8*time.Minute))
})
