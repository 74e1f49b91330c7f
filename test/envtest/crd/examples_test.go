package crd_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/test/invalid"
)

// notRun is what the API server adds when a fault keeps it from applying its rules.
const notRun = "some validation rules were not checked"

// ask sends an object to the API server without storing it: as a create, or as an update of the stored object.
func ask(ctx SpecContext, fresh, old *unstructured.Unstructured) error {
	fresh = fresh.DeepCopy()
	fresh.SetNamespace(metav1.NamespaceDefault)
	if old == nil {
		return cluster.Create(ctx, fresh, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
	}
	old = old.DeepCopy()
	old.SetNamespace(metav1.NamespaceDefault)
	Expect(cluster.Create(ctx, old)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(cluster.Delete(ctx, old)).To(Succeed()) })
	fresh.SetResourceVersion(old.GetResourceVersion())
	return cluster.Update(ctx, fresh, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
}

// causes returns what a refusal names, without the note about rules that were not run.
func causes(err error) []metav1.StatusCause {
	var status apierrors.APIStatus
	Expect(errors.As(err, &status)).To(BeTrue(), "not an answer of the API server: %v", err)
	var out []metav1.StatusCause
	if details := status.Status().Details; details != nil {
		for _, c := range details.Causes {
			if !strings.Contains(c.Message, notRun) {
				out = append(out, c)
			}
		}
	}
	return out
}

func fieldsOf(causes []metav1.StatusCause) []string {
	var out []string
	for _, c := range causes {
		out = append(out, c.Field)
	}
	return out
}

// describeBroken holds the API server to every broken example of a kind.
func describeBroken(kind string) {
	examples, err := invalid.Examples(kind)
	if err != nil {
		panic(err)
	}
	if len(examples) == 0 {
		panic("no example of " + kind + " was found")
	}
	for _, e := range examples {
		switch e.Want.By {
		case invalid.Rules:
			It("passes the definition, since only our rules refuse it: "+e.Name, func(ctx SpecContext) {
				Expect(ask(ctx, e.Object, e.Old)).To(Succeed())
			})
		case invalid.Strict:
			It("is refused for a field that does not exist: "+e.Name, func(ctx SpecContext) {
				err := ask(ctx, e.Object, e.Old)
				Expect(apierrors.IsBadRequest(err)).To(BeTrue(), "%v", err)
				for _, field := range e.Want.Server {
					Expect(err.Error()).To(ContainSubstring(field))
				}
			})
		case invalid.Chart:
			// Only a chart refuses these; another suite has them.
		case invalid.Definition:
			It("is refused at the same fields: "+e.Name, func(ctx SpecContext) { refusedAtTheSameFields(ctx, e) })
		}
	}
}

var _ = Describe("A broken GitLabCore", func() { describeBroken("gitlabcore") })

var _ = Describe("A broken GitLabSecrets", func() { describeBroken("gitlabsecrets") })

func refusedAtTheSameFields(ctx SpecContext, e invalid.Example) {
	err := ask(ctx, e.Object, e.Old)
	Expect(err).To(HaveOccurred())
	if apierrors.IsBadRequest(err) {
		for _, field := range e.Want.Server {
			Expect(err.Error()).To(ContainSubstring(field))
		}
		return
	}
	Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
	want := e.Want.Server
	for _, f := range e.Want.Faults {
		if len(e.Want.Server) == 0 {
			want = append(want, f.Field)
		}
		if f.Code == "RuleViolated" && len(e.Want.Server) == 0 {
			sentence, _, _ := strings.Cut(f.Message, " (found ")
			Expect(err.Error()).To(ContainSubstring(sentence), "both must say the same")
		}
	}
	Expect(fieldsOf(causes(err))).To(ConsistOf(want), "%v", err)
}

var _ = Describe("A sample", func() {
	It("is accepted", func(ctx SpecContext) {
		seen := 0
		for _, u := range samples() {
			if !offline.Knows(u.GroupVersionKind()) {
				continue
			}
			seen++
			Expect(ask(ctx, u, nil)).To(Succeed(), "%s", u.GetName())
		}
		Expect(seen).To(BeNumerically(">=", 6))
	})
})

func samples() []*unstructured.Unstructured {
	names, err := filepath.Glob("../../../config/samples/*.yaml")
	Expect(err).NotTo(HaveOccurred())
	var out []*unstructured.Unstructured
	for _, name := range names {
		data, err := os.ReadFile(name)
		Expect(err).NotTo(HaveOccurred())
		decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
		for {
			u := &unstructured.Unstructured{}
			err := decoder.Decode(u)
			if errors.Is(err, io.EOF) {
				break
			}
			Expect(err).NotTo(HaveOccurred(), name)
			out = append(out, u)
		}
	}
	return out
}
