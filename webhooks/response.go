package webhooks

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// warningBudget is how many characters all warnings of one answer may have; the API server cuts what is longer.
const warningBudget = 4096

// restReserve is kept free for the sentence that counts the warnings left out.
const restReserve = 80

// refusal answers with a Status of reason Invalid that has a cause for each fault, as the API server's own refusals
// have, so that kubectl prints every one.
func refusal(u *unstructured.Unstructured, verdict rules.Verdict) admission.Response {
	faults := verdict.Errors()
	causes := make([]metav1.StatusCause, 0, len(faults))
	lines := make([]string, 0, len(faults))
	for _, f := range faults {
		text := f.Message + " [" + string(f.Code) + "]"
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseType(f.Code), Field: f.Field, Message: text})
		if f.Field != "" {
			text = f.Field + ": " + text
		}
		lines = append(lines, "* "+text)
	}
	gvk := u.GroupVersionKind()
	response := admission.Denied("")
	response.Result = &metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusUnprocessableEntity,
		Reason:  metav1.StatusReasonInvalid,
		Message: fmt.Sprintf("%s %q is refused, with %s:\n%s", gvk.Kind, u.GetName(), counted(len(faults)), strings.Join(lines, "\n")),
		Details: &metav1.StatusDetails{Group: gvk.Group, Kind: gvk.Kind, Name: u.GetName(), Causes: causes},
	}
	return response
}

func counted(n int) string {
	if n == 1 {
		return "one fault"
	}
	return fmt.Sprintf("%d faults", n)
}

// warnings returns as many warnings as fit, then how many do not.
func warnings(verdict rules.Verdict) []string {
	faults := verdict.Warnings()
	var out []string
	left := warningBudget - restReserve
	for i, f := range faults {
		text := f.Message + " [" + string(f.Code) + "]"
		if f.Field != "" {
			text = f.Field + ": " + text
		}
		if size := utf8.RuneCountInString(text); size > left {
			return append(out, fmt.Sprintf("%d more warnings are not shown: portcullis validate shows them all", len(faults)-i))
		} else {
			left -= size
		}
		out = append(out, text)
	}
	return out
}
