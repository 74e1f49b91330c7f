package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
)

func TestWhatIsLetThroughWithoutACheck(t *testing.T) {
	h := handlerOf(t, nothing)
	broken := changed(t, map[string]any{"hostname": int64(5)})
	cases := map[string]struct {
		next, stored *unstructured.Unstructured
		operation    admissionv1.Operation
	}{
		"a deletion, whatever is deleted": {next: broken, operation: admissionv1.Delete},
		"a change of labels, whatever the spec says": {stored: broken, next: edit(broken, func(u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{"tier": "platform"})
		})},
		"the removal of a finalizer while the object goes, with another broken spec": {stored: broken, next: edit(broken, func(u *unstructured.Unstructured) {
			now := metav1.Now()
			u.SetDeletionTimestamp(&now)
			u.Object["spec"] = map[string]any{"hostname": int64(6)}
		})},
		"an update that changes nothing": {stored: broken, next: broken},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(t, c.next, c.stored)
			if c.operation != "" {
				req.Operation = c.operation
			}
			if got := h.Handle(t.Context(), req); !got.Allowed || len(got.Warnings) > 0 || len(got.Patches) > 0 {
				t.Errorf("answered with %+v", got.AdmissionResponse)
			}
		})
	}
}

func edit(u *unstructured.Unstructured, how func(*unstructured.Unstructured)) *unstructured.Unstructured {
	u = u.DeepCopy()
	how(u)
	return u
}

func TestARefusalListsEveryFaultAtItsField(t *testing.T) {
	h := handlerOf(t, nothing)
	wrong := changed(t, map[string]any{
		"hostname": int64(5),
		"upgrade":  map[string]any{"skipBatchedMigrationCheck": "yes"},
		"chart":    map[string]any{"values": map[string]any{"global": map[string]any{"hosts": map[string]any{"https": "yes"}}}},
	})
	got := h.Handle(t.Context(), request(t, wrong, nil))
	want := &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
		Details: &metav1.StatusDetails{Group: "apps.gitlab.com", Kind: "GitLabCore", Name: "gitlab"},
	}
	lines := []string{`GitLabCore "gitlab" is refused, with 3 faults:`}
	for _, f := range []struct{ field, code, text string }{
		{"spec.chart.values.global.hosts.https", "SchemaViolation", "must be a boolean or null, not a string (chart gitlab 10.4.1, values.schema.json /$defs/gitlab.values.v1.Global.Hosts/properties/https)"},
		{"spec.hostname", "FieldInvalid", "must be a string, not a whole number: write it in quotes"},
		{"spec.upgrade.skipBatchedMigrationCheck", "FieldInvalid", "must be true or false, not a string"},
	} {
		text := f.text + " [" + f.code + "]"
		want.Details.Causes = append(want.Details.Causes, metav1.StatusCause{Type: metav1.CauseType(f.code), Field: f.field, Message: text})
		lines = append(lines, "* "+f.field+": "+text)
	}
	want.Message = strings.Join(lines, "\n")
	if got.Allowed {
		t.Error("let through")
	}
	if diff := cmp.Diff(want, got.Result); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

func TestTheSameRequestGivesTheSameBytes(t *testing.T) {
	values := map[string]any{}
	for i := range 40 {
		values[fmt.Sprintf("unheardOf%d", i)] = true
	}
	wrong := changed(t, map[string]any{"edition": "premium", "chart": map[string]any{"values": values}})
	var first string
	for range 4 {
		got, err := json.Marshal(handlerOf(t, nothing).Handle(t.Context(), request(t, wrong, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(got)
		}
		if diff := cmp.Diff(first, string(got)); diff != "" {
			t.Fatalf("another answer (-first +now):\n%s", diff)
		}
	}
}

func TestAGeneratedNameIsCheckedAsIfItWereThereAndPrintedAsItWasWritten(t *testing.T) {
	h := handlerOf(t, func(_ context.Context, req render.Request) (render.Release, error) {
		if req.Release.Name != "gitlab-xxxxx" {
			t.Errorf("rendered as %q", req.Release.Name)
		}
		return render.Release{}, &render.Error{Kind: render.Failed, Text: "no"}
	})
	u := object(t, good)
	u.SetName("")
	u.SetGenerateName("gitlab-")
	got := h.Handle(t.Context(), request(t, u, nil))
	if got.Allowed || !strings.HasPrefix(got.Result.Message, `GitLabCore "gitlab-*" is refused, with one fault:`) || got.Result.Details.Name != "gitlab-*" {
		t.Errorf("answered with %+v", got.Result)
	}
}

func TestAGoodObjectIsLetThroughUnchanged(t *testing.T) {
	got := handlerOf(t, nothing).Handle(t.Context(), request(t, object(t, good), nil))
	if !got.Allowed || len(got.Warnings) > 0 || len(got.Patches) > 0 || got.Patch != nil {
		t.Errorf("answered with %+v", got)
	}
}

func TestOnlyTheEntryThatIsAskedFirstWarns(t *testing.T) {
	unknown := changed(t, map[string]any{"chart": map[string]any{"values": map[string]any{"global": map[string]any{"hosts": map[string]any{"domian": "example.com"}}}}})
	reviewer, verdicts := reviewerOf(t, nothing), memory()
	first := (&Handler{Reviewer: reviewer, Verdicts: verdicts, Warn: true}).Handle(t.Context(), request(t, unknown, nil))
	second := (&Handler{Reviewer: reviewer, Verdicts: verdicts}).Handle(t.Context(), request(t, unknown, nil))
	if len(first.Warnings)+len(first.Result.Details.Causes) == 0 || len(second.Warnings) != 0 {
		t.Errorf("first warns %q, second %q", first.Warnings, second.Warnings)
	}
}

func TestRequestsThatCannotBeAnsweredSaySo(t *testing.T) {
	h := handlerOf(t, nothing)
	secrets := object(t, good)
	secrets.SetKind("GitLab")
	cases := map[string]struct {
		operation admissionv1.Operation
		object    string
		old       string
		code      int32
		says      string
	}{
		"an object that is no JSON":           {admissionv1.Create, `{"kind":`, "", 400, "the object of the request cannot be read"},
		"an object that is a number":          {admissionv1.Create, `5`, "", 400, "the object of the request cannot be read"},
		"an object without a kind":            {admissionv1.Create, `{"metadata":{}}`, "", 400, "the object of the request cannot be read"},
		"no object at all":                    {admissionv1.Create, ``, "", 400, "it is empty"},
		"a stored object that is no JSON":     {admissionv1.Update, string(raw(t, object(t, good)).Raw), `{`, 400, "the stored object of the request cannot be read"},
		"a kind without a webhook":            {admissionv1.Create, string(raw(t, secrets).Raw), "", 400, "cannot check GitLab of apps.gitlab.com/v2alpha1"},
		"an operation that does not exist":    {"PONDER", string(raw(t, object(t, good)).Raw), "", 400, `the operation "PONDER" of the request is none`},
		"metadata that is a text is a fault":  {admissionv1.Create, `{"apiVersion":"apps.gitlab.com/v2alpha1","kind":"GitLabCore","metadata":"x","spec":{}}`, "", 422, "metadata"},
		"a spec that is a list is a fault":    {admissionv1.Create, `{"apiVersion":"apps.gitlab.com/v2alpha1","kind":"GitLabCore","metadata":{"name":"x"},"spec":[]}`, "", 422, "spec"},
		"a missing spec is a fault":           {admissionv1.Create, `{"apiVersion":"apps.gitlab.com/v2alpha1","kind":"GitLabCore","metadata":{"name":"x"}}`, "", 422, "spec"},
		"an update that drops spec is caught": {admissionv1.Update, `{"apiVersion":"apps.gitlab.com/v2alpha1","kind":"GitLabCore","metadata":{"name":"x"}}`, string(raw(t, object(t, good)).Raw), 422, "spec"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(t, object(t, good), nil)
			req.Operation, req.Object.Raw, req.OldObject.Raw = c.operation, []byte(c.object), []byte(c.old)
			got := h.Handle(t.Context(), req)
			if got.Allowed || got.Result.Code != c.code || !strings.Contains(got.Result.Message, c.says) || got.Result.Status != metav1.StatusFailure || got.Result.Reason == "" {
				t.Errorf("answered with %+v", got.Result)
			}
		})
	}
}

// away is a cluster that does not answer.
type away struct{ facts }

var errAway = errors.New("connection refused")

func (away) Capabilities(context.Context) (plan.Capabilities, error) {
	return plan.Capabilities{}, errAway
}

func TestACheckThatCannotBeMadeIsNotTheObjectsFault(t *testing.T) {
	h := handlerOf(t, nothing)
	h.Reviewer.Facts = away{h.Reviewer.Facts.(facts)}
	got := h.Handle(t.Context(), request(t, object(t, good), nil))
	if got.Allowed || got.Result.Code != 500 || !strings.HasPrefix(got.Result.Message, "the check could not be made, so nothing was decided: try again") {
		t.Errorf("answered with %+v", got.Result)
	}
}

func TestACheckThatBreaksTakesNobodyDown(t *testing.T) {
	h := handlerOf(t, func(context.Context, render.Request) (render.Release, error) { panic("s3cret-value") })
	got := h.Handle(t.Context(), request(t, object(t, good), nil))
	if got.Allowed || got.Result.Code != 500 || strings.Contains(got.Result.Message, "s3cret-value") {
		t.Errorf("answered with %+v", got.Result)
	}
}
