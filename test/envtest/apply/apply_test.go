package apply_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
)

const job = `
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  ttlSecondsAfterFinished: 60
  template:
    spec: {restartPolicy: Never, containers: [{name: m, image: "%s"}]}
`

const statefulSet = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: gitaly, annotations: null}
spec:
  serviceName: gitaly
  replicas: null
  selector: {matchLabels: {app: gitaly}}
  template:
    metadata: {labels: {app: gitaly}}
    spec: {containers: [{name: g, image: gitaly, env: [{name: A, value: null}]}]}
  volumeClaimTemplates:
  - metadata: {name: repo}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: %s}}}
`

var _ = Describe("applying", func() {
	var ctx context.Context
	var r release
	BeforeEach(func() {
		ctx = context.Background()
		r = newRelease(ctx, live)
	})

	It("creates in the order given, then finds nothing to do, then puts a drifted field right", func() {
		objects := []string{configMap("b", "1"), configMap("a", "1"), sprintf(statefulSet, "1Gi")}
		Expect(actions(r.mustApply(ctx, objects...))).To(Equal([]string{"created ConfigMap/b", "created ConfigMap/a", "created StatefulSet/gitaly"}))
		Expect(actions(r.mustApply(ctx, objects...))).To(Equal([]string{"unchanged ConfigMap/b", "unchanged ConfigMap/a", "unchanged StatefulSet/gitaly"}))

		drifted := fetch(ctx, "v1", "ConfigMap", r.namespace(), "a")
		Expect(unstructured.SetNestedField(drifted.Object, "edited by hand", "data", "key")).To(Succeed())
		Expect(live.Update(ctx, drifted)).To(Succeed())
		changes := r.mustApply(ctx, objects...)
		Expect(actions(changes)).To(ContainElement("configured ConfigMap/a"))
		value, _, _ := unstructured.NestedString(changes[1].Live.Object, "data", "key")
		Expect(value).To(Equal("1"))
	})

	It("stamps labels, an owner and a namespace, and leaves the objects it was given alone", func() {
		given := decode(configMap("a", "1"))
		before := given[0].DeepCopy()
		changes := r.engine.Apply(ctx, r.owner, given, apply.Options{})
		Expect(given[0]).To(Equal(before))

		stored := changes[0].Live
		Expect(changes[0].Ref.Namespace).To(Equal(r.namespace()))
		Expect(stored.GetLabels()).To(Equal(r.owner.Release.Labels()))
		Expect(metav1.IsControlledBy(stored, r.owner.Object)).To(BeTrue())
		Expect(stored.GetManagedFields()).To(HaveLen(1))
		Expect(stored.GetManagedFields()[0].Manager).To(Equal(manager))
		Expect(stored.GetManagedFields()[0].Operation).To(Equal(metav1.ManagedFieldsOperationApply))
	})

	It("lets the cluster decide what is namespaced", func() {
		name := "class-" + r.namespace()
		changes := r.mustApply(ctx, sprintf(`{apiVersion: suite.portcullis.dev/v1, kind: Class, metadata: {name: %s, namespace: %s}}`, name, r.namespace()))
		Expect(changes[0].Ref.Namespace).To(BeEmpty())
		Expect(changes[0].Live.GetOwnerReferences()).To(BeEmpty(), "a cluster-scoped object cannot have a namespaced owner")
		Expect(changes[0].Live.GetLabels()).To(Equal(r.owner.Release.Labels()))
	})

	It("gives no owner to what has to outlive the release or lives elsewhere", func() {
		elsewhere := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "elsewhere-"}}
		Expect(live.Create(ctx, elsewhere)).To(Succeed())
		changes := r.mustApply(ctx,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: kept, annotations: {helm.sh/resource-policy: keep}}}`,
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: claim}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`,
			sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: far, namespace: %s}}`, elsewhere.Name),
			`{apiVersion: v1, kind: Secret, metadata: {name: plain}}`,
		)
		for _, c := range changes[:3] {
			Expect(c.Live.GetOwnerReferences()).To(BeEmpty(), c.Ref.String())
		}
		Expect(metav1.IsControlledBy(changes[3].Live, r.owner.Object)).To(BeTrue(), "an ordinary Secret goes with its owner")
	})

	It("takes the owner away again when an object becomes one that is kept", func() {
		r.mustApply(ctx, configMap("a", "1"))
		changes := r.mustApply(ctx, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {helm.sh/resource-policy: keep}}, data: {key: "1"}}`)
		Expect(changes[0].Live.GetOwnerReferences()).To(BeEmpty())
	})

	It("skips definitions and RBAC, and names a kind the cluster does not serve", func() {
		changes := r.apply(ctx,
			`{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}}`,
			`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: d.x.io}}`,
			`{apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {name: m}}`,
			configMap("a", "1"),
		)
		Expect(actions(changes)).To(Equal([]string{"skipped Role/r", "skipped CustomResourceDefinition/d.x.io", "failed PodMonitor/m", "created ConfigMap/a"}))
		Expect(changes[0].Reason).NotTo(BeEmpty())
		expectError(changes[2], apply.NotServed, "PodMonitor", "monitoring.coreos.com/v1")
		Expect(fetch(ctx, "rbac.authorization.k8s.io/v1", "Role", r.namespace(), "r")).To(BeNil())
		Expect(r.engine.Kinds(decode(configMap("a", "1"), `{apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {name: m}}`,
			`{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}}`, sprintf(statefulSet, "1Gi"), configMap("b", "1")))).
			To(Equal([]string{"apps/v1/StatefulSet", "v1/ConfigMap"}))
	})

	It("does not let a Job remove itself", func() {
		changes := r.mustApply(ctx, sprintf(job, "one"))
		_, found, _ := unstructured.NestedFieldNoCopy(changes[0].Live.Object, "spec", "ttlSecondsAfterFinished")
		Expect(found).To(BeFalse())
	})

	It("says in plain words that a field cannot change, and what to do", func() {
		r.mustApply(ctx, sprintf(job, "one"), sprintf(statefulSet, "1Gi"))
		changes := r.apply(ctx, sprintf(job, "two"), sprintf(statefulSet, "2Gi"))
		expectError(changes[0], apply.Immutable, "Job "+r.namespace()+"/migrate", "spec.template", "immutable", "kubectl delete job -n "+r.namespace()+" migrate")
		expectError(changes[1], apply.Immutable, "StatefulSet "+r.namespace()+"/gitaly", "--cascade=orphan")
		for _, c := range changes {
			Expect(c.Err.Error()).NotTo(ContainSubstring("{"), "no dump of a whole structure")
			Expect(len(c.Err.Error())).To(BeNumerically("<", 900))
		}
	})

	It("tells a refusal of the API server from trouble that passes", func() {
		changes := r.apply(ctx,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: unknown}, dataa: {a: b}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: mistyped}, data: {a: 5}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: twice}, spec: {ports: [{name: a, port: 80}, {name: a, port: 80}]}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: range}, spec: {ports: [{port: 99999}]}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: "Bad_Name"}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: nowhere, namespace: no-such-namespace}}`,
		)
		for i, fragment := range []string{"dataa", "data.a", "ports", "99999", "Bad_Name"} {
			expectError(changes[i], apply.Refused, fragment)
			Expect(changes[i].Transient).To(BeFalse())
			Expect(changes[i].Err.Error()).NotTo(ContainSubstring("valueUnstructured"))
		}
		expectError(changes[5], apply.NotServed, "no-such-namespace does not exist")
	})

	It("never quotes a Secret, in its own words or in the chain of causes", func() {
		changes := r.apply(ctx,
			`{apiVersion: v1, kind: Secret, metadata: {name: broken}, data: {password: "hunter2-is-not-base64!"}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: mistyped}, data: {password: [hunter2]}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: odd}, stringData: {password: {a: hunter2}}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: key}, stringData: {"bad key": hunter2}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: tls}, type: kubernetes.io/tls, stringData: {tls.crt: hunter2}}`,
		)
		for _, c := range changes {
			Expect(c.Action).To(Equal(apply.Failed), c.Ref.String())
			for err := c.Err; err != nil; err = errors.Unwrap(err) {
				Expect(err.Error()).NotTo(ContainSubstring("hunter2"), c.Ref.String())
				Expect(err.Error()).NotTo(ContainSubstring("aHVudGVyM"), c.Ref.String())
			}
		}
	})

	It("removes a key of a Secret that the chart dropped, however the chart wrote it", func() {
		r.mustApply(ctx, `{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: one, b: two}}`)
		changes := r.mustApply(ctx, `{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: one}}`)
		Expect(changes[0].Live.Object["data"]).To(Equal(map[string]any{"a": "b25l"}))
	})

	It("touches nothing for an owner that could be confused with others", func() {
		r.owner.Release.Kind = ""
		changes := r.apply(ctx, configMap("a", "1"))
		Expect(changes[0].Err).To(MatchError(apply.ErrOwner))
		Expect(fetch(ctx, "v1", "ConfigMap", r.namespace(), "a")).To(BeNil())
	})

	It("reports every object as failed when the time is up, never as done", func() {
		over, cancel := context.WithCancel(ctx)
		cancel()
		changes := r.apply(over, configMap("a", "1"), configMap("b", "1"))
		Expect(changes.Failed()).To(HaveLen(2))
		Expect(changes[1].Transient).To(BeTrue())
	})
})

// expectError checks an error's class and that its sentence holds the fragments.
func expectError(c apply.Change, class apply.Class, fragments ...string) {
	GinkgoHelper()
	var problem *apply.Error
	Expect(errors.As(c.Err, &problem)).To(BeTrue(), "change %+v", c)
	Expect(problem.Class).To(Equal(class), problem.Text)
	for _, fragment := range fragments {
		Expect(problem.Text).To(ContainSubstring(fragment))
	}
	AddReportEntry("said", problem.Text)
}

var _ = Describe("a Secret guarded by lookup", func() {
	const rendered = `{apiVersion: v1, kind: Secret, metadata: {name: unseal}, stringData: {%s}}`
	var ctx context.Context
	var r release
	guarded := func(keys string) apply.Change {
		GinkgoHelper()
		changes := r.engine.Apply(ctx, r.owner, decode(sprintf(rendered, keys)), apply.Options{Guarded: []object.Ref{
			{GVK: corev1.SchemeGroupVersion.WithKind("Secret"), Namespace: r.namespace(), Name: "unseal"},
		}})
		Expect(changes.Failed()).To(BeEmpty())
		return changes[0]
	}
	content := func() map[string]string {
		GinkgoHelper()
		var s corev1.Secret
		Expect(live.Get(ctx, client.ObjectKey{Namespace: r.namespace(), Name: "unseal"}, &s)).To(Succeed())
		out := map[string]string{}
		for key, value := range s.Data {
			out[key] = string(value)
		}
		return out
	}
	BeforeEach(func() {
		ctx = context.Background()
		r = newRelease(ctx, live)
	})

	It("keeps every key it has, gains missing ones and never loses one", func() {
		first := guarded("a: one")
		Expect(first.Action).To(Equal(apply.Created))
		Expect(first.Live.GetOwnerReferences()).To(BeEmpty())
		Expect(guarded("a: two").Action).NotTo(Equal(apply.Created))
		Expect(content()).To(Equal(map[string]string{"a": "one"}))
		guarded("a: three, b: new")
		Expect(content()).To(Equal(map[string]string{"a": "one", "b": "new"}))
		guarded("c: later")
		Expect(content()).To(Equal(map[string]string{"a": "one", "b": "new", "c": "later"}))
		Expect(guarded("a: x, b: x, c: x").Action).To(Equal(apply.Unchanged))
		Expect(content()).To(Equal(map[string]string{"a": "one", "b": "new", "c": "later"}))
	})

	It("keeps what was applied before it was guarded", func() {
		r.mustApply(ctx, sprintf(rendered, "a: one, b: two"))
		changed := guarded("a: other")
		Expect(changed.Live.GetOwnerReferences()).To(BeEmpty())
		Expect(content()).To(Equal(map[string]string{"a": "one", "b": "two"}))
	})

	It("keeps what somebody else made, and its type", func() {
		Expect(live.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: "unseal"},
			Type:       "example.com/own", StringData: map[string]string{"a": "by hand"},
		})).To(Succeed())
		guarded("a: generated, b: generated")
		Expect(content()).To(Equal(map[string]string{"a": "by hand", "b": "generated"}))
	})
})
