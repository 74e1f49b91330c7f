package webhook_test

import (
	"context"
	"errors"
	"reflect"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/testing/neighbours"
	"github.com/portcullis-operator/portcullis/test/invalid"
)

// corpus is every broken file, by kind.
func corpus() map[string][]invalid.Example {
	out := map[string][]invalid.Example{}
	for _, kind := range []string{"gitlabcore", "chart", "siphon", "orbit"} {
		examples, err := invalid.Examples(kind)
		if err != nil {
			panic(err)
		}
		out[kind] = examples
	}
	return out
}

// storeTheExamplesThatChange stores the objects whose change is the mistake, each in a namespace of its own.
func storeTheExamplesThatChange(ctx context.Context) {
	GinkgoHelper()
	for _, examples := range corpus() {
		for _, e := range examples {
			if e.Old != nil {
				w.namespace(ctx, home(e))
				store(ctx, placed(e, e.Old))
			}
		}
	}
}

// store stores an object with its status.
func store(ctx context.Context, u *unstructured.Unstructured) {
	GinkgoHelper()
	status, ran := u.Object["status"]
	Expect(w.Live.Create(ctx, u)).To(Succeed())
	if ran {
		u.Object["status"] = status
		Expect(w.Live.Status().Update(ctx, u)).To(Succeed())
	}
}

// home is the namespace an example lives in.
func home(e invalid.Example) string {
	if e.Old == nil {
		return metav1.NamespaceDefault
	}
	return "ran-" + strings.ToLower(e.Old.GetKind()) + "-" + e.Name
}

func placed(e invalid.Example, u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	u.SetNamespace(home(e))
	return u
}

// ask sends an example to the API server without storing it.
func ask(ctx context.Context, e invalid.Example) error {
	GinkgoHelper()
	fresh := placed(e, e.Object)
	strict := client.FieldValidation(metav1.FieldValidationStrict)
	if e.Old == nil {
		return w.Live.Create(ctx, fresh, client.DryRunAll, strict)
	}
	stored := placed(e, e.Old)
	Expect(w.Live.Get(ctx, client.ObjectKeyFromObject(stored), stored)).To(Succeed())
	fresh.SetResourceVersion(stored.GetResourceVersion())
	return w.Live.Update(ctx, fresh, client.DryRunAll, strict)
}

// refusal reads the faults off the API server's answer.
func refusal(err error) []invalid.Fault {
	GinkgoHelper()
	var status apierrors.APIStatus
	Expect(errors.As(err, &status)).To(BeTrue(), "not an answer of the API server: %v", err)
	Expect(status.Status().Reason).To(Equal(metav1.StatusReasonInvalid), "%v", err)
	Expect(status.Status().Code).To(BeEquivalentTo(422))
	Expect(status.Status().Details).NotTo(BeNil())
	var out []invalid.Fault
	for _, c := range status.Status().Details.Causes {
		suffix := " [" + string(c.Type) + "]"
		Expect(c.Message).To(HaveSuffix(suffix))
		message := strings.TrimSuffix(c.Message, suffix)
		Expect(status.Status().Message).To(ContainSubstring(strings.ReplaceAll(message, "\n", "\n  ")), "kubectl apply prints the message alone")
		out = append(out, invalid.Fault{Severity: "error", Code: string(c.Type), Field: c.Field, Message: message})
	}
	return out
}

// told is a verdict as the examples write it, of one severity.
func told(v rules.Verdict, severity rules.Severity) []invalid.Fault {
	var out []invalid.Fault
	for _, f := range v.Faults {
		if f.Severity == severity {
			out = append(out, invalid.Fault{Severity: f.Severity.String(), Code: string(f.Code), Field: f.Field, Message: f.Message})
		}
	}
	return out
}

// printed are the faults as warnings are printed.
func printed(faults []invalid.Fault) []string {
	var out []string
	for _, f := range faults {
		text := f.Message + " [" + f.Code + "]"
		if f.Field != "" {
			text = f.Field + ": " + text
		}
		out = append(out, text)
	}
	return out
}

func errorsOf(faults []invalid.Fault) []invalid.Fault {
	var out []invalid.Fault
	for _, f := range faults {
		if f.Severity == "error" {
			out = append(out, f)
		}
	}
	return out
}

// files are the facts of someone without a cluster.
type files struct {
	neighbours.Known
	catalogue *chart.Catalogue
}

func (f files) Chart(ref chart.Ref) (*chart.Chart, error) { return f.catalogue.Open(ref) }

func (files) ConfigMap(context.Context, string, string) (plan.Content, error) {
	return plan.Content{}, nil
}

func (files) Secret(context.Context, string, string) (plan.Content, error) {
	return plan.Content{}, nil
}

func (files) Capabilities(context.Context) (plan.Capabilities, error) {
	return plan.Capabilities{Capabilities: render.BuiltIn("v1.37.2"), Assumed: true}, nil
}

var _ = Describe("A broken resource", func() {
	for kind, examples := range corpus() {
		for _, e := range examples {
			It("gets one verdict at all doors: "+kind+"/"+e.Name, func(ctx SpecContext) {
				review, err := w.reviewer(files{catalogue: w.catalogue}).Review(ctx, admit.Request{New: placed(e, e.Object), Old: oldOf(e)})
				Expect(err).NotTo(HaveOccurred())
				w.warned.take() // what a spec before this one left
				wanted, answer := told(review.Verdict, rules.Error), ask(ctx, e)
				heard := w.warned.take()
				switch {
				case apierrors.IsBadRequest(answer):
					for _, field := range e.Want.Server {
						Expect(answer.Error()).To(ContainSubstring(field))
					}
					Expect(e.Want.Server).NotTo(BeEmpty(), "the API server alone refuses it: %v", answer)
				case len(errorsOf(e.Want.Faults)) == 0:
					Expect(answer).NotTo(HaveOccurred())
					Expect(wanted).To(BeEmpty())
				default:
					Expect(refusal(answer)).To(Equal(wanted), "the webhook and the check without a cluster")
					Expect(wanted).To(ContainElements(errorsOf(e.Want.Faults)), "every fault in one answer")
				}
				if e.Want.By == invalid.Chart {
					Expect(wanted).To(HaveExactElements(errorsOf(e.Want.Faults)))
					Expect(heard).To(Equal(printed(told(review.Verdict, rules.Warning))), "warnings reach the client")
				}
				reconcilerAgrees(ctx, e)
			})
		}
	}
})

func oldOf(e invalid.Example) *unstructured.Unstructured {
	if e.Old == nil {
		return nil
	}
	return placed(e, e.Old)
}

// typed reads an object into its type, and is nil where it does not fit: such an object cannot be stored.
func typed(u *unstructured.Unstructured) plan.Resource {
	read := func(into plan.Object) bool {
		if runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into) != nil {
			return false
		}
		again, err := runtime.DefaultUnstructuredConverter.ToUnstructured(into)
		return err == nil && reflect.DeepEqual(again["spec"], u.Object["spec"])
	}
	core, siphon, orbit := &v2alpha1.GitLabCore{}, &v2alpha1.Siphon{}, &v2alpha1.Orbit{}
	switch {
	case u.GetKind() == v2alpha1.KindGitLabCore && read(core):
		return plan.OfCore(core)
	case u.GetKind() == v2alpha1.KindSiphon && read(siphon):
		return plan.OfSiphon(siphon)
	case u.GetKind() == v2alpha1.KindOrbit && read(orbit):
		return plan.OfOrbit(orbit)
	}
	return nil
}

// reconcilerAgrees holds the reconciler's own check, which meets an object only as it is stored, to the verdict on a new
// object, and to the refusal of a change where that is the mistake.
func reconcilerAgrees(ctx context.Context, e invalid.Example) {
	GinkgoHelper()
	fresh := placed(e, e.Object)
	resource := typed(fresh)
	if resource == nil {
		return // No reconciler ever meets it.
	}
	reviewer := w.reviewer(files{catalogue: w.catalogue})
	in, err := plan.Gather(ctx, reviewer.Facts, resource, reviewer.Settings)
	Expect(err).NotTo(HaveOccurred())
	planned, err := reviewer.Plan(ctx, in)
	Expect(err).NotTo(HaveOccurred())
	review, err := reviewer.Review(ctx, admit.Request{New: fresh})
	Expect(err).NotTo(HaveOccurred())
	Expect(told(planned.Verdict, rules.Error)).To(Equal(told(review.Verdict, rules.Error)), "the reconciler and the webhook")
	for _, f := range e.Want.Faults {
		if f.Code == string(rules.VersionDowngrade) || f.Code == string(rules.MinorChangeUnsupported) {
			ran, _, err := unstructured.NestedString(e.Old.Object, "status", "version")
			Expect(err).NotTo(HaveOccurred())
			core, ok := resource.Object().(*v2alpha1.GitLabCore)
			Expect(ok).To(BeTrue())
			core.Status.Version = ran
			refused, ok := reviewer.Transition(in.Resource, in.Target).(outcome.Refuse)
			Expect(ok).To(BeTrue(), "the reconciler lets the change pass")
			Expect(refused.Message).To(Equal(f.Field + ": " + f.Message))
		}
	}
}
