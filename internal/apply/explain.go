package apply

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/internal/object"
)

const (
	// maxText bounds what is quoted of one answer, in bytes: enough for several faults, small enough for a condition.
	maxText = 700
	// maxCauses bounds how many faults of one answer are quoted.
	maxCauses = 4
	// maxQuoted bounds a quoted value inside a fault; longer ones are dumps of whole structures.
	maxQuoted = 120
)

// explain turns an error into one that names the object, says what happened in plain words and what to do. The verb is
// what was being done: "applied", "deleted", "listed".
func explain(ref object.Ref, verb string, err error) *Error {
	class := classify(err)
	said := describe(err)
	if isSecret(ref.GVK.GroupKind()) {
		said, err = describeSecret(err), scrub(err)
	}
	subject := ref.String()
	if ref.Name == "" {
		subject = "The objects of kind " + ref.GVK.Kind
	}
	text := fmt.Sprintf("%s could not be %s: %s.", subject, verb, strings.TrimRight(said, ". "))
	switch class {
	case NotServed:
		text = fmt.Sprintf("%s could not be %s: %s", subject, verb, missing(ref, err))
	case Immutable:
		text += " " + replaceHint(ref)
	case Transient:
		text += " It is tried again."
	case Refused:
	}
	return &Error{Ref: ref, Class: class, Text: text, Err: err}
}

// missing says which kind or namespace the cluster lacks and who can change that.
func missing(ref object.Ref, err error) string {
	if status, ok := statusOf(err); ok && status.Details != nil && status.Details.Kind == "namespaces" {
		return fmt.Sprintf("its namespace %s does not exist. Create the namespace, or turn off in the chart's values what needs it.", status.Details.Name)
	}
	return fmt.Sprintf("the cluster does not serve the kind %s of %s. "+
		"Have the cluster administrator install that API, or turn off in the chart's values what needs it.",
		ref.GVK.Kind, ref.GVK.GroupVersion())
}

// replaceHint says how an object with an unchangeable field is replaced without losing what hangs on it.
func replaceHint(ref object.Ref) string {
	place := ref.Name
	if ref.Namespace != "" {
		place = "-n " + ref.Namespace + " " + ref.Name
	}
	switch ref.GVK.Kind {
	case "StatefulSet":
		return "The field cannot change on a live object. Either take the change back, or run kubectl delete statefulset --cascade=orphan " +
			place + ": the next pass makes it again around the running pods and volumes."
	case "PersistentVolumeClaim", "PersistentVolume", "Secret":
		return "The field cannot change on a live object. Take the change back in the values; the Operator never replaces an object that holds data."
	}
	return "The field cannot change on a live object. Either take the change back, or run kubectl delete " +
		strings.ToLower(ref.GVK.Kind) + " " + place + ": the next pass makes it again."
}

// describe returns what the API server said, without dumps of whole structures and bounded in length.
func describe(err error) string {
	status, ok := statusOf(err)
	if !ok {
		return shorten(err.Error(), maxText)
	}
	if status.Details == nil || len(status.Details.Causes) == 0 || status.Reason != metav1.StatusReasonInvalid {
		return shorten(plain(status.Message), maxText)
	}
	// The API server's remark that it looked no further names no field and helps nobody.
	causes := slices.DeleteFunc(slices.Clone(status.Details.Causes), func(c metav1.StatusCause) bool { return c.Field == "<nil>" })
	var said []string
	for i, cause := range causes {
		if i == maxCauses {
			said = append(said, fmt.Sprintf("and %d more", len(causes)-maxCauses))
			break
		}
		said = append(said, strings.TrimPrefix(cause.Field+": "+undump(cause.Message), ": "))
	}
	return shorten(plain(strings.Join(said, "; ")), maxText)
}

var (
	// typeDump matches a value printed with its Go type around it, as the server-side apply of a mistyped field does.
	typeDump = regexp.MustCompile(`&?[A-Za-z]+\.[A-Za-z]+\{Value:([^{}]*)\}`)
	// typedPatch matches how a server-side apply begins to say that an object does not fit its type.
	typedPatch = regexp.MustCompile(`^failed to create typed patch object \([^)]*\): `)
)

// plain removes what only a programmer can read.
func plain(message string) string {
	return typedPatch.ReplaceAllString(typeDump.ReplaceAllString(message, "$1"), "it does not fit its kind: ")
}

// undump shortens "Invalid value: <dump>: detail" to its detail when the value is a whole structure or very long.
func undump(message string) string {
	value, found := strings.CutPrefix(message, "Invalid value: ")
	if !found {
		return message
	}
	end := ": "
	if strings.HasPrefix(value, `"`) {
		end = `": `
	}
	first := strings.Index(value, end)
	if first >= 0 && first <= maxQuoted && (end != ": " || !strings.ContainsAny(value[:first], "{[")) {
		return message
	}
	for _, end := range []string{"}: ", "]: ", `": `} {
		if i := strings.LastIndex(value, end); i >= 0 {
			return value[i+len(end):]
		}
	}
	return shorten(message, maxQuoted)
}

// shorten cuts text at a bound without cutting a character in two.
func shorten(text string, bound int) string {
	if len(text) <= bound {
		return text
	}
	return strings.ToValidUTF8(text[:bound], "") + "…"
}

// describeSecret says what the API server objected to without its words, which may quote a key's content.
func describeSecret(err error) string {
	status, ok := statusOf(err)
	if !ok {
		if harmless(err) {
			return shorten(err.Error(), maxText)
		}
		return "the request failed; the cause is not shown because it may quote the Secret"
	}
	said := fmt.Sprintf("the API server answered %d", status.Code)
	if status.Reason != "" {
		said += " " + string(status.Reason)
	}
	var fields []string
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			if cause.Field != "" {
				fields = append(fields, cause.Field)
			}
		}
	}
	if len(fields) > 0 {
		said += " at " + strings.Join(fields, ", ")
	}
	return said + "; its words are not shown because they may quote the Secret"
}

// scrub returns an error of the same kind whose text quotes nothing, so that nothing that unwraps it can print a Secret.
func scrub(err error) error {
	status, ok := statusOf(err)
	switch {
	case ok:
		details := status.Details.DeepCopy()
		if details != nil {
			for i := range details.Causes {
				details.Causes[i].Message = ""
			}
		}
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: status.Status, Code: status.Code, Reason: status.Reason, Message: describeSecret(err), Details: details,
		}}
	case harmless(err), notServed(err):
		return err
	}
	return errors.New(describeSecret(err))
}
