// Package webhooks answers the API server's admission requests.
//
// Floor 5, a door: it unpacks a request, asks the reviewer, and packs the verdict. It owns no rule. One entry per API
// group serves every kind of the group, since every further entry costs the callers of the API server latency.
package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// reviewTimeout bounds one review. It leaves the API server, which waits for TimeoutSeconds, enough to get the answer,
// and the render, which has a bound of its own, enough to wait for its turn and be ended.
const reviewTimeout = 8 * time.Second

// standIn takes the place of what the API server appends to metadata.generateName: as many characters, of its alphabet.
const standIn = "xxxxx"

// Handlers returns what serves each path of the configurations. Both entries of a group share their verdicts.
func Handlers(reviewer *admit.Reviewer, verdicts *Verdicts) map[string]http.Handler {
	return map[string]http.Handler{
		PathMutateApps:   &webhook.Admission{Handler: &Handler{Reviewer: reviewer, Verdicts: verdicts, Warn: true}},
		PathValidateApps: &webhook.Admission{Handler: &Handler{Reviewer: reviewer, Verdicts: verdicts}},
	}
}

// Handler answers for one API group. The mutating entry runs the whole check first, because a fault of the definition
// keeps the API server from ever calling the validating one; the validating entry repeats it on the final object, which
// the memory of a moment ago makes cheap.
type Handler struct {
	// Reviewer makes the check.
	Reviewer *admit.Reviewer
	// Verdicts remembers recent verdicts; both entries share one.
	Verdicts *Verdicts
	// Warn marks the entry that is asked first, the mutating one. It passes warnings on, which people would otherwise
	// read twice, and it always checks anew, so that a ConfigMap mended a second ago counts.
	Warn bool
}

// Handle answers one request. It never changes the object: what the definition can default, it defaults itself.
func (h *Handler) Handle(ctx context.Context, req admission.Request) admission.Response {
	switch req.Operation {
	case admissionv1.Create, admissionv1.Update:
	case admissionv1.Delete, admissionv1.Connect:
		return admission.Allowed("")
	default:
		return unanswered(http.StatusBadRequest, metav1.StatusReasonBadRequest, fmt.Errorf("the operation %q of the request is none", req.Operation))
	}
	next, stored, err := objects(req)
	if err != nil {
		return unanswered(http.StatusBadRequest, metav1.StatusReasonBadRequest, err)
	}
	if untouched(next, stored) {
		return admission.Allowed("")
	}
	if gvk := next.GroupVersionKind(); !h.Reviewer.Handles(gvk) {
		return unanswered(http.StatusBadRequest, metav1.StatusReasonBadRequest,
			fmt.Errorf("this build of the Operator cannot check %s of %s: its webhook is registered for more than it knows", gvk.Kind, gvk.GroupVersion()))
	}
	verdict, err := h.Verdicts.get(ctx, next, stored, h.Warn, func(ctx context.Context) (rules.Verdict, error) {
		review, err := h.Reviewer.Review(ctx, admit.Request{New: next, Old: stored})
		return review.Verdict, err
	})
	if err != nil {
		logf.FromContext(ctx).Error(err, "the check could not be made", "kind", next.GetKind(), "namespace", next.GetNamespace(), "name", next.GetName())
		return unanswered(http.StatusInternalServerError, metav1.StatusReasonInternalError, sorry(err))
	}
	return h.answer(next, verdict)
}

func (h *Handler) answer(u *unstructured.Unstructured, verdict rules.Verdict) admission.Response {
	response := admission.Allowed("")
	if verdict.Refused() {
		response = refusal(u, verdict)
	}
	if h.Warn {
		response.Warnings = warnings(verdict)
	}
	return response
}

// sorry says that the fault is not the object's.
func sorry(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the check took longer than %s, so nothing was decided: try again, and look at the Operator's log if it stays so", reviewTimeout)
	}
	return fmt.Errorf("the check could not be made, so nothing was decided: try again, and look at the Operator's log if it stays so (%w)", err)
}

// objects decodes what the request carries. Everything stays untyped: a number where a text belongs is a fault with a
// field, not a decoding error.
func objects(req admission.Request) (next, stored *unstructured.Unstructured, err error) {
	if next, err = decode(req.Object.Raw); err != nil {
		return nil, nil, fmt.Errorf("the object of the request cannot be read: %w", err)
	}
	if next.GetNamespace() == "" {
		next.SetNamespace(req.Namespace)
	}
	if next.GetName() == "" && next.GetGenerateName() != "" {
		next.SetName(next.GetGenerateName() + standIn)
	}
	if req.Operation == admissionv1.Update {
		if stored, err = decode(req.OldObject.Raw); err != nil {
			return nil, nil, fmt.Errorf("the stored object of the request cannot be read: %w", err)
		}
	}
	return next, stored, nil
}

func decode(raw []byte) (*unstructured.Unstructured, error) {
	if len(raw) == 0 {
		return nil, errors.New("it is empty")
	}
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(raw, u); err != nil {
		return nil, fmt.Errorf("it is no object of Kubernetes: %w", err)
	}
	return u, nil
}

// untouched reports that nothing is asked of us: the object is on its way out, or its spec is as it was. The match
// conditions say the same to the API server; a caller without them gets the same answer.
func untouched(next, stored *unstructured.Unstructured) bool {
	if admit.Deleting(next) {
		return true
	}
	return stored != nil && apiequality.Semantic.DeepEqual(next.Object["spec"], stored.Object["spec"])
}
