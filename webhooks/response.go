package webhooks

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

const (
	// warningBudget is how many characters all warnings of one answer may have; past it the API server cuts each.
	warningBudget = 4096
	// restReserve is kept free for the sentence that counts the warnings left out.
	restReserve = 80
	// warningLength is how long one warning may be, so that a long one leaves room for others.
	warningLength = 1024
)

// refusal answers with a Status of reason Invalid that has a cause for each fault, as the API server's own refusals
// have, so that kubectl prints every one.
func refusal(u *unstructured.Unstructured, verdict rules.Verdict) admission.Response {
	faults := verdict.Errors()
	causes := make([]metav1.StatusCause, 0, len(faults))
	lines := make([]string, 0, len(faults))
	for _, f := range faults {
		text := f.Message + " [" + string(f.Code) + "]"
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseType(f.Code), Field: f.Field, Message: text})
		lines = append(lines, "* "+strings.ReplaceAll(at(f), "\n", "\n  "))
	}
	gvk := u.GroupVersionKind()
	response := admission.Denied("")
	response.Result = &metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusUnprocessableEntity,
		Reason:  metav1.StatusReasonInvalid,
		Message: fmt.Sprintf("%s %q is refused, with %s:\n%s", gvk.Kind, nameOf(u), counted(faults), strings.Join(lines, "\n")),
		Details: &metav1.StatusDetails{Group: gvk.Group, Kind: gvk.Kind, Name: nameOf(u), Causes: causes},
	}
	return response
}

// unanswered says that there is no verdict, and why.
func unanswered(code int32, reason metav1.StatusReason, err error) admission.Response {
	response := admission.Errored(code, err)
	response.Result.Status, response.Result.Reason = metav1.StatusFailure, reason
	return response
}

// at is a fault as one text: field, message, code.
func at(f rules.Fault) string {
	text := f.Message + " [" + string(f.Code) + "]"
	if f.Field == "" {
		return text
	}
	return f.Field + ": " + text
}

// nameOf is the name of an object as its author knows it: of a generated one, the part that was written.
func nameOf(u *unstructured.Unstructured) string {
	if base := u.GetGenerateName(); base != "" && u.GetName() == base+standIn {
		return base + "*"
	}
	return u.GetName()
}

// counted says how many faults there are. The last entry of a list that was cut is no fault but their rest, which says
// its own number.
func counted(faults []rules.Fault) string {
	n := len(faults)
	switch {
	case faults[n-1].Code == rules.TooManyFaults:
		return fmt.Sprintf("more than %d faults", n-1)
	case n == 1:
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
		text := oneLine(at(f))
		size := utf8.RuneCountInString(text)
		if size > left {
			return append(out, unshown(len(faults)-i))
		}
		left -= size
		out = append(out, text)
	}
	return out
}

func unshown(n int) string {
	if n == 1 {
		return "one more warning is not shown: portcullis validate shows them all"
	}
	return fmt.Sprintf("%d more warnings are not shown: portcullis validate shows them all", n)
}

// oneLine makes a text fit into a header: the API server drops a warning with a line break, without a word.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "?"), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r)
	}), " ")
	if utf8.RuneCountInString(text) > warningLength {
		text = string([]rune(text)[:warningLength-4]) + " ..."
	}
	return text
}
