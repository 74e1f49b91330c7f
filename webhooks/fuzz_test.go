package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/render"
)

// FuzzHandle sends any bytes through the HTTP handler the webhook server runs. Whatever arrives: the process lives, the
// check itself does not break, there is an answer, a refusal says why, and the same bytes get the same answer.
func FuzzHandle(f *testing.F) {
	reviewer := reviewerOf(f, func(context.Context, render.Request) (render.Release, error) {
		return render.Release{}, &render.Error{Kind: render.Canceled, Text: "not rendered here"}
	})
	for _, seed := range seeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { askTwice(t, reviewer, body) })
}

// FuzzObject puts any spec, and any stored one, into a request that is otherwise as the API server sends it: nearly all
// bytes that FuzzHandle tries end at the decoder, these reach the check.
func FuzzObject(f *testing.F) {
	reviewer := reviewerOf(f, func(context.Context, render.Request) (render.Release, error) {
		return render.Release{}, &render.Error{Kind: render.Canceled, Text: "not rendered here"}
	})
	for _, spec := range specs() {
		f.Add([]byte(spec), []byte(""))
		f.Add([]byte(spec), []byte(`{"version":{"type":"Static","version":"10.4.0"}}`))
	}
	f.Fuzz(func(t *testing.T, spec, stored []byte) {
		if !json.Valid(spec) || (len(stored) > 0 && !json.Valid(stored)) {
			return
		}
		body := reviewOf("v1", "CREATE", coreOf(`{"name":"gitlab"}`, string(spec), `{}`), "null")
		if len(stored) > 0 {
			body = reviewOf("v1", "UPDATE", coreOf(`{"name":"gitlab"}`, string(spec), `{}`), coreOf(`{"name":"gitlab"}`, string(stored), `{"version":"10.4.0"}`))
		}
		askTwice(t, reviewer, []byte(body))
	})
}

// askTwice asks both entries twice, with no memory of each other, and wants one answer of each.
func askTwice(t *testing.T, reviewer *admit.Reviewer, body []byte) {
	t.Helper()
	for path := range Handlers(nil, nil) {
		var before []byte
		for range 2 {
			answer := ask(t, Handlers(reviewer, memory())[path], body)
			if before != nil && !bytes.Equal(before, answer) {
				t.Errorf("another answer:\n%s\n%s", before, answer)
			}
			before = answer
		}
	}
}

func ask(t *testing.T, handler http.Handler, body []byte) []byte {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, req)
	answer, err := io.ReadAll(recorder.Result().Body)
	if err != nil || recorder.Code != http.StatusOK {
		t.Fatalf("HTTP %d: %v", recorder.Code, err)
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(answer, &review); err != nil || review.Response == nil {
		t.Fatalf("no answer: %v\n%s", err, answer)
	}
	r := review.Response
	if !r.Allowed && (r.Result == nil || r.Result.Message == "" || r.Result.Code < 400) {
		t.Errorf("refused without a word: %s", answer)
	}
	if r.Result != nil && (strings.Contains(r.Result.Message, "[recovered]") || strings.Contains(r.Result.Message, errBroken.Error())) {
		t.Errorf("the check broke: %s", answer)
	}
	return answer
}

// reviewOf is a request as the API server sends it.
func reviewOf(version, operation, object, old string) string {
	return fmt.Sprintf(`{"apiVersion":"admission.k8s.io/%s","kind":"AdmissionReview","request":{"uid":"1","operation":%q,"namespace":"prod","name":"gitlab","object":%s,"oldObject":%s}}`,
		version, operation, object, old)
}

func coreOf(metadata, spec, status string) string {
	return fmt.Sprintf(`{"apiVersion":"apps.gitlab.com/v2alpha1","kind":"GitLabCore","metadata":%s,"spec":%s,"status":%s}`, metadata, spec, status)
}

// specs are a good one and some nobody would write.
func specs() []string {
	const head = `"version":{"type":"Static","version":"10.4.1"},"hostname":"gitlab.example.com"`
	return []string{
		`{` + head + `}`,
		`{` + head + `,"chart":{"values":{"global":{"hosts":{"domain":5}}}}}`,
		`{` + head + `,"chart":{"values":{"global":{"hosts":null,"psql":"x","":{"":[1e308,-0,null]}}}}}`,
		`{` + head + `,"chart":{"values":{"registry":[],"prometheus":false,"gitlab":{"webservice":{"minReplicas":"two","extraEnv":{"A":"{{ tpl . }}"}}}}}}`,
		`{` + head + `,"chart":{"values":` + strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300) + `}}`,
		`{"version":{"type":"Static","versionRef":{"kind":"ConfigMap","name":"v","key":"k"}},"chart":{"valuesFrom":[{"kind":"Secret","name":"s"}]}}`,
		`{"hostname":5,"version":[],"networking":{"gateway":null,"gatewayClass":{}},"postgresql":{"host":""},"upgrade":[]}`,
		`{"edition":"premium","clickhouse":{"url":"http://a:b@c"},"openbao":{"port":70000},"orbitRef":{"name":""}}`,
		`[]`, `"x"`, `null`, `5`,
	}
}

// seeds are requests as the API server sends them, and some it never would.
func seeds() []string {
	const name, version = `{"name":"gitlab"}`, `{"version":{"type":"Static","version":"10.4.1"}}`
	plain := coreOf(name, version, `{}`)
	out := []string{
		reviewOf("v1beta1", "CREATE", plain, "null"),
		reviewOf("v1", "UPDATE", plain, coreOf(`{"name":"gitlab","finalizers":["x"]}`, `{}`, `{"version":5}`)),
		reviewOf("v1", "DELETE", "null", plain),
		reviewOf("v1", "CREATE", coreOf(`{"generateName":"gitlab-"}`, version, `[]`), "null"),
		reviewOf("v1", "CREATE", coreOf(`{"name":5,"labels":{"a":5},"deletionTimestamp":"never"}`, version, `5`), "null"),
		reviewOf("v1", "CREATE", coreOf(`5`, `"x"`, `null`), "null"),
		reviewOf("v1", "CREATE", strings.ReplaceAll(plain, "GitLabCore", "GitLabSecrets"), "null"),
		reviewOf("v1", "PONDER", plain, plain),
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":null}`,
		`{"apiVersion":"apps.gitlab.com/v2alpha1","kind":"GitLabCore"}`,
		`{"kind":`, `[]`, `null`, "\x00\xff", "",
	}
	for _, spec := range specs() {
		out = append(out, reviewOf("v1", "CREATE", coreOf(name, spec, `{}`), "null"))
	}
	return out
}
