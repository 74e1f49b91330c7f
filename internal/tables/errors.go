package tables

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/portcullis-operator/portcullis/internal/tableset"
)

// What can be wrong with an image. Every error of this package is a *FetchError with one of them as its cause.
var (
	// ErrReference says that the text is no image reference.
	ErrReference = errors.New("it is not an image reference of the form registry/repository:tag")
	// ErrPullSecret says that the pull Secret cannot be read.
	ErrPullSecret = errors.New("the pull Secret is not a valid .dockerconfigjson")
	// ErrNotFound says that there is no such image.
	ErrNotFound = errors.New("there is no such image")
	// ErrDenied says that the registry does not let the caller read the image, or hides that there is none.
	ErrDenied = errors.New("the registry refused to give it out")
	// ErrUnreachable says that no usable answer came in time. Asking again may help.
	ErrUnreachable = errors.New("it could not be fetched")
	// ErrImage says that the image is damaged, exceeds a limit, or is no image of tables.
	ErrImage = errors.New("it is no usable image of tables")
	// ErrTooLarge says that the tables are more than a ConfigMap takes.
	ErrTooLarge = fmt.Errorf("its tables have more than the %d KiB a ConfigMap takes: mount the image with spec.tables.source ImageVolume",
		tableset.Limit>>10)
)

// FetchError says why an image could not be read. Neither its text nor that of its cause holds a credential, a URL or
// anything a registry wrote.
type FetchError struct {
	// Image is the reference as it was asked for, without what stands before an @ of its host.
	Image string
	// Cause is one of the errors of this package with details, and a context error beside it where one ended the work.
	Cause error
}

// Error names the image and the cause.
func (e *FetchError) Error() string {
	return fmt.Sprintf("read the tables image %q: %v", e.Image, e.Cause)
}

// Unwrap returns the cause.
func (e *FetchError) Unwrap() error { return e.Cause }

// failed makes a FetchError of whatever ended the work on an image; auth is what the registry was shown.
func failed(image string, auth credentials, err error) error {
	return &FetchError{Image: withoutUser(image), Cause: told(auth, err)}
}

// fault is one of the errors above with a detail in words of ours.
type fault struct {
	kind   error
	detail string
	// ended is the context error that ended the work, if one did.
	ended error
}

func (f *fault) Error() string {
	if f.detail == "" {
		return f.kind.Error()
	}
	return f.kind.Error() + ": " + f.detail
}

func (f *fault) Unwrap() []error {
	if f.ended == nil {
		return []error{f.kind}
	}
	return []error{f.kind, f.ended}
}

func faultf(kind error, format string, args ...any) error {
	return &fault{kind: kind, detail: fmt.Sprintf(format, args...)}
}

// told says an error in words of ours. What registries and libraries say may quote bodies and signed URLs, so of what
// they wrapped around a fault nothing is left either.
func told(auth credentials, err error) error {
	var ours *fault
	var answer *transport.Error
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{kind: ErrUnreachable, detail: "it took too long", ended: context.DeadlineExceeded}
	case errors.Is(err, context.Canceled):
		return &fault{kind: ErrUnreachable, detail: "the work was ended", ended: context.Canceled}
	case errors.As(err, &answer):
		return answered(auth, answer.StatusCode)
	}
	return faultf(ErrUnreachable, "%s", transportWords(err))
}

// answered judges a status code.
func answered(auth credentials, status int) error {
	switch status {
	case http.StatusNotFound:
		return &fault{kind: ErrNotFound}
	case http.StatusUnauthorized, http.StatusForbidden:
		return faultf(ErrDenied, "%s", auth.advice())
	}
	return faultf(ErrUnreachable, "the registry answered %d %s", status, http.StatusText(status))
}

// transportWords says what is wrong with a connection in the words of the network, which an administrator can act on:
// a name that does not resolve, a refused connection, a certificate nobody trusts. Anything else is kept back.
func transportWords(err error) string {
	var request *url.Error
	if !errors.As(err, &request) {
		return "the registry's answer is not one that is understood"
	}
	if operation, ok := errors.AsType[*net.OpError](request.Err); ok {
		return operation.Error()
	}
	text := request.Err.Error()
	for _, start := range []string{"tls: ", "x509: ", "http: server gave HTTP response"} {
		if strings.HasPrefix(text, start) {
			return text
		}
	}
	return "the connection to the registry broke"
}

// withoutUser cuts a user and a password off a reference, where somebody wrote it like a URL.
func withoutUser(image string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(image, "https://"), "http://"), "/")
	if at := strings.LastIndex(host, "@"); at >= 0 && !strings.HasPrefix(host[at:], "@sha256:") {
		return strings.Replace(image, host[:at+1], "", 1)
	}
	return image
}
