// Package webhooks answers the API server's admission requests.
//
// Floor 5, a door: it unpacks a request, asks the reviewer, and packs the verdict. It owns no rule. One entry per API
// group serves every kind of the group, since every further entry costs the callers of the API server latency.
package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// reviewTimeout bounds one review. It is half of the webhook's own timeout, so that the API server gets an answer.
const reviewTimeout = 5 * time.Second

// Handler answers for one API group. The mutating entry runs the whole check first, because a fault of the definition
// keeps the API server from ever calling the validating one; the validating entry repeats it on the final object, which
// the cache makes cheap.
type Handler struct {
	// Reviewer makes the check.
	Reviewer *admit.Reviewer
	// Verdicts remembers recent verdicts; both entries share one.
	Verdicts *Verdicts
	// Warn says that this entry passes warnings on. Only one of the two does, or people would read them twice.
	Warn bool
}

// Handle answers one request. It never changes the object: what the definition can default, it defaults itself.
func (h *Handler) Handle(ctx context.Context, req admission.Request) admission.Response {
	next, stored, err := objects(req)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if skip := untouched(next, stored); skip {
		return admission.Allowed("")
	}
	if !h.Reviewer.Handles(next.GroupVersionKind()) {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("this build of the Operator does not know the kind %s", next.GroupVersionKind().GroupKind()))
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	verdict, err := h.Verdicts.get(next, stored, func() (rules.Verdict, error) {
		review, err := h.Reviewer.Review(ctx, admit.Request{New: next, Old: stored})
		return review.Verdict, err
	})
	if err != nil {
		logf.FromContext(ctx).Error(err, "the check could not be made", "kind", next.GetKind(), "namespace", next.GetNamespace(), "name", next.GetName())
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("the check could not be made, try again: %w", err))
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

// objects decodes what the request carries. Everything stays untyped: a number where a text belongs is a fault with a
// field, not a decoding error.
func objects(req admission.Request) (next, stored *unstructured.Unstructured, err error) {
	if next, err = decode(req.Object.Raw); err != nil {
		return nil, nil, fmt.Errorf("read the object of the request: %w", err)
	}
	if next.GetNamespace() == "" {
		next.SetNamespace(req.Namespace)
	}
	if next.GetName() == "" && next.GetGenerateName() != "" {
		// The API server fills the name in later. Five characters stand in for the ones it will add.
		next.SetName(next.GetGenerateName() + "xxxxx")
	}
	if req.Operation == admissionv1.Update {
		if stored, err = decode(req.OldObject.Raw); err != nil {
			return nil, nil, fmt.Errorf("read the stored object of the request: %w", err)
		}
	}
	return next, stored, nil
}

func decode(raw []byte) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(raw, u); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
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
