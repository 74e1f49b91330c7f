package apply

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// Class says what an error means for whoever has to act on it.
type Class string

const (
	// Refused says that the API server read the object and said no; it will say so again until something changes.
	Refused Class = "refused"
	// Immutable is a refusal because a field of the live object cannot change; the object has to be replaced by hand.
	Immutable Class = "immutable"
	// NotServed says that the cluster has no such API, or no such namespace to put the object in.
	NotServed Class = "not served"
	// Transient is worth trying again with nothing changed.
	Transient Class = "transient"
)

// Error is why one object could not be applied, deleted or listed. Its text names the object, what the API server said
// in plain words and what to do; it never quotes the content of a Secret, and neither does anything it wraps.
type Error struct {
	Ref   object.Ref
	Class Class
	Text  string
	Err   error
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause, such as the API server's status.
func (e *Error) Unwrap() error { return e.Err }

// ForeignError says an object belongs to somebody else and was not taken over.
type ForeignError struct {
	Ref object.Ref
	// Owner is who wanted to apply it, Other who it belongs to.
	Owner, Other string
	// Hint says how the two can be parted.
	Hint string
}

// Error names both owners.
func (e *ForeignError) Error() string {
	return e.Ref.String() + " belongs to " + e.Other + " and was not taken over by " + e.Owner + ". " + e.Hint
}

// classify returns what an error of the API server or of the way there means. Anything that is not an answer of the API
// server about this object is worth another try.
func classify(err error) Class {
	if notServed(err) {
		return NotServed
	}
	status, ok := statusOf(err)
	if !ok || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return Transient
	}
	switch code := status.Code; {
	case code == http.StatusNotFound:
		return NotServed
	case code == http.StatusRequestTimeout, code == http.StatusConflict, code == http.StatusTooManyRequests:
		return Transient
	case replaced(err):
		return Transient
	case code >= 400 && code < 500:
		if immutable(status.Message) {
			return Immutable
		}
		return Refused
	case malformed(status.Message):
		return Refused
	}
	return Transient
}

// statusOf returns the API server's answer in an error chain.
func statusOf(err error) (metav1.Status, bool) {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return metav1.Status{}, false
	}
	return answer.Status(), true
}

// malformed recognises the answers of a server-side apply to an object that does not fit its type (an unknown field, a
// key twice, a wrong type): the API server gives them the code 500 and no reason, though no retry will change them.
func malformed(message string) bool {
	return strings.Contains(message, "failed to create typed patch object") ||
		strings.Contains(message, "failed to create manager for") ||
		strings.Contains(message, "field not declared in schema")
}

// immutable recognises the refusal to change a field that is fixed once an object exists.
func immutable(message string) bool {
	return strings.Contains(message, "immutable") || strings.Contains(message, "updates to statefulset spec for fields other than")
}

// lookedOutdated reports whether a write failed because the object is not the one that was looked at: it changed, came
// into being, went away, or (a refusal to change its UID) was deleted and made anew.
func lookedOutdated(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || replaced(err)
}

// replaced recognises the answer to a write that names the UID of an object since replaced by another of its name.
func replaced(err error) bool {
	status, ok := statusOf(err)
	return ok && status.Details != nil && slices.ContainsFunc(status.Details.Causes, func(cause metav1.StatusCause) bool {
		return cause.Field == "metadata.uid"
	})
}

// notServed reports whether an error says the cluster has no such kind. A discovery in which some versions were absent
// and others could not be read says nothing of the sort.
func notServed(err error) bool {
	if partial, ok := errors.AsType[*apiutil.ErrResourceDiscoveryFailed](err); ok {
		for _, cause := range *partial {
			if !meta.IsNoMatchError(cause) && !apierrors.IsNotFound(cause) {
				return false
			}
		}
		return len(*partial) > 0
	}
	return meta.IsNoMatchError(err)
}

// harmless reports whether the text of an error cannot quote an object: it speaks of the connection, not of content.
func harmless(err error) bool {
	var address *url.Error
	var network net.Error
	return errors.As(err, &address) || errors.As(err, &network) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
