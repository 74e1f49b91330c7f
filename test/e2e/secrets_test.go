//go:build e2e

package e2e

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// untouched makes a namespace in which nothing is prepared: no ServiceAccount of ours, no role, no Secret.
func untouched(ctx context.Context) string {
	GinkgoHelper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "secrets-"}}
	Expect(cluster.Create(ctx, ns)).To(Succeed())
	DeferCleanup(func(ctx context.Context) { Expect(client.IgnoreNotFound(cluster.Delete(ctx, ns))).To(Succeed()) })
	return ns.Name
}

// births notes the revision of the cluster's store at which each object of some kind came: whatever the kinds, the one
// with the lower revision was first.
type births struct {
	mu   sync.Mutex
	when map[string]map[string]int64
}

// watchBirths begins to note the Secrets and the pods of a namespace, before any is there.
func watchBirths(ctx context.Context, namespace string) *births {
	GinkgoHelper()
	config, err := ctrl.GetConfig()
	Expect(err).NotTo(HaveOccurred())
	watching, err := client.NewWithWatch(config, client.Options{Scheme: cluster.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	b := &births{when: map[string]map[string]int64{}}
	for kind, list := range map[string]client.ObjectList{"Secret": &corev1.SecretList{}, "Pod": &corev1.PodList{}} {
		b.when[kind] = map[string]int64{}
		events, err := watching.Watch(ctx, list, client.InNamespace(namespace))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(events.Stop)
		go b.note(kind, events)
	}
	return b
}

func (b *births) note(kind string, events watch.Interface) {
	defer GinkgoRecover()
	for e := range events.ResultChan() {
		if o, ok := e.Object.(client.Object); ok && e.Type == watch.Added {
			revision, err := strconv.ParseInt(o.GetResourceVersion(), 10, 64)
			Expect(err).NotTo(HaveOccurred())
			b.mu.Lock()
			b.when[kind][o.GetName()] = revision
			b.mu.Unlock()
		}
	}
}

// first is the revision at which the first object of a kind came.
func (b *births) first(kind string) int64 {
	GinkgoHelper()
	b.mu.Lock()
	defer b.mu.Unlock()
	Expect(b.when[kind]).NotTo(BeEmpty(), kind)
	return slices.Min(slices.Collect(maps.Values(b.when[kind])))
}

// of is the revision at which an object came.
func (b *births) of(kind, name string) int64 {
	GinkgoHelper()
	b.mu.Lock()
	defer b.mu.Unlock()
	Expect(b.when[kind]).To(HaveKey(name), kind)
	return b.when[kind][name]
}

// declared reads the GitLabSecrets of the instance.
func declared(ctx context.Context, namespace string) *v2alpha1.GitLabSecrets {
	GinkgoHelper()
	secrets := &v2alpha1.GitLabSecrets{}
	Expect(cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "instance"}, secrets)).To(Succeed())
	return secrets
}

// identities are the UIDs of the Secrets a GitLabSecrets declares, as far as they are there.
func identities(ctx context.Context, namespace string, secrets *v2alpha1.GitLabSecrets) map[string]types.UID {
	GinkgoHelper()
	out := map[string]types.UID{}
	for _, s := range secrets.Status.Secrets {
		made := &corev1.Secret{}
		err := cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: s.Name}, made)
		Expect(client.IgnoreNotFound(err)).To(Succeed())
		if err == nil {
			out[s.Name] = made.UID
		}
	}
	return out
}

// generations tells whether a workload was changed or made anew.
func generations(ctx context.Context, namespace string) map[types.UID]int64 {
	GinkgoHelper()
	var deployments appsv1.DeploymentList
	Expect(cluster.List(ctx, &deployments, client.InNamespace(namespace))).To(Succeed())
	out := map[types.UID]int64{}
	for _, d := range deployments.Items {
		out[d.UID] = d.Generation
	}
	return out
}

var _ = Describe("An instance of chart 10.5 in a namespace where nothing is prepared", func() {
	It("has every Secret before its first pod, loses none by itself, and makes fresh ones when it is told to", func(ctx context.Context) {
		ns := untouched(ctx)
		born := watchBirths(ctx, ns)
		running := manager()
		DeferCleanup(func() { kill(running) })
		core := instance(ns)
		core.Spec.Version.Version = "10.5.0"
		Expect(cluster.Create(ctx, core)).To(Succeed())
		core = ready(ctx, ns)
		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
		secrets := declared(ctx, ns)
		Expect(metav1.IsControlledBy(secrets, core)).To(BeTrue())
		Expect(len(secrets.Status.Secrets)).To(BeNumerically(">=", 28))
		first := born.first("Pod")
		for _, s := range secrets.Status.Secrets {
			Expect(born.of("Secret", s.Name)).To(BeNumerically("<", first), s.Name)
		}
		withoutPrivileges(ctx, ns)

		By("deleting a data-bearing Secret by hand")
		workloads := generations(ctx, ns)
		rails := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "instance-rails-secret"}}
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(rails), rails)).To(Succeed())
		lost := rails.UID
		Expect(cluster.Delete(ctx, rails)).To(Succeed())
		says(ctx, ns, 15*time.Second, "False/"+v2alpha1.ReasonWaitingForSecrets, v2alpha1.PhasePreparing, rails.Name)
		Consistently(func() bool {
			return apierrors.IsNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(rails), rails))
		}).WithContext(ctx).WithTimeout(5*time.Second).WithPolling(250*time.Millisecond).Should(BeTrue(), "it is reported, not made again")
		Expect(generations(ctx, ns)).To(Equal(workloads), "what runs keeps running")

		By("forcing fresh values")
		others := identities(ctx, ns, secrets)
		Expect(cluster.Delete(ctx, declared(ctx, ns))).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(cluster.Get(ctx, client.ObjectKeyFromObject(rails), rails)).To(Succeed())
			g.Expect(rails.UID).NotTo(Equal(lost))
			g.Expect(rails.Data).To(HaveKey("secrets.yml"))
		}).WithContext(ctx).WithTimeout(time.Minute).WithPolling(250 * time.Millisecond).Should(Succeed())
		says(ctx, ns, time.Minute, "True/"+v2alpha1.ReasonChartRendered, v2alpha1.PhaseRunning, "")
		core = ready(ctx, ns)
		again := identities(ctx, ns, secrets)
		Expect(again).To(HaveKey(rails.Name))
		delete(again, rails.Name)
		Expect(again).To(Equal(others), "no other Secret was touched")

		By("deleting the instance")
		Expect(cluster.Delete(ctx, core)).To(Succeed())
		Eventually(func(g Gomega) {
			for _, o := range []client.Object{&v2alpha1.GitLabCore{}, &v2alpha1.GitLabSecrets{}} {
				err := cluster.Get(ctx, client.ObjectKey{Namespace: ns, Name: "instance"}, o)
				g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%T is still there", o)
			}
			g.Expect(generations(ctx, ns)).To(BeEmpty())
		}).WithContext(ctx).WithTimeout(2 * time.Minute).WithPolling(500 * time.Millisecond).Should(Succeed())
		left := identities(ctx, ns, secrets)
		Expect(left).To(HaveKey(rails.Name))
		delete(left, rails.Name)
		Expect(left).To(Equal(others), "every generated Secret stays")
	}, NodeTimeout(12*time.Minute))
})

// withoutPrivileges expects that the release came up with no RBAC and no hook of its own.
func withoutPrivileges(ctx context.Context, namespace string) {
	GinkgoHelper()
	for _, list := range []client.ObjectList{&rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &batchv1.JobList{}} {
		Expect(cluster.List(ctx, list, client.InNamespace(namespace))).To(Succeed())
		items, err := apimeta.ExtractList(list)
		Expect(err).NotTo(HaveOccurred())
		for _, item := range items {
			Expect(item.(client.Object).GetName()).NotTo(ContainSubstring("shared-secrets"))
		}
		if _, jobs := list.(*batchv1.JobList); !jobs {
			Expect(items).To(BeEmpty())
		}
	}
	err := cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "gitlab-manager"}, &corev1.ServiceAccount{})
	Expect(apierrors.IsNotFound(err)).To(BeTrue())
}

// says waits until Initialized, at the generation of the instance, and its phase say this, and the message has the part.
func says(ctx context.Context, namespace string, within time.Duration, initialized string, phase v2alpha1.Phase, part string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		core := &v2alpha1.GitLabCore{}
		g.Expect(cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "instance"}, core)).To(Succeed())
		c := apimeta.FindStatusCondition(core.Status.Conditions, v2alpha1.ConditionInitialized)
		g.Expect(c).NotTo(BeNil())
		g.Expect(c.ObservedGeneration).To(Equal(core.Generation))
		g.Expect(string(c.Status)+"/"+c.Reason).To(Equal(initialized), c.Message)
		g.Expect(c.Message).To(ContainSubstring(part))
		g.Expect(core.Status.Phase).To(Equal(phase))
	}).WithContext(ctx).WithTimeout(within).WithPolling(100 * time.Millisecond).Should(Succeed())
}
