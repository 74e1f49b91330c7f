package gitlabcore_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

// referring is a small GitLabCore whose version comes from a ConfigMap and some of whose values come from a Secret.
func referring(namespace string) *v2alpha1.GitLabCore {
	core := small(namespace)
	core.Spec.Version = v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, VersionRef: &v2alpha1.VersionReference{Kind: "ConfigMap", Name: "versions", Key: "chart"}}
	core.Spec.Chart.ValuesFrom = []v2alpha1.ValuesReference{{Kind: v2alpha1.ValuesReferenceSecret, Name: "more"}}
	return core
}

// statuses are those of the GitLabCores of the namespace.
func (i *instance) statuses(ctx context.Context) map[string]v2alpha1.GitLabCoreStatus {
	GinkgoHelper()
	var cores v2alpha1.GitLabCoreList
	Expect(w.Live.List(ctx, &cores, client.InNamespace(i.namespace))).To(Succeed())
	out := map[string]v2alpha1.GitLabCoreStatus{}
	for _, core := range cores.Items {
		out[core.Name] = core.Status
	}
	return out
}

var _ = Describe("A running manager with GitLabCores that refer to other objects", func() {
	It("looks at once at each that names a ConfigMap or a Secret that changes, and at no other", func(ctx context.Context) {
		i := create(ctx, referring)
		meta := func(name string) metav1.ObjectMeta {
			return metav1.ObjectMeta{Namespace: i.namespace, Name: name, Labels: map[string]string{object.LabelConfigSource: "true"}}
		}
		versions := &corev1.ConfigMap{ObjectMeta: meta("versions"), Data: map[string]string{"chart": "10.4.0"}}
		more := &corev1.Secret{ObjectMeta: meta("more"), StringData: map[string]string{"values.yaml": "global: {hosts: {https: true}}\n"}}
		twin, unconcerned := referring(i.namespace), small(i.namespace)
		twin.Name, unconcerned.Name = "twin", "unconcerned"
		for _, o := range []client.Object{versions, more, twin, unconcerned} {
			Expect(w.Live.Create(ctx, o)).To(Succeed())
		}
		i.managed(ctx, false)
		Eventually(func(g Gomega) {
			for name, status := range i.statuses(ctx) {
				g.Expect(status.Version).To(Equal("10.4.0"), name)
			}
		}, time.Minute, 100*time.Millisecond).Should(Succeed())
		i.settles()
		untouched := i.statuses(ctx)["unconcerned"]

		By("changing the ConfigMap of the version")
		was := versions.DeepCopy()
		versions.Data["chart"] = "10.4.1"
		Expect(w.Live.Patch(ctx, versions, client.MergeFrom(was))).To(Succeed())
		Eventually(func(g Gomega) {
			now := i.statuses(ctx)
			g.Expect(now["instance"].TargetVersion).To(Equal("10.4.1"))
			g.Expect(now["twin"].TargetVersion).To(Equal("10.4.1"))
		}, atOnce, 50*time.Millisecond).Should(Succeed())
		i.settles()

		By("changing the Secret of the values")
		before := i.statuses(ctx)
		secret := more.DeepCopy()
		secret.StringData = map[string]string{"values.yaml": "global: {hosts: {https: false}}\n"}
		Expect(w.Live.Patch(ctx, secret, client.MergeFrom(more))).To(Succeed())
		Eventually(func(g Gomega) {
			now := i.statuses(ctx)
			for _, name := range []string{"instance", "twin"} {
				g.Expect(now[name].EffectiveValuesDigest).NotTo(Or(BeEmpty(), Equal(before[name].EffectiveValuesDigest)), name)
			}
		}, atOnce, 50*time.Millisecond).Should(Succeed())
		Expect(i.statuses(ctx)["unconcerned"]).To(Equal(untouched))
	})
})
