package apply

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/portcullis-operator/portcullis/internal/object"
)

var configMaps = schema.GroupResource{Resource: "configmaps"}

// answer is what an API server says with a code and a message.
func answer(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Reason: reason, Message: message}}
}

// invalid is a refusal with one fault.
func invalid(field, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: message,
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: field, Message: message}}},
	}}
}

func TestClassify(t *testing.T) {
	v1 := schema.GroupVersion{Group: "x.io", Version: "v1"}
	v2 := schema.GroupVersion{Group: "x.io", Version: "v2"}
	absent := &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "x.io", Kind: "X"}}
	busy := apierrors.NewServiceUnavailable("etcd is away")
	terminating := apierrors.NewForbidden(configMaps, "x", errors.New("the namespace is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	tests := map[string]struct {
		err  error
		want Class
	}{
		"a forbidden object is refused":                            {apierrors.NewForbidden(configMaps, "x", errors.New("no")), Refused},
		"an invalid object is refused":                             {answer(422, metav1.StatusReasonInvalid, "spec.x: Required value"), Refused},
		"a webhook that says no refuses":                           {answer(403, "", `admission webhook "a.b" denied the request: no`), Refused},
		"a bad request is refused":                                 {apierrors.NewBadRequest("bad"), Refused},
		"an object that does not fit its type is refused":          {answer(500, "", "failed to create typed patch object (a/b; /v1, Kind=X): .y: field not declared in schema"), Refused},
		"a Job's template cannot change":                           {answer(422, metav1.StatusReasonInvalid, "Job is invalid: spec.template: field is immutable"), Immutable},
		"most of a StatefulSet cannot change":                      {answer(422, metav1.StatusReasonInvalid, "Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden"), Immutable},
		"a webhook that cannot be called is tried again":           {apierrors.NewInternalError(errors.New(`failed calling webhook "a.b": connection refused`)), Transient},
		"a conflict is tried again":                                {apierrors.NewConflict(configMaps, "x", errors.New("changed")), Transient},
		"too many requests are tried again":                        {apierrors.NewTooManyRequests("slow down", 1), Transient},
		"an API server timeout is tried again":                     {apierrors.NewTimeoutError("slow", 1), Transient},
		"an unavailable API server is tried again":                 {busy, Transient},
		"a broken connection is tried again":                       {&url.Error{Op: "Patch", URL: "https://a", Err: errors.New("refused")}, Transient},
		"a deadline is tried again":                                {fmt.Errorf("read: %w", context.DeadlineExceeded), Transient},
		"a namespace that is going away is tried again":            {terminating, Transient},
		"an object replaced by another of its name is tried again": {invalid("metadata.uid", `Invalid value: "x": field is immutable`), Transient},
		"an absent kind is not served":                             {fmt.Errorf("map: %w", absent), NotServed},
		"an absent namespace is nothing to wait for":               {apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "x"), NotServed},
		"a discovery that found no version says not served":        {&apiutil.ErrResourceDiscoveryFailed{v1: absent}, NotServed},
		"a discovery that could not read one version says nothing": {&apiutil.ErrResourceDiscoveryFailed{v1: absent, v2: busy}, Transient},
		"the same when it is wrapped":                              {fmt.Errorf("map: %w", &apiutil.ErrResourceDiscoveryFailed{v1: busy, v2: absent}), Transient},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := classify(test.err); got != test.want {
				t.Errorf("classify(%v) = %q, want %q", test.err, got, test.want)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	long := strings.Repeat("x", 5000)
	tests := map[string]struct {
		err  error
		want string
	}{
		"a short value stays, since the reader needs it": {
			invalid("spec.port", "Invalid value: 99999: must be between 1 and 65535"),
			"spec.port: Invalid value: 99999: must be between 1 and 65535",
		},
		"a quoted value stays, whatever the advice after it holds": {
			invalid("metadata.name", `Invalid value: "Bad_Name": must match '[a-z]([-a-z]*[a-z])?'`),
			`metadata.name: Invalid value: "Bad_Name": must match '[a-z]([-a-z]*[a-z])?'`,
		},
		"a dump of a structure goes": {
			invalid("spec.template", `Invalid value: {"spec":{"env":[{"name":"A: B","value":"C"}]}}: field is immutable`),
			"spec.template: field is immutable",
		},
		"a dump with Go types goes": {
			invalid("spec.template", `Invalid value: core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:""}}: field is immutable`),
			"spec.template: field is immutable",
		},
		"a very long text goes": {
			invalid("data.key", `Invalid value: "`+long+`": too long`),
			"data.key: too long",
		},
		"a fault without a field is told as it is": {
			invalid("", "something"), "something",
		},
		"a mistyped field is told without a Go type": {
			answer(500, "", "failed to create typed patch object (ns/n; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:5}"),
			"it does not fit its kind: .data.a: expected string, got 5",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, describe(test.err)); diff != "" {
				t.Errorf("description (-want +got):\n%s", diff)
			}
		})
	}
	if got := describe(answer(400, "", long)); len(got) > maxText+len("…") {
		t.Errorf("a description of %d bytes is longer than %d", len(got), maxText)
	}
}

func TestManyFaultsAreCounted(t *testing.T) {
	var causes []metav1.StatusCause
	for i := range 9 {
		causes = append(causes, metav1.StatusCause{Field: fmt.Sprintf("f%d", i), Message: "Required value"})
	}
	got := describe(&apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonInvalid, Details: &metav1.StatusDetails{Causes: causes}}})
	want := "f0: Required value; f1: Required value; f2: Required value; f3: Required value; and 5 more"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("description (-want +got):\n%s", diff)
	}
}

func TestNoErrorAboutASecretQuotesIt(t *testing.T) {
	const word = "hunter2"
	ref := object.Ref{GVK: corev1.SchemeGroupVersion.WithKind("Secret"), Namespace: "ns", Name: "s"}
	tests := map[string]error{
		"a refusal with faults":             invalid("data[password]", `Invalid value: "`+word+`": bad`),
		"a refusal in prose":                answer(400, metav1.StatusReasonBadRequest, "illegal base64 data: "+word),
		"an object that does not fit":       answer(500, "", "failed to create typed patch object: got "+word),
		"a refusal wrapped in our words":    fmt.Errorf("applied %s: %w", word, apierrors.NewBadRequest(word)),
		"an error nobody knows":             errors.New("cannot encode " + word),
		"a webhook that quotes the request": answer(403, metav1.StatusReasonForbidden, `admission webhook "a" denied the request: `+word),
	}
	for name, err := range tests {
		t.Run(name, func(t *testing.T) {
			explained := explain(ref, "applied", err)
			for cause := error(explained); cause != nil; cause = errors.Unwrap(cause) {
				if strings.Contains(fmt.Sprintf("%v %+v", cause, cause), word) {
					t.Errorf("quoted the Secret: %v", cause)
				}
			}
			if !strings.Contains(explained.Error(), "Secret ns/s") {
				t.Errorf("%q does not name the Secret", explained)
			}
			if explained.Class != classify(err) {
				t.Errorf("class %q, want that of the bare error, %q", explained.Class, classify(err))
			}
		})
	}
	refused := explain(ref, "applied", apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "s", errors.New(word)))
	if !apierrors.IsForbidden(refused) {
		t.Error("the scrubbed cause must still say what kind of refusal it was")
	}
}
