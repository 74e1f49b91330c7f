//go:build e2e

package gitlabcore_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabcore"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/facts"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/render/capabilities"
	"github.com/portcullis-operator/portcullis/internal/schema"
)

// cluster is the one kubectl points at.
type cluster struct {
	config *rest.Config
	client client.Client
}

// connect skips where there is no cluster, or one without the definitions.
func connect() *cluster {
	GinkgoHelper()
	config, err := ctrl.GetConfig()
	if err != nil {
		Skip("kubectl points at no cluster: " + err.Error())
	}
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v2alpha1.AddToScheme(scheme)).To(Succeed())
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		Skip("the cluster does not answer: " + err.Error())
	}
	if err := c.List(context.Background(), &v2alpha1.GitLabCoreList{}); err != nil {
		Skip("the definitions are not installed (task install_v2alpha1_crds): " + err.Error())
	}
	return &cluster{config: config, client: c}
}

// throwaway makes a namespace a release can run in and removes it afterwards, unless E2E_KEEP_NAMESPACE is set.
func (c *cluster) throwaway(ctx context.Context) string {
	GinkgoHelper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "gitlabcore-e2e-"}}
	Expect(c.client.Create(ctx, ns)).To(Succeed())
	DeferCleanup(func(ctx context.Context) {
		if os.Getenv("E2E_KEEP_NAMESPACE") != "" {
			_, _ = fmt.Fprintf(GinkgoWriter, "namespace %s is kept; delete its cluster-scoped objects by hand\n", ns.Name)
			return
		}
		Expect(client.IgnoreNotFound(c.client.Delete(ctx, ns))).To(Succeed())
	})
	Expect(c.client.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "gitlab-manager"}})).To(Succeed())
	return ns.Name
}

func (c *cluster) reconciler(s *shelf) *gitlabcore.Reconciler {
	GinkgoHelper()
	files, err := crd.Files()
	Expect(err).NotTo(HaveOccurred())
	set, err := definition.New(files...)
	Expect(err).NotTo(HaveOccurred())
	d := discovery.NewDiscoveryClientForConfigOrDie(c.config)
	served := func(ctx context.Context) (plan.Capabilities, error) {
		read, err := capabilities.Read(ctx, d)
		return plan.Capabilities{Capabilities: read}, err
	}
	return &gitlabcore.Reconciler{
		Cached: c.client, Now: time.Now,
		Reviewer: &admit.Reviewer{
			Definitions: set, Settings: derive.Settings{ManagerServiceAccount: "gitlab-manager"},
			Tools: plan.Tools{Schemas: schema.NewChecker(), Renderer: inProcess{}},
			Facts: &facts.Cluster{Reader: c.client, Resources: c.client, Catalogue: s.catalogue, Served: &facts.Snapshot{TTL: time.Minute, Now: time.Now, Read: served}},
		},
		Engine: &release.Engine{
			Client: c.client, Manager: gitlabcore.Manager, Renderer: inProcess{}, Memory: release.NewMemory(), Metadata: c.client,
			Events: events.NewFakeRecorder(100),
		},
	}
}

// hookOf expects that the hook which makes the Secrets of a release ran to its end, and returns when that was. What it
// made is there wherever containers run. On simulated nodes none does: there the Job ends without having made anything,
// and all that can be seen is that it was let run as who may make Secrets, and in time.
func (c *cluster) hookOf(ctx context.Context, core *v2alpha1.GitLabCore) time.Time {
	GinkgoHelper()
	var jobs batchv1.JobList
	Expect(c.client.List(ctx, &jobs, client.InNamespace(core.Namespace))).To(Succeed())
	jobs.Items = slices.DeleteFunc(jobs.Items, func(job batchv1.Job) bool { return !strings.HasPrefix(job.Name, core.Name+"-shared-secrets") })
	Expect(jobs.Items).To(HaveLen(1), "the pass that sees a hook done does not delete it yet")
	job := jobs.Items[0]
	Expect(job.Status.Succeeded).To(BeEquivalentTo(1))
	Expect(job.Spec.Template.Spec.ServiceAccountName).To(Equal("gitlab-manager"))
	Expect(metav1.IsControlledBy(&job, core)).To(BeTrue())
	if !c.simulated(ctx) {
		for _, name := range []string{"rails-secret", "gitaly-secret", "gitlab-shell-secret"} {
			secret := &corev1.Secret{}
			Expect(c.client.Get(ctx, client.ObjectKey{Namespace: core.Namespace, Name: core.Name + "-" + name}, secret)).To(Succeed())
			Expect(secret.Data).NotTo(BeEmpty(), name)
		}
	}
	return job.Status.CompletionTime.Time
}

// simulated reports whether no node of the cluster runs containers.
func (c *cluster) simulated(ctx context.Context) bool {
	GinkgoHelper()
	var nodes corev1.NodeList
	Expect(c.client.List(ctx, &nodes)).To(Succeed())
	return !slices.ContainsFunc(nodes.Items, func(n corev1.Node) bool { return n.Annotations["kwok.x-k8s.io/node"] != "fake" })
}

// unowned makes an object as the reconciler applies one that cannot have an owner: what no garbage collector takes along.
func (c *cluster) unowned(ctx context.Context, core *v2alpha1.GitLabCore, name string) *corev1.ConfigMap {
	GinkgoHelper()
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: core.Namespace, Name: name, Labels: plan.OfCore(core).Release().Labels()}}
	Expect(c.client.Create(ctx, o, client.FieldOwner(gitlabcore.Manager))).To(Succeed())
	return o
}

var _ = Describe("A GitLabCore on a cluster", func() {
	It("runs its hooks, applies with owners and labels, reports, and is deleted without a trace", func(ctx context.Context) {
		c, s := connect(), openShelf()
		namespace := c.throwaway(ctx)
		core := s.core(nil)
		core.Namespace = namespace
		Expect(c.client.Create(ctx, core)).To(Succeed())
		r := c.reconciler(s)
		req := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(core)}
		pass := func() *v2alpha1.GitLabCore {
			GinkgoHelper()
			_, err := r.Reconcile(ctx, req)
			Expect(err).NotTo(HaveOccurred())
			Expect(c.client.Get(ctx, req.NamespacedName, core)).To(Succeed())
			return core
		}
		reason := func(conditionType string) string {
			if found := apimeta.FindStatusCondition(pass().Status.Conditions, conditionType); found != nil {
				return string(found.Status) + "/" + found.Reason
			}
			return ""
		}
		Eventually(func() string { return reason(v2alpha1.ConditionInitialized) }).
			WithTimeout(3 * time.Minute).WithPolling(time.Second).Should(Equal("True/ChartRendered"))

		Expect(core.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
		Expect(core.Status.Version).To(Equal(s.version))
		Expect(core.Status.RenderedKinds).To(ContainElements("apps/v1/Deployment", "v1/ConfigMap", "v1/Service"))
		var deployments appsv1.DeploymentList
		Expect(c.client.List(ctx, &deployments, client.InNamespace(namespace))).To(Succeed())
		Expect(deployments.Items).NotTo(BeEmpty())
		generated := c.hookOf(ctx, core)
		for _, d := range deployments.Items {
			Expect(d.CreationTimestamp.Time).NotTo(BeTemporally("<", generated), "%s waits for the hooks", d.Name)
			Expect(metav1.IsControlledBy(&d, core)).To(BeTrue(), d.Name)
			Expect(d.Labels).To(HaveKeyWithValue(object.LabelReleaseName, core.Name), d.Name)
		}
		Eventually(func() string { return reason(v2alpha1.ConditionAvailable) }).
			WithTimeout(3 * time.Minute).WithPolling(time.Second).Should(BeElementOf("True/WorkloadsReady", "False/WorkloadsNotReady"))

		unowned, theirs := c.unowned(ctx, core, "unowned"), c.unowned(ctx, core, "theirs")
		theirs.Labels[object.LabelReleaseName] = "other"
		Expect(c.client.Update(ctx, theirs)).To(Succeed())
		Expect(c.client.Delete(ctx, core)).To(Succeed())
		_, err := r.Reconcile(ctx, req)
		Expect(err).NotTo(HaveOccurred())
		Expect(apierrors.IsNotFound(c.client.Get(ctx, req.NamespacedName, core))).To(BeTrue())
		Expect(apierrors.IsNotFound(c.client.Get(ctx, client.ObjectKeyFromObject(unowned), unowned))).To(BeTrue(), "the finalizer prunes it")
		Expect(c.client.Get(ctx, client.ObjectKeyFromObject(theirs), theirs)).To(Succeed(), "the finalizer prunes what is this release's")
		Eventually(func(g Gomega) {
			g.Expect(c.client.List(ctx, &deployments, client.InNamespace(namespace))).To(Succeed())
			g.Expect(deployments.Items).To(BeEmpty(), "owner references take the rest along")
			var jobs batchv1.JobList
			g.Expect(c.client.List(ctx, &jobs, client.InNamespace(namespace), client.HasLabels{object.LabelReleaseName})).To(Succeed())
			g.Expect(jobs.Items).To(BeEmpty())
		}).WithTimeout(2 * time.Minute).WithPolling(time.Second).Should(Succeed())
	}, NodeTimeout(10*time.Minute))
})
