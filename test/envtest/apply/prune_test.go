package apply_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
)

// prune prunes and checks that nothing went wrong.
func (r release) prune(ctx context.Context, keep []object.Ref, kinds ...string) apply.PruneResult {
	GinkgoHelper()
	result := r.engine.Prune(ctx, r.owner, keep, kinds)
	Expect(result.Changes.Failed()).To(BeEmpty())
	return result
}

// class is a cluster-scoped object, as a GatewayClass is, with the namespace a chart writes on it by mistake.
func (r release) class(name string) string {
	return sprintf("{apiVersion: suite.portcullis.dev/v1, kind: Class, metadata: {name: %s-%s, namespace: %s}}", name, r.namespace(), r.namespace())
}

var _ = Describe("pruning", func() {
	var ctx context.Context
	var r release
	BeforeEach(func() {
		ctx = context.Background()
		r = newRelease(ctx, live)
	})
	exists := func(kind, name string) bool {
		GinkgoHelper()
		apiVersion := map[string]string{"StatefulSet": "apps/v1", "Deployment": "apps/v1", "Class": "suite.portcullis.dev/v1"}[kind]
		if apiVersion == "" {
			apiVersion = "v1"
		}
		return fetch(ctx, apiVersion, kind, r.namespace(), name) != nil
	}

	It("deletes what is no longer rendered, in reverse install order, and leaves a kind in the record until a list is clean", func() {
		old := []string{
			`{apiVersion: v1, kind: ServiceAccount, metadata: {name: sa}}`, configMap("old", "1"), configMap("stays", "1"),
			`{apiVersion: v1, kind: Service, metadata: {name: svc}, spec: {ports: [{port: 80}]}}`, sprintf(statefulSet, "1Gi"), r.class("gw"),
		}
		r.mustApply(ctx, old...)
		kinds := r.engine.Kinds(decode(old...))
		Expect(kinds).To(Equal([]string{"apps/v1/StatefulSet", "suite.portcullis.dev/v1/Class", "v1/ConfigMap", "v1/Service", "v1/ServiceAccount"}))

		keep := r.mustApply(ctx, configMap("stays", "1")).Refs()
		result := r.prune(ctx, keep, kinds...)
		Expect(actions(result.Changes)).To(Equal([]string{
			"deleted Class/gw-" + r.namespace(), "deleted StatefulSet/gitaly", "deleted Service/svc", "deleted ConfigMap/old", "deleted ServiceAccount/sa",
		}))
		Expect(result.Remaining).To(Equal(kinds), "the deletions were accepted, which is not the same as gone")
		Expect(exists("ConfigMap", "stays")).To(BeTrue())
		Expect(exists("Class", "gw-"+r.namespace())).To(BeFalse())

		result = r.prune(ctx, keep, result.Remaining...)
		Expect(result.Changes).To(BeEmpty())
		Expect(result.Remaining).To(Equal([]string{"v1/ConfigMap"}))
	})

	It("leaves a kind in the record while a finalizer holds one of its objects", func() {
		r.mustApply(ctx, `{apiVersion: v1, kind: ConfigMap, metadata: {name: slow, finalizers: [suite.portcullis.dev/hold]}}`)
		Expect(r.prune(ctx, nil, "v1/ConfigMap").Changes).To(HaveLen(1))
		again := r.prune(ctx, nil, "v1/ConfigMap")
		Expect(again.Changes).To(BeEmpty(), "an object that is being deleted is not deleted again")
		Expect(again.Remaining).To(Equal([]string{"v1/ConfigMap"}))

		slow := fetch(ctx, "v1", "ConfigMap", r.namespace(), "slow")
		slow.SetFinalizers(nil)
		Expect(live.Update(ctx, slow)).To(Succeed())
		Expect(r.prune(ctx, nil, "v1/ConfigMap").Remaining).To(BeEmpty())
	})

	It("never deletes claims, Secrets or kept objects, not even with nothing to keep", func() {
		r.mustApply(ctx,
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: claim}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: secret}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: kept, annotations: {helm.sh/resource-policy: keep}}}`,
			sprintf(statefulSet, "1Gi"),
		)
		volume := &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: "repo-gitaly-0", Labels: r.owner.Release.Labels()},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: quantity("1Gi")}},
			},
		}
		Expect(live.Create(ctx, volume)).To(Succeed())

		kinds := []string{"v1/PersistentVolumeClaim", "v1/PersistentVolume", "v1/Secret", "v1/ConfigMap", "apps/v1/StatefulSet", "snapshot.storage.k8s.io/v1/VolumeSnapshot"}
		result := r.prune(ctx, nil, kinds...)
		Expect(actions(result.Changes)).To(ConsistOf("deleted StatefulSet/gitaly", "skipped ConfigMap/kept"))
		for kind, name := range map[string]string{"PersistentVolumeClaim": "claim", "Secret": "secret", "ConfigMap": "kept"} {
			Expect(exists(kind, name)).To(BeTrue(), name)
		}
		Expect(exists("PersistentVolumeClaim", "repo-gitaly-0")).To(BeTrue())
		Expect(result.Remaining).To(Equal([]string{"apps/v1/StatefulSet"}), "what is kept for ever does not keep its kind in the record for ever")
	})

	It("touches no other release, no other kind of one name, and no copy of its labels", func() {
		siphon := ownerIn(ctx, live, r.namespace(), "acme", "siphon")
		elsewhere := newRelease(ctx, live)
		siphon.mustApply(ctx, configMap("of-siphon", "1"))
		elsewhere.mustApply(ctx, configMap("elsewhere", "1"), elsewhere.class("other"))
		r.mustApply(ctx, configMap("mine", "1"))
		for name, owners := range map[string][]metav1.OwnerReference{
			"copied-by-a-controller": {controller("Service", "web", "4711")}, "copied-without-owner": nil,
		} {
			Expect(live.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
				Namespace: r.namespace(), Name: name, Labels: r.owner.Release.Labels(), OwnerReferences: owners,
			}})).To(Succeed())
		}

		result := r.prune(ctx, nil, "v1/ConfigMap", "suite.portcullis.dev/v1/Class")
		Expect(actions(result.Changes)).To(Equal([]string{"deleted ConfigMap/mine"}))
		for _, name := range []string{"of-siphon", "copied-by-a-controller", "copied-without-owner", "gitlabcore-acme"} {
			Expect(exists("ConfigMap", name)).To(BeTrue(), name)
		}
		Expect(exists("Class", "other-"+elsewhere.namespace())).To(BeTrue())
		Expect(r.prune(ctx, nil, result.Remaining...).Remaining).To(BeEmpty())
	})

	It("counts an object from before the kind label only where the owner controls it", func() {
		two := map[string]string{object.LabelReleaseName: "acme", object.LabelReleaseNamespace: r.namespace()}
		mine := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: "controlled", Labels: two,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(r.owner.Object, r.owner.GVK)}}}
		Expect(live.Create(ctx, mine)).To(Succeed())
		Expect(live.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: "free", Labels: two}})).To(Succeed())
		Expect(actions(r.prune(ctx, nil, "v1/ConfigMap").Changes)).To(Equal([]string{"deleted ConfigMap/controlled"}))
	})

	It("knows an object again under an older version of its kind, and under another group", func() {
		Expect(live.Create(ctx, &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: "twin", Labels: r.owner.Release.Labels(),
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(r.owner.Object, r.owner.GVK)}},
			InvolvedObject: corev1.ObjectReference{Namespace: r.namespace(), Kind: "Pod", Name: "p"},
		})).To(Succeed())
		keep := append(r.mustApply(ctx, sprintf(statefulSet, "1Gi")).Refs(),
			object.Ref{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Event"}, Namespace: r.namespace(), Name: "twin"})
		result := r.prune(ctx, keep, "apps/v1beta1/StatefulSet", "events.k8s.io/v1/Event")
		Expect(result.Changes).To(BeEmpty())
		Expect(exists("StatefulSet", "gitaly")).To(BeTrue())
		Expect(exists("Event", "twin")).To(BeTrue())

		result = r.prune(ctx, nil, "apps/v1beta1/StatefulSet", "events.k8s.io/v1/Event")
		Expect(actions(result.Changes)).To(ConsistOf("deleted StatefulSet/gitaly", "deleted Event/twin"))
	})

	It("does nothing for an owner that could be confused with others", func() {
		r.mustApply(ctx, configMap("a", "1"))
		r.owner.Object = &metav1.ObjectMeta{Namespace: r.namespace(), Name: "acme"}
		result := r.engine.Prune(ctx, r.owner, nil, []string{"v1/ConfigMap"})
		Expect(result.Changes[0].Err).To(MatchError(apply.ErrOwner))
		Expect(result.Remaining).To(Equal([]string{"v1/ConfigMap"}))
		Expect(exists("ConfigMap", "a")).To(BeTrue())
	})

	It("calls a kind clean once its API is gone, whether the client knew it before or not", func() {
		gone := definition("Passing", "passings", apiextensionsv1.NamespaceScoped)
		Expect(live.Create(ctx, gone)).To(Succeed())
		knows := server.Connect(GinkgoTB(), server.Config)
		r.engine.Client = knows
		passing := `{apiVersion: suite.portcullis.dev/v1, kind: Passing, metadata: {name: p}}`
		Eventually(func() []apply.Change { return r.apply(ctx, passing).Failed() }).WithTimeout(eventually).Should(BeEmpty())
		Expect(live.Delete(ctx, gone)).To(Succeed())
		Eventually(func() bool {
			return client.IgnoreNotFound(live.Get(ctx, client.ObjectKeyFromObject(gone), &apiextensionsv1.CustomResourceDefinition{})) == nil &&
				listFails(ctx, knows)
		}).WithTimeout(eventually).Should(BeTrue())

		for _, c := range []client.Client{knows, server.Connect(GinkgoTB(), server.Config)} {
			r.engine.Client = c
			Expect(r.prune(ctx, nil, "suite.portcullis.dev/v1/Passing", "nowhere.example/v1/Thing").Remaining).To(BeEmpty())
			changes := r.apply(ctx, passing)
			expectError(changes[0], apply.NotServed, "Passing")
		}
	})

	It("judges an object anew when it changed between the list and the deletion", func() {
		r.mustApply(ctx, configMap("claimed", "1"), configMap("busy", "1"))
		edited := map[string]bool{}
		r.engine.Client = interceptor.NewClient(live, interceptor.Funcs{
			Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
				if !edited[obj.GetName()] {
					edited[obj.GetName()] = true
					change := fetch(ctx, "v1", "ConfigMap", obj.GetNamespace(), obj.GetName())
					annotation := map[string]string{"seen": "yes"}
					if obj.GetName() == "claimed" {
						annotation = map[string]string{"helm.sh/resource-policy": "keep"}
					}
					change.SetAnnotations(annotation)
					Expect(live.Update(ctx, change)).To(Succeed())
				}
				return c.Delete(ctx, obj, opts...)
			},
		})
		Expect(actions(r.prune(ctx, nil, "v1/ConfigMap").Changes)).To(ConsistOf("skipped ConfigMap/claimed", "deleted ConfigMap/busy"))
		Expect(exists("ConfigMap", "claimed")).To(BeTrue())
	})
})

var _ = Describe("writers that race", func() {
	var ctx context.Context
	var r release
	BeforeEach(func() {
		ctx = context.Background()
		r = newRelease(ctx, live)
	})

	It("does not take over an object that somebody made anew between the look and the write", func() {
		r.mustApply(ctx, configMap("a", "1"))
		raced := false
		r.engine.Client = interceptor.NewClient(live, interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
				err := c.Get(ctx, key, obj, opts...)
				if !raced {
					raced = true
					theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
					Expect(live.Delete(ctx, theirs.DeepCopy())).To(Succeed())
					theirs.OwnerReferences = []metav1.OwnerReference{controller("Deployment", "web", "4711")}
					Expect(live.Create(ctx, theirs)).To(Succeed())
				}
				return err
			},
		})
		Expect(actions(r.apply(ctx, configMap("a", "2")))).To(Equal([]string{"foreign ConfigMap/a"}))
		Expect(fetch(ctx, "v1", "ConfigMap", r.namespace(), "a").Object).NotTo(HaveKey("data"))
	})

	It("makes an object again that somebody deleted between the look and the write", func() {
		r.mustApply(ctx, configMap("a", "1"))
		raced := false
		r.engine.Client = interceptor.NewClient(live, interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
				err := c.Get(ctx, key, obj, opts...)
				if !raced {
					raced = true
					Expect(live.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}})).To(Succeed())
				}
				return err
			},
		})
		Expect(actions(r.mustApply(ctx, configMap("a", "2")))).To(Equal([]string{"created ConfigMap/a"}))
	})

	DescribeTable("a guarded Secret keeps what somebody wrote at the same moment",
		func(there bool) {
			theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: "unseal"}, StringData: map[string]string{"other": "1"}}
			if there {
				Expect(live.Create(ctx, theirs)).To(Succeed())
			}
			raced := false
			r.engine.Client = interceptor.NewClient(live, interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
					err := c.Get(ctx, key, obj, opts...)
					if raced {
						return err
					}
					raced = true
					theirs.StringData = map[string]string{"key": "theirs"}
					if there {
						Expect(live.Update(ctx, theirs)).To(Succeed())
					} else {
						Expect(live.Create(ctx, theirs)).To(Succeed())
					}
					return err
				},
			})
			changes := r.engine.Apply(ctx, r.owner, decode(`{apiVersion: v1, kind: Secret, metadata: {name: unseal}, stringData: {key: ours}}`),
				apply.Options{Guarded: []object.Ref{{GVK: corev1.SchemeGroupVersion.WithKind("Secret"), Namespace: r.namespace(), Name: "unseal"}}})
			Expect(changes.Failed()).To(BeEmpty())
			stored := fetch(ctx, "v1", "Secret", r.namespace(), "unseal")
			value, _, _ := unstructured.NestedString(stored.Object, "data", "key")
			Expect(value).To(Equal("dGhlaXJz"))
		},
		Entry("as a new key of a Secret that was there", true),
		Entry("as a Secret that was not there", false),
	)
})
