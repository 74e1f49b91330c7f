package gitlabsecrets

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/outcome"
)

// class says what the failure of a write means.
type class int

const (
	// broken is worth trying again as it is.
	broken class = iota
	// outdated says that the Secret is no longer what was decided on.
	outdated
	// ending says that the namespace takes no new object any more.
	ending
	// refused says that the API server will say no again until somebody changes something.
	refused
)

// takenError says that somebody else put a value where a value of the certificate set was to go.
type takenError struct{ secret string }

// Error names the Secret.
func (e *takenError) Error() string {
	return "Secret " + e.secret + " got another value while the certificate set was written"
}

// classOf tells what the failure of a change means.
func classOf(c change, err error) class {
	if taken, ok := errors.AsType[*takenError](err); ok && taken != nil {
		return outdated
	}
	if errors.Is(err, errGone) {
		return outdated
	}
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return broken
	}
	status := answer.Status()
	switch code := status.Code; {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause), code == http.StatusNotFound && c.create:
		return ending
	case code == http.StatusConflict, code == http.StatusNotFound, replaced(status):
		return outdated
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code < 400, code >= 500:
		return broken
	}
	return refused
}

// replaced recognises the answer to a patch of a Secret that was deleted and made anew.
func replaced(status metav1.Status) bool {
	return status.Details != nil && slices.ContainsFunc(status.Details.Causes, func(cause metav1.StatusCause) bool {
		return cause.Field == "metadata.uid"
	})
}

// failures are the writes of a pass that did not get through, by what they mean, in sentences that hold no value.
type failures struct{ broken, outdated, ending, refused []string }

func (f *failures) add(c change, secret *corev1.Secret, err error) {
	sentence := fmt.Sprintf("Secret %s could not be written: %s", c.name, hide(said(err), c, secret))
	switch classOf(c, err) {
	case broken:
		f.broken = append(f.broken, sentence)
	case outdated:
		f.outdated = append(f.outdated, c.name)
	case ending:
		f.ending = append(f.ending, c.name)
	case refused:
		f.refused = append(f.refused, sentence)
	}
}

// said is the message of the API server, or the error where it gave none.
func said(err error) string {
	var answer apierrors.APIStatus
	if errors.As(err, &answer) && answer.Status().Message != "" {
		return answer.Status().Message
	}
	return err.Error()
}

// failed is the outcome of a step that should have worked.
func failed(err error) outcome.Outcome {
	return outcome.Fail{Reason: v2alpha1.ReasonApplyFailed, Err: err}
}

// shortestHidden is the length from which a text is looked for in a message: what is shorter stands in every sentence.
const shortestHidden = 4

// hide takes every value of the Secret, old and new, out of a text that others wrote: an admission webhook may quote
// what it was given.
func hide(text string, c change, secret *corev1.Secret) string {
	var forms []string
	add := func(value []byte) {
		whole := string(value)
		forms = append(forms, whole, base64.StdEncoding.EncodeToString(value), strconv.Quote(whole))
		// A text of several lines is quoted in part: line by line, and a secrets.yml value by value.
		forms = append(forms, strings.FieldsFunc(whole, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'", r) })...)
	}
	for _, value := range c.data {
		add(value)
	}
	if secret != nil {
		for _, value := range secret.Data {
			add(value)
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	for _, form := range slices.Compact(forms) {
		if len(form) >= shortestHidden && !plainWord(form) {
			text = strings.ReplaceAll(text, form, "(hidden)")
		}
	}
	return text
}

// plainWord reports whether a piece of a value is a name, such as a field of a secrets.yml or a word of a PEM header, and
// no secret.
func plainWord(text string) bool {
	if text == "BEGIN" || text == "PRIVATE" || text == "CERTIFICATE-----" || text == "KEY-----" {
		return true
	}
	name, isName := strings.CutSuffix(text, ":")
	return isName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}
