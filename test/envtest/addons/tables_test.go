package addons_test

import (
	"bytes"
	"context"
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

var errAway = errors.New("the registry is away")

// published is the ConfigMap of tables, nil while there is none.
func (p *place) published(ctx context.Context) *corev1.ConfigMap {
	GinkgoHelper()
	cm := &corev1.ConfigMap{}
	if !p.exists(ctx, cm, tablesMap) {
		return nil
	}
	return cm
}

// tablesVolume is where the producer finds its tables.
func (p *place) tablesVolume(ctx context.Context) corev1.Volume {
	GinkgoHelper()
	d := &appsv1.Deployment{}
	Expect(p.exists(ctx, d, producer)).To(BeTrue())
	for _, v := range d.Spec.Template.Spec.Volumes {
		if v.Name == "siphon-tables" {
			return v
		}
	}
	Fail("the producer mounts no tables")
	return corev1.Volume{}
}

// fed is a place with an instance and a Siphon that made its first pass.
func fed(ctx context.Context, change func(*v2alpha1.Siphon)) (*place, *v2alpha1.Siphon) {
	GinkgoHelper()
	p := newPlace(ctx)
	store(ctx, newCore(p.namespace), running)
	s := newSiphon(p.namespace)
	if change != nil {
		change(s)
	}
	store(ctx, s, nil)
	return p, p.passSiphon(ctx)
}

var _ = Describe("The tables of a Siphon", func() {
	It("are published in a ConfigMap that takes the place of the image", func(ctx context.Context) {
		p, s := fed(ctx, nil)
		Expect(says(s, v2alpha1.ConditionTablesResolved, metav1.ConditionTrue, v2alpha1.ReasonTablesPublished)).To(ContainSubstring("2 tables"))
		cm := p.published(ctx)
		Expect(cm.Data).To(HaveKeyWithValue("db__projects.yaml", "table: projects\n"))
		Expect(cm.Annotations).To(HaveKeyWithValue(v2alpha1.AnnotationTablesImage, s.Status.TablesImage))
		Expect(cm.Annotations).To(HaveKeyWithValue(v2alpha1.AnnotationTablesDigest, "sha256:one"))
		Expect(s.Status.TablesImage).To(HaveSuffix("/gitlab-siphon-tables:v19.4.0-ee"))
		Expect(p.shelf.image).To(Equal(s.Status.TablesImage))
		Expect(s.Status.TablesCheckedAt).NotTo(BeNil())
		Expect([]any{s.Status.TablesSource, s.Status.TablesDigest, s.Status.TablesConfigMap, s.Status.TableCount}).To(
			Equal([]any{v2alpha1.TablesSourceConfigMap, "sha256:one", tablesMap, int32(2)}))
		volume := p.tablesVolume(ctx)
		Expect(volume.Image).To(BeNil())
		Expect(volume.ConfigMap.Name).To(Equal(tablesMap))
		Expect(volume.ConfigMap.Items).To(ContainElement(corev1.KeyToPath{Key: "db__projects.yaml", Path: "db/projects.yaml"}))
	})

	It("ask the registry once in five minutes, and stay as they are while its digest does", func(ctx context.Context) {
		p, _ := fed(ctx, nil)
		asked, before := p.shelf.asked, p.published(ctx)
		p.passSiphon(ctx)
		p.now = p.now.Add(4 * time.Minute)
		p.siphon(ctx, func(s *v2alpha1.Siphon) { s.Spec.Sink.Database = "another" })
		s := p.passSiphon(ctx)
		says(s, v2alpha1.ConditionTablesResolved, metav1.ConditionTrue, v2alpha1.ReasonTablesUnchanged)
		Expect(p.shelf.asked).To(Equal(asked))
		p.now = p.now.Add(2 * time.Minute)
		s = p.passSiphon(ctx)
		Expect(p.shelf.asked).To(Equal(asked+1), "the digest, and nothing else")
		says(s, v2alpha1.ConditionTablesResolved, metav1.ConditionTrue, v2alpha1.ReasonTablesUnchanged)
		Expect(s.Status.TablesCheckedAt.Time).To(BeTemporally("~", p.now, time.Second))
		Expect(p.published(ctx).ResourceVersion).To(Equal(before.ResourceVersion))
	})

	It("are published anew when the image moved", func(ctx context.Context) {
		p, _ := fed(ctx, nil)
		p.shelf.digest, p.shelf.files = "sha256:two", map[string][]byte{"all.yaml": []byte("- a\n- b\n- c\n")}
		p.passSiphon(ctx)
		Expect(p.published(ctx).Annotations).To(HaveKeyWithValue(v2alpha1.AnnotationTablesDigest, "sha256:one"), "not before five minutes")
		p.now = p.now.Add(6 * time.Minute)
		s := p.passSiphon(ctx)
		says(s, v2alpha1.ConditionTablesResolved, metav1.ConditionTrue, v2alpha1.ReasonTablesPublished)
		Expect(p.published(ctx).Data).To(Equal(map[string]string{"all.yaml": "- a\n- b\n- c\n"}))
		Expect(s.Status.TableCount).To(BeEquivalentTo(3))
		Expect(p.tablesVolume(ctx).ConfigMap.Items).To(HaveLen(1))
	})

	It("are restored when somebody edits or deletes them", func(ctx context.Context) {
		p, _ := fed(ctx, nil)
		cm := p.published(ctx)
		cm.Data["db__projects.yaml"] = "table: mine\n"
		Expect(w.Live.Update(ctx, cm)).To(Succeed())
		p.passSiphon(ctx)
		Expect(p.published(ctx).Data).To(HaveKeyWithValue("db__projects.yaml", "table: projects\n"))
		Expect(w.Live.Delete(ctx, p.published(ctx))).To(Succeed())
		p.passSiphon(ctx)
		Expect(p.published(ctx)).NotTo(BeNil())
	})

	It("are waited for while they could never be read, and nothing runs without them", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newCore(p.namespace), running)
		store(ctx, newSiphon(p.namespace), nil)
		p.shelf.err = errAway
		s := p.passSiphon(ctx)
		Expect(says(s, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonTablesFetchFailed)).To(
			And(ContainSubstring(":v19.4.0-ee"), ContainSubstring("the registry is away")))
		says(s, v2alpha1.ConditionTablesResolved, metav1.ConditionFalse, v2alpha1.ReasonTablesFetchFailed)
		Expect(s.Status.Phase).To(Equal(v2alpha1.PhasePreparing))
		Expect(s.Status.StreamName).To(BeEmpty())
		Expect(p.deployments(ctx)).To(BeEmpty())
		p.shelf.err = nil
		s = p.passSiphon(ctx)
		says(s, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(p.deployments(ctx)).To(HaveLen(3))
	})

	It("stay published while the registry is away later, and the status tells of what is published", func(ctx context.Context) {
		p, first := fed(ctx, nil)
		p.rolledOut(ctx)
		p.shelf.err = errAway
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "19.4.1" })
		p.now = p.now.Add(6 * time.Minute)
		s := p.passSiphon(ctx)
		Expect(says(s, v2alpha1.ConditionTablesResolved, metav1.ConditionFalse, v2alpha1.ReasonTablesFetchFailed)).To(ContainSubstring(":v19.4.1-ee"))
		says(s, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
		Expect(p.published(ctx).Data).To(HaveLen(2))
		Expect([]string{s.Status.TablesImage, s.Status.TablesDigest}).To(Equal([]string{first.Status.TablesImage, "sha256:one"}))
		p.shelf.err, p.shelf.digest = nil, "sha256:two"
		p.now = p.now.Add(6 * time.Minute)
		s = p.passSiphon(ctx)
		says(s, v2alpha1.ConditionTablesResolved, metav1.ConditionTrue, v2alpha1.ReasonTablesPublished)
		Expect(s.Status.TablesImage).To(HaveSuffix(":v19.4.1-ee"))
	})

	It("are refused when they are too large for a ConfigMap, with the way out", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newCore(p.namespace), running)
		store(ctx, newSiphon(p.namespace), nil)
		p.shelf.files = map[string][]byte{"large.yaml": bytes.Repeat([]byte("- table\n"), 120<<10)}
		s := p.passSiphon(ctx)
		Expect(says(s, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonTablesTooLarge)).To(ContainSubstring("ImageVolume"))
		says(s, v2alpha1.ConditionTablesResolved, metav1.ConditionFalse, v2alpha1.ReasonTablesTooLarge)
		Expect(p.deployments(ctx)).To(BeEmpty())
		p.siphon(ctx, func(s *v2alpha1.Siphon) {
			s.Spec.Tables = &v2alpha1.SiphonTables{Source: v2alpha1.TablesSourceImageVolume}
		})
		says(p.passSiphon(ctx), v2alpha1.ConditionTablesResolved, metav1.ConditionTrue, v2alpha1.ReasonTablesMounted)
	})

	It("are mounted from the image with ImageVolume: nothing is read or published, and what was is pruned", func(ctx context.Context) {
		p, _ := fed(ctx, nil)
		asked := p.shelf.asked
		p.siphon(ctx, func(s *v2alpha1.Siphon) {
			s.Spec.Tables = &v2alpha1.SiphonTables{Source: v2alpha1.TablesSourceImageVolume, Image: "mirror.example.com/tables:mine"}
		})
		s := p.passSiphon(ctx)
		says(s, v2alpha1.ConditionTablesResolved, metav1.ConditionTrue, v2alpha1.ReasonTablesMounted)
		Expect(p.shelf.asked).To(Equal(asked))
		Expect(p.published(ctx)).To(BeNil())
		Expect([]any{s.Status.TablesSource, s.Status.TablesImage, s.Status.TablesDigest, s.Status.TablesConfigMap, s.Status.TableCount}).To(
			Equal([]any{v2alpha1.TablesSourceImageVolume, "mirror.example.com/tables:mine", "", "", int32(0)}))
		Expect(s.Status.TablesCheckedAt).To(BeNil())
		p.passSiphon(ctx)
		renders := w.Renders.Load()
		p.now = p.now.Add(7 * time.Minute)
		p.passSiphon(ctx)
		Expect(w.Renders.Load()).To(Equal(renders), "there is no registry to ask")
	})

	It("are pulled with the pull Secret, the only Secret a Siphon reads, and its content shows nowhere", func(ctx context.Context) {
		const password = "correct-horse-battery"
		p := newPlace(ctx)
		p.secrets.open.Store(true)
		store(ctx, newCore(p.namespace), running)
		s := newSiphon(p.namespace)
		s.Spec.Tables = &v2alpha1.SiphonTables{PullSecretRef: &v2alpha1.PullSecretReference{Name: "registry"}}
		store(ctx, s, nil)
		s = p.passSiphon(ctx)
		Expect(says(s, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonTablesFetchFailed)).To(ContainSubstring("registry"))
		Expect(p.shelf.asked).To(BeZero(), "nobody is asked without the Secret that was named")
		store(ctx, &corev1.Secret{ObjectMeta: meta(p.namespace, "registry"), StringData: map[string]string{"other": password}}, nil)
		s = p.passSiphon(ctx)
		Expect(says(s, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonTablesFetchFailed)).To(
			And(ContainSubstring(".dockerconfigjson"), Not(ContainSubstring(password))))
		edit(ctx, p, &corev1.Secret{}, "registry", func(s *corev1.Secret) {
			s.StringData = map[string]string{corev1.DockerConfigJsonKey: `{"auths":{}}`}
		})
		says(p.passSiphon(ctx), v2alpha1.ConditionTablesResolved, metav1.ConditionTrue, v2alpha1.ReasonTablesPublished)
		Expect(p.shelf.secret).To(Equal(`{"auths":{}}`))
	})
})
