package webhook_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

func namespaceOf(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// next makes a request that has to be answered with its render.
func next(ctx SpecContext) {
	GinkgoHelper()
	w.warned.take()
	Expect(w.Live.Create(ctx, good("default"), client.DryRunAll)).To(Succeed())
	Expect(w.warned.take()).NotTo(ContainElement(ContainSubstring("RenderSkipped")), "it was rendered")
}

var _ = Describe("Values that make the render explode", func() {
	It("by what they take are a fault, and the next request does not notice", func(ctx SpecContext) {
		bomb := with(good("default"), `global: {extraEnvTpl: "{{ len (repeat 2000000000 .Release.Name) }}"}`)
		err := w.Live.Create(ctx, bomb, client.DryRunAll)
		Expect(refusal(err)).To(HaveExactElements(And(HaveField("Code", "RenderLimit"), HaveField("Field", "spec"))))
		next(ctx)
	})

	It("by how long they take are let through with a warning that says so, and the next request does not notice", func(ctx SpecContext) {
		endless := with(good("default"), `global: {extraEnvTpl: "{{ range until 10000 }}{{ range until 10000 }}{{ end }}{{ end }}"}`)
		w.warned.take()
		Expect(w.Live.Create(ctx, endless, client.DryRunAll)).To(Succeed())
		Expect(w.warned.take()).To(ContainElement(And(HavePrefix("spec: chart gitlab 10.4.1 was not rendered"), HaveSuffix("[RenderSkipped]"))))
		next(ctx)
	})

	It("slowly, until they take too much, are answered in time either way", func(ctx SpecContext) {
		both := with(good("default"), `global: {extraEnvTpl: "{{ len (until 100000000) }}"}`)
		w.warned.take()
		if err := w.Live.Create(ctx, both, client.DryRunAll); err != nil {
			Expect(refusal(err)).To(HaveExactElements(HaveField("Code", "RenderLimit")))
		} else {
			Expect(w.warned.take()).To(ContainElement(HaveSuffix("[RenderSkipped]")))
		}
		next(ctx)
	})

	It("nest too deep are a fault of the field", func(ctx SpecContext) {
		deep := with(good("default"), `global: {extraEnv: `+strings.Repeat(`{a: `, 200)+`x`+strings.Repeat(`}`, 200)+`}`)
		Expect(refusal(w.Live.Create(ctx, deep, client.DryRunAll))).To(ContainElement(HaveField("Field", HavePrefix("spec.chart.values"))))
	})
})

var _ = Describe("Values from a Secret", func() {
	const first, second, third = "hunter2hunter2", "swordfish-swordfish", "correct-horse-battery"

	It("are never part of the answer", func(ctx SpecContext) {
		namespace := w.namespace(ctx, "secret-values")
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "values", Namespace: namespace, Labels: map[string]string{object.LabelConfigSource: "true"}},
			StringData: map[string]string{
				"wrong":  "global: {hosts: {https: " + first + "}, appConfig: {maxRequestsPerDay: " + second + "}, unheardOf: " + third + "}",
				"failed": "shared-secrets: {provider: " + first + "}",
				"broken": first + ": [" + second,
				"list":   "[" + third + "]",
				"quoted": "global: {extraEnv: {A: " + first + "}, extraEnvTpl: \"{{ fail .Values.global.extraEnv.A }}\"}",
			},
		}
		Expect(w.Live.Create(ctx, secret)).To(Succeed())
		for key, code := range map[string]string{
			"wrong": "SchemaViolation", "failed": "RenderFailed", "broken": "ValuesReferenceInvalid", "list": "ValuesReferenceInvalid", "quoted": "RenderFailed",
		} {
			core := good(namespace)
			core.Spec.Chart = &v2alpha1.Chart{ValuesFrom: []v2alpha1.ValuesReference{{Kind: v2alpha1.ValuesReferenceSecret, Name: "values", ValuesKey: key}}}
			err := w.Live.Create(ctx, core, client.DryRunAll)
			faults := refusal(err)
			Expect(faults).To(ContainElement(HaveField("Code", code)), "%s: %v", key, err)
			answer := append(w.warned.take(), err.Error())
			for _, f := range faults {
				answer = append(answer, f.Field, f.Message)
			}
			for _, value := range []string{first, second, third} {
				Expect(answer).NotTo(ContainElement(ContainSubstring(value)), "key %s", key)
			}
		}
	})
})
