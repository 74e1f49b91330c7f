//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

func TestManager(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "The manager as a process, on a whole cluster")
}

var cluster client.Client

var _ = BeforeSuite(func(ctx context.Context) {
	config, err := ctrl.GetConfig()
	if err != nil {
		Skip("kubectl points at no cluster: " + err.Error())
	}
	if os.Getenv("MANAGER") == "" || os.Getenv("HELM_CHARTS") == "" {
		Skip("MANAGER names the manager's binary and HELM_CHARTS the charts (task test:e2e)")
	}
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v2alpha1.AddToScheme(scheme)).To(Succeed())
	cluster, err = client.New(config, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	if err := cluster.List(ctx, &v2alpha1.GitLabCoreList{}); err != nil {
		Skip("the definitions are not installed (task install_v2alpha1_crds): " + err.Error())
	}
})

// manager starts the manager without webhooks. It is killed, not asked to stop.
func manager() *exec.Cmd {
	GinkgoHelper()
	cmd := exec.Command(os.Getenv("MANAGER"), "--webhook-port", "0", "--metrics-bind-address", "0",
		"--health-probe-bind-address", freeAddress())
	cmd.Env = append(os.Environ(), "ENABLE_BRIDGE=true")
	cmd.Stdout, cmd.Stderr = GinkgoWriter, GinkgoWriter
	cmd.WaitDelay = 5 * time.Second
	Expect(cmd.Start()).To(Succeed())
	return cmd
}

func kill(cmd *exec.Cmd) {
	GinkgoHelper()
	Expect(cmd.Process.Kill()).To(Succeed())
	_ = cmd.Wait()
}

func freeAddress() string {
	GinkgoHelper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// namespace makes a namespace a release can run in.
func namespace(ctx context.Context) string {
	GinkgoHelper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "kill-"}}
	Expect(cluster.Create(ctx, ns)).To(Succeed())
	DeferCleanup(func(ctx context.Context) {
		if os.Getenv("E2E_KEEP_NAMESPACE") == "" {
			Expect(client.IgnoreNotFound(cluster.Delete(ctx, ns))).To(Succeed())
		}
	})
	Expect(cluster.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "gitlab-manager"}})).To(Succeed())
	return ns.Name
}

func instance(namespace string) *v2alpha1.GitLabCore {
	ref := v2alpha1.SecretKeyRef{Name: "credentials", Key: "password"}
	core := &v2alpha1.GitLabCore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "instance"}}
	core.Spec = v2alpha1.GitLabCoreSpec{
		Version:       v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: "10.4.0"},
		Hostname:      "gitlab.example.com",
		PostgreSQL:    &v2alpha1.Connection{Host: "postgresql", PasswordSecretRef: ref},
		Redis:         &v2alpha1.Connection{Host: "redis", PasswordSecretRef: ref},
		ObjectStorage: &v2alpha1.ObjectStorage{ConnectionSecretRef: ref},
		Chart:         &v2alpha1.Chart{},
	}
	core.Spec.Chart.Values = &apiextensionsv1.JSON{Raw: []byte(`{"gitlab":{"gitaly":{"persistence":{"enabled":false}}}}`)}
	return core
}

// ready waits for the summary that kubectl wait waits for.
func ready(ctx context.Context, namespace string) *v2alpha1.GitLabCore {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	Eventually(func(g Gomega) {
		g.Expect(cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "instance"}, core)).To(Succeed())
		c := apimeta.FindStatusCondition(core.Status.Conditions, v2alpha1.ConditionReady)
		g.Expect(c).NotTo(BeNil())
		g.Expect(string(c.Status)).To(Equal("True"), c.Message)
	}).WithContext(ctx).WithTimeout(4 * time.Minute).WithPolling(500 * time.Millisecond).Should(Succeed())
	return core
}

// state is what a release left in the cluster: its objects and how often each workload was changed.
func state(ctx context.Context, core *v2alpha1.GitLabCore) []string {
	GinkgoHelper()
	var out []string
	for _, kind := range core.Status.RenderedKinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(listKind(kind))
		Expect(cluster.List(ctx, list, client.InNamespace(core.Namespace), client.HasLabels{object.LabelReleaseName})).To(Succeed())
		for _, o := range list.Items {
			if !o.DeletionTimestamp.IsZero() {
				continue
			}
			line := kind + " " + o.Name
			if strings.HasPrefix(kind, "apps/") {
				line += fmt.Sprintf(" generation %d", o.Generation)
			}
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

// atRest waits for the pass after the first one, which tidies up the hooks, and returns the state it leaves.
func atRest(ctx context.Context, core *v2alpha1.GitLabCore) []string {
	GinkgoHelper()
	var last []string
	Eventually(func() []string { last = state(ctx, core); return last }).WithContext(ctx).
		WithTimeout(time.Minute).WithPolling(time.Second).ShouldNot(ContainElement("batch/v1/Job instance-shared-secrets"))
	return last
}

func listKind(kind string) schema.GroupVersionKind {
	i := strings.LastIndex(kind, "/")
	gv, err := schema.ParseGroupVersion(kind[:i])
	Expect(err).NotTo(HaveOccurred())
	return gv.WithKind(kind[i+1:] + "List")
}

var _ = Describe("Killing the manager during a first reconcile", func() {
	It("ends in the same cluster state wherever it is killed", func(ctx context.Context) {
		undisturbed := namespace(ctx)
		running := manager()
		start := time.Now()
		Expect(cluster.Create(ctx, instance(undisturbed))).To(Succeed())
		core := ready(ctx, undisturbed)
		took := time.Since(start)
		want := atRest(ctx, core)
		kill(running)
		Expect(want).NotTo(BeEmpty())

		for _, after := range []time.Duration{300 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, took / 2, took * 3 / 4} {
			By(fmt.Sprintf("killing it %s after the resource was applied", after.Round(time.Millisecond)))
			ns := namespace(ctx)
			running := manager()
			Expect(cluster.Create(ctx, instance(ns))).To(Succeed())
			time.Sleep(after)
			kill(running)
			running = manager()
			Expect(atRest(ctx, ready(ctx, ns))).To(Equal(want))
			kill(running)
		}
	}, NodeTimeout(25*time.Minute))
})

var _ = Describe("A manager at rest", func() {
	It("puts right what is deleted, edited or unlabelled by hand, woken by a watch", func(ctx context.Context) {
		ns := namespace(ctx)
		running := manager()
		DeferCleanup(func() { kill(running) })
		Expect(cluster.Create(ctx, instance(ns))).To(Succeed())
		ready(ctx, ns)
		key := client.ObjectKey{Namespace: ns, Name: "instance-webservice-default"}
		d := &appsv1.Deployment{}
		Expect(cluster.Get(ctx, key, d)).To(Succeed())
		image, uid := d.Spec.Template.Spec.Containers[0].Image, d.UID

		Expect(cluster.Delete(ctx, d)).To(Succeed())
		soon := func() AsyncAssertion {
			// Half of the interval of the 30-second pass: only a watch is that fast.
			return Eventually(func(g Gomega) {
				live := &appsv1.Deployment{}
				g.Expect(cluster.Get(ctx, key, live)).To(Succeed())
				g.Expect(live.UID).NotTo(Equal(uid))
				g.Expect(live.Spec.Template.Spec.Containers[0].Image).To(Equal(image))
				g.Expect(live.Labels).To(HaveKey(object.LabelReleaseName))
			}).WithContext(ctx).WithTimeout(15 * time.Second).WithPolling(200 * time.Millisecond)
		}
		soon().Should(Succeed())

		Expect(cluster.Get(ctx, key, d)).To(Succeed())
		edited := d.DeepCopy()
		edited.Spec.Template.Spec.Containers[0].Image = "edited.example.com/by:hand"
		Expect(cluster.Patch(ctx, edited, client.MergeFrom(d))).To(Succeed())
		soon().Should(Succeed())

		Expect(cluster.Get(ctx, key, d)).To(Succeed())
		unlabelled := d.DeepCopy()
		delete(unlabelled.Labels, object.LabelReleaseName)
		Expect(cluster.Patch(ctx, unlabelled, client.MergeFrom(d))).To(Succeed())
		soon().Should(Succeed())
	}, NodeTimeout(8*time.Minute))
})
