//go:build bridge

package role_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/testing/expect"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

const (
	// patience is how long a step may take on a busy machine, and atOnce how soon a watch must have had its effect: far
	// below the 30 seconds after which a resource is looked at anyway.
	patience, atOnce = 2 * time.Minute, 10 * time.Second
	poll             = 200 * time.Millisecond
)

// unhindered ends a wait once something was forbidden: there is nothing to wait for.
func unhindered() {
	if asked := denied.all(); len(asked) > 0 {
		StopTrying("the manager asked for what it may not").Attach("asked", asked).Now()
	}
}

// played plays the controllers of Jobs and workloads once.
func played(ctx context.Context, g Gomega) {
	unhindered()
	var jobs batchv1.JobList
	g.Expect(live.List(ctx, &jobs, client.InNamespace(place))).To(Succeed())
	for _, job := range jobs.Items {
		if !job.DeletionTimestamp.IsZero() {
			job.Finalizers = nil
			g.Expect(client.IgnoreNotFound(live.Update(ctx, &job))).To(Succeed())
		} else if len(job.Status.Conditions) == 0 {
			g.Expect(world.EndJob(ctx, live, client.ObjectKeyFromObject(&job), batchv1.JobComplete)).To(Succeed())
		}
	}
	g.Expect(world.RollOut(ctx, live, place)).To(Succeed())
}

// readies waits until a resource is ready, while Jobs end and workloads roll out.
func readies(ctx context.Context, o client.Object) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		played(ctx, g)
		g.Expect(live.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
		g.Expect(o).To(expect.HaveCondition(v2alpha1.ConditionReady, metav1.ConditionTrue, v2alpha1.ReasonReconcileSucceeded))
	}, patience, poll).WithContext(ctx).Should(Succeed())
}

// goes deletes a resource and waits until it is let go.
func goes(ctx context.Context, o client.Object) {
	GinkgoHelper()
	Expect(live.Delete(ctx, o)).To(Succeed())
	Eventually(func() bool { return apierrors.IsNotFound(live.Get(ctx, client.ObjectKeyFromObject(o), o)) }, patience, poll).Should(BeTrue())
}

func reads(ctx context.Context, o client.Object) func() error {
	return func() error { return live.Get(ctx, client.ObjectKeyFromObject(o), o) }
}

func core(ctx context.Context) *v2alpha1.GitLabCore {
	GinkgoHelper()
	o := &v2alpha1.GitLabCore{}
	Expect(live.Get(ctx, named(instance), o)).To(Succeed())
	return o
}

// told counts the stored events of a reason about a kind.
func told(ctx context.Context, kind, reason string) func() int {
	return func() int {
		GinkgoHelper()
		var events eventsv1.EventList
		Expect(live.List(ctx, &events, client.InNamespace(place))).To(Succeed())
		n := 0
		for _, e := range events.Items {
			if e.Regarding.Kind == kind && e.Reason == reason {
				n++
			}
		}
		return n
	}
}

var _ = Describe("The manager with the rights of config/rbac and no others", Ordered, func() {
	It("holds its lease, and keeps its certificate authority, which it makes anew once it is damaged", func(ctx context.Context) {
		Eventually(reads(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: "portcullis.portcullis.dev"}}), patience, poll).Should(Succeed())
		authority := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: "portcullis-webhook-ca"}}
		Eventually(reads(ctx, authority), patience, poll).Should(Succeed())
		before := authority.Data["tls.crt"]
		authority.Data["ca.crt"] = []byte("nonsense")
		Expect(live.Update(ctx, authority)).To(Succeed())
		Eventually(func() []byte {
			unhindered()
			Expect(reads(ctx, authority)()).To(Succeed())
			return authority.Data["tls.crt"]
		}, patience, poll).ShouldNot(Equal(before))
	})

	It("admits a full GitLabCore, makes its Secrets, runs its hooks, and applies every kind of it", func(ctx context.Context) {
		versions, more := sources()
		Expect(live.Create(ctx, versions)).To(Succeed())
		Expect(live.Create(ctx, more)).To(Succeed())
		Eventually(func() error {
			err := live.Create(ctx, newCore())
			if apierrors.IsInvalid(err) {
				return StopTrying("it is not admitted").Wrap(err)
			}
			return err
		}, patience, poll).Should(Succeed(), "the API server asks the webhooks")
		readies(ctx, newCore())
		Expect(core(ctx).Status.RenderedKinds).To(HaveLen(18), "the seventeen of a full release, and the GitLabSecrets")
		secrets := &v2alpha1.GitLabSecrets{ObjectMeta: meta(instance)}
		Expect(reads(ctx, secrets)()).To(Succeed())
		Expect(secrets.Status.Secrets).NotTo(BeEmpty())
		for _, s := range secrets.Status.Secrets {
			Expect(live.Get(ctx, named(s.Name), &corev1.Secret{})).To(Succeed())
		}
		Expect(live.Get(ctx, named(hookJob), &batchv1.Job{})).To(Succeed())
		Expect(live.Get(ctx, client.ObjectKey{Name: place + "." + instance}, gatewayClass())).To(Succeed())
	})

	It("applies one that is reached by an Ingress and whose Secrets a Job makes", func(ctx context.Context) {
		o := newPlain()
		Expect(live.Create(ctx, o)).To(Succeed())
		readies(ctx, o)
		Expect(o.Status.RenderedKinds).To(ContainElement("networking.k8s.io/v1/Ingress"))
		goes(ctx, o)
	})

	It("hears at once of a change of the values and of the version, and prunes", func(ctx context.Context) {
		versions, more := sources()
		before := core(ctx).Status.EffectiveValuesDigest
		more.StringData = map[string]string{"values.yaml": "gitlab: {gitlab-shell: {enabled: false}}\n"}
		Expect(live.Update(ctx, more)).To(Succeed())
		Eventually(func() string { return core(ctx).Status.EffectiveValuesDigest }, atOnce, poll).ShouldNot(Equal(before))
		readies(ctx, newCore())
		Eventually(told(ctx, v2alpha1.KindGitLabCore, v2alpha1.EventPruned), patience, poll).ShouldNot(BeZero())
		err := live.Get(ctx, named(shell), &appsv1.Deployment{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)

		versions.Data["chart"] = "10.4.1"
		Expect(live.Update(ctx, versions)).To(Succeed())
		Eventually(core, atOnce, poll).WithArguments(ctx).Should(
			expect.HaveCondition(v2alpha1.ConditionUpgradeable, metav1.ConditionFalse, v2alpha1.ReasonDowngradeRefused))
		Eventually(told(ctx, v2alpha1.KindGitLabCore, v2alpha1.EventDowngradeRefused), patience, poll).Should(Equal(1))
		versions, more = sources()
		Expect(live.Update(ctx, versions)).To(Succeed())
		Expect(live.Update(ctx, more)).To(Succeed())
		Eventually(func() error { return live.Get(ctx, named(shell), &appsv1.Deployment{}) }, atOnce, poll).Should(Succeed())
		readies(ctx, newCore())
	})

	It("puts back at once what somebody deletes, and tells of it", func(ctx context.Context) {
		d := &appsv1.Deployment{ObjectMeta: meta(shell)}
		Expect(live.Delete(ctx, d)).To(Succeed())
		Eventually(reads(ctx, d), atOnce, poll).Should(Succeed())
		Eventually(told(ctx, v2alpha1.KindGitLabCore, v2alpha1.EventDriftCorrected), patience, poll).ShouldNot(BeZero())
		readies(ctx, newCore())
	})

	It("brings up a Siphon and an Orbit, with the tables of the one and the connection of the other", func(ctx context.Context) {
		s, o := newSiphon(), newOrbit()
		Expect(live.Create(ctx, s)).To(Succeed())
		Expect(live.Create(ctx, o)).To(Succeed())
		readies(ctx, s)
		readies(ctx, o)
		Expect(s.Status.TablesConfigMap).NotTo(BeEmpty())
	})

	It("deletes all three with everything that no owner reference takes along", func(ctx context.Context) {
		for _, o := range []client.Object{newOrbit(), newSiphon(), newCore()} {
			goes(ctx, o)
		}
		err := live.Get(ctx, client.ObjectKey{Name: place + "." + instance}, gatewayClass())
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)
		var left appsv1.DeploymentList
		Expect(live.List(ctx, &left, client.InNamespace(place))).To(Succeed())
		Expect(left.Items).To(BeEmpty())
	})
})

func gatewayClass() *unstructured.Unstructured {
	class := &unstructured.Unstructured{}
	class.SetAPIVersion("gateway.networking.k8s.io/v1")
	class.SetKind("GatewayClass")
	return class
}
