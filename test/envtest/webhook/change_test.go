package webhook_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// The objects that were stored while no webhook was there, by the namespace they live in.
const (
	wrongYesterday   = "wrong-yesterday"
	relabelled       = "relabelled"
	leftAlone        = "left-alone"
	ranLater         = "ran-later"
	goodWhileAway    = "good-while-away"
	wrongWhileAway   = "wrong-while-away"
	checksFailedThen = "checks-failed-then"
)

// storeWhatWasValidYesterday stores objects that today's rules refuse, and some that stay good.
func storeWhatWasValidYesterday(ctx context.Context) {
	GinkgoHelper()
	for _, name := range []string{wrongYesterday, relabelled, leftAlone, wrongWhileAway} {
		core := with(good(w.namespace(ctx, name)), `global: {hosts: {https: "yes"}}`)
		core.Finalizers = []string{v2alpha1.FinalizerGitLabCore}
		Expect(w.Live.Create(ctx, core)).To(Succeed())
	}
	core := good(w.namespace(ctx, checksFailedThen))
	core.Spec.ObjectStorage = nil
	Expect(w.Live.Create(ctx, core)).To(Succeed())
	for name, version := range map[string]string{ranLater: "10.4.1", goodWhileAway: ""} {
		core := good(w.namespace(ctx, name))
		Expect(w.Live.Create(ctx, core)).To(Succeed())
		core.Status.Version = version
		Expect(w.Live.Status().Update(ctx, core)).To(Succeed())
	}
}

// change edits the object of a namespace and sends the update.
func change(ctx context.Context, namespace string, edit func(*v2alpha1.GitLabCore), opts ...client.UpdateOption) error {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	Expect(w.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "gitlab"}, core)).To(Succeed())
	edit(core)
	w.warned.take()
	return w.Live.Update(ctx, core, opts...)
}

func relabel(core *v2alpha1.GitLabCore) { core.Labels = map[string]string{"tier": "platform"} }

func rehost(core *v2alpha1.GitLabCore) { core.Spec.Hostname = "git.example.com" }

var _ = Describe("A stored GitLabCore that today's rules refuse", func() {
	It("may have its labels and finalizers changed", func(ctx SpecContext) {
		Expect(change(ctx, relabelled, relabel)).To(Succeed())
		Expect(change(ctx, relabelled, func(core *v2alpha1.GitLabCore) { core.Finalizers = append(core.Finalizers, "example.com/another") })).To(Succeed())
		Expect(w.warned.take()).To(BeEmpty(), "nobody was asked")
	})

	It("can be mended step by step: what was wrong before warns, what is new is refused", func(ctx SpecContext) {
		const old = "spec.chart.values.global.hosts.https: must be a boolean or null, not a string"
		Expect(change(ctx, wrongYesterday, rehost)).To(Succeed())
		Expect(w.warned.take()).To(ContainElement(HavePrefix(old)))

		err := change(ctx, wrongYesterday, func(core *v2alpha1.GitLabCore) {
			core.Spec.Chart.Values = with(core, `{global: {hosts: {https: "yes"}}, gitlab: {webservice: {minReplicas: two}}}`).Spec.Chart.Values
		})
		Expect(refusal(err)).To(HaveExactElements(HaveField("Field", "spec.chart.values.gitlab.webservice.minReplicas")))
		Expect(w.warned.take()).To(ContainElement(HavePrefix(old)))

		err = change(ctx, wrongYesterday, func(core *v2alpha1.GitLabCore) {
			core.Spec.Chart.Values = with(core, `global: {hosts: {https: "no"}}`).Spec.Chart.Values
		})
		Expect(refusal(err)).To(HaveExactElements(HaveField("Field", "spec.chart.values.global.hosts.https")), "another wrong value is a new fault")
		Expect(change(ctx, wrongYesterday, func(core *v2alpha1.GitLabCore) { core.Spec.Chart = nil })).To(Succeed())
		Expect(w.warned.take()).NotTo(ContainElement(ContainSubstring("https")))
	})

	It("is warned of the checks of its chart, all lines of them, while something else is mended", func(ctx SpecContext) {
		Expect(change(ctx, checksFailedThen, rehost)).To(Succeed())
		Expect(w.warned.take()).To(ContainElement(And(
			HavePrefix("spec: chart gitlab 10.4.1 refuses these values: CONFIGURATION CHECKS: object storage: "), HaveSuffix("[RenderFailed]"))))
	})

	It("can be deleted, and its finalizer removed", func(ctx SpecContext) {
		goes(ctx, leftAlone)
	})
})

// goes deletes the object of a namespace and removes its finalizer.
func goes(ctx context.Context, namespace string) {
	GinkgoHelper()
	core := &v2alpha1.GitLabCore{}
	key := client.ObjectKey{Namespace: namespace, Name: "gitlab"}
	Expect(w.Live.Get(ctx, key, core)).To(Succeed())
	Expect(w.Live.Delete(ctx, core)).To(Succeed())
	Expect(w.Live.Get(ctx, key, core)).To(Succeed(), "the finalizer holds it")
	core.Finalizers = nil
	Expect(w.Live.Update(ctx, core)).To(Succeed())
	Expect(apierrors.IsNotFound(w.Live.Get(ctx, key, core))).To(BeTrue())
}

var _ = Describe("A change of a GitLabCore that ran", func() {
	downgrade := func(core *v2alpha1.GitLabCore) { core.Spec.Version.Version = "10.4.0" }

	It("does not get around the version that ran by what it says in its own status", func(ctx SpecContext) {
		err := change(ctx, ranLater, func(core *v2alpha1.GitLabCore) {
			downgrade(core)
			core.Status.Version = "10.3.0"
		})
		Expect(refusal(err)).To(HaveExactElements(HaveField("Code", "VersionDowngrade")))
		Expect(err.Error()).To(And(ContainSubstring("10.4.0"), ContainSubstring("10.4.1")))
	})

	It("is told of the downgrade beside every other fault, and it never becomes a warning", func(ctx SpecContext) {
		err := change(ctx, ranLater, func(core *v2alpha1.GitLabCore) {
			downgrade(core)
			*core = *with(core, `gitlab: {webservice: {minReplicas: two}}`)
		})
		Expect(refusal(err)).To(HaveExactElements(
			HaveField("Code", "SchemaViolation"), HaveField("Code", "VersionDowngrade")))
	})

	It("may not drop its spec", func(ctx SpecContext) {
		core := &v2alpha1.GitLabCore{}
		Expect(w.Live.Get(ctx, client.ObjectKey{Namespace: ranLater, Name: "gitlab"}, core)).To(Succeed())
		u := untyped(core)
		delete(u.Object, "spec")
		Expect(refusal(w.Live.Update(ctx, u))).To(ContainElement(And(HaveField("Field", "spec"), HaveField("Message", "is required and missing"))))
	})

	It("by server-side apply with a field nobody knows is answered by the API server itself", func(ctx SpecContext) {
		u := untyped(good(ranLater))
		u.Object["spec"].(map[string]any)["hostnmae"] = "gitlab.example.com"
		err := w.Live.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("kubectl"), client.ForceOwnership)
		Expect(err).To(MatchError(ContainSubstring("field not declared in schema")))
		Expect(apierrors.IsInternalError(err) || apierrors.ReasonForError(err) == "").To(BeTrue(), "%v", err)
	})
})

var _ = Describe("While the operator is away", Ordered, Serial, func() {
	BeforeAll(func() {
		w.operator.stop()
		w.operator = nil
	})
	AfterAll(func(ctx SpecContext) {
		w.operator = w.startOperator()
		w.refusesNonsense(ctx)
	})

	It("labels can be changed", func(ctx SpecContext) { Expect(change(ctx, goodWhileAway, relabel)).To(Succeed()) })

	It("an object that is wrong can still be deleted", func(ctx SpecContext) { goes(ctx, wrongWhileAway) })

	It("its status can be written", func(ctx SpecContext) {
		core := &v2alpha1.GitLabCore{}
		Expect(w.Live.Get(ctx, client.ObjectKey{Namespace: goodWhileAway, Name: "gitlab"}, core)).To(Succeed())
		core.Status.Version = "10.4.1"
		Expect(w.Live.Status().Update(ctx, core)).To(Succeed())
	})

	It("a change of the spec, a dry run and a new object wait", func(ctx SpecContext) {
		for _, err := range []error{
			change(ctx, goodWhileAway, rehost),
			change(ctx, goodWhileAway, rehost, client.DryRunAll),
			w.Live.Create(ctx, good("default")),
		} {
			Expect(apierrors.IsInternalError(err)).To(BeTrue(), "%v", err)
			Expect(err).To(MatchError(ContainSubstring("failed calling webhook")))
		}
	})

	It("other kinds are not touched", func(ctx SpecContext) {
		Expect(w.Live.Delete(ctx, namespaceOf(w.namespace(ctx, "unrelated")))).To(Succeed())
	})
})
