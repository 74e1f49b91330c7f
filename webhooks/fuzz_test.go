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
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/portcullis-operator/portcullis/internal/render"
)

// FuzzHandle sends any bytes through the HTTP handler the webhook server runs. Whatever arrives: the process lives, the
// check itself does not break, there is an answer, a refusal says why, and the same bytes get the same answer.
func FuzzHandle(f *testing.F) {
	reviewer := reviewerOf(f, func(context.Context, render.Request) (render.Release, error) {
		return render.Release{}, &render.Error{Kind: render.Canceled, Text: "not rendered here"}
	})
	for _, seed := range seeds(f) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		answers := map[string][]byte{}
		for path := range Handlers(nil, nil) {
			for range 2 {
				verdicts := &Verdicts{TTL: time.Minute, Limit: 4, Now: time.Now}
				answer := ask(t, Handlers(reviewer, verdicts)[path], body)
				if before, known := answers[path]; known && !bytes.Equal(before, answer) {
					t.Errorf("another answer:\n%s\n%s", before, answer)
				}
				answers[path] = answer
			}
		}
	})
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

// seeds are requests as the API server sends them, and some it never would.
func seeds(f *testing.F) []string {
	f.Helper()
	review := func(version, operation, object, old string) string {
		return fmt.Sprintf(`{"apiVersion":"admission.k8s.io/%s","kind":"AdmissionReview","request":{"uid":"1","operation":%q,"namespace":"prod","name":"gitlab","object":%s,"oldObject":%s}}`,
			version, operation, object, old)
	}
	core := func(metadata, spec, status string) string {
		return fmt.Sprintf(`{"apiVersion":"apps.gitlab.com/v2alpha1","kind":"GitLabCore","metadata":%s,"spec":%s,"status":%s}`, metadata, spec, status)
	}
	const name, version = `{"name":"gitlab"}`, `{"version":{"type":"Static","version":"10.4.1"}}`
	values := func(tree string) string {
		return core(name, `{"version":{"type":"Static","version":"10.4.1"},"hostname":"gitlab.example.com","chart":{"values":`+tree+`}}`, `{}`)
	}
	plain := core(name, version, `{}`)
	return []string{
		review("v1", "CREATE", plain, "null"),
		review("v1beta1", "CREATE", plain, "null"),
		review("v1", "UPDATE", values(`{"global":{"hosts":{"domain":5}}}`), core(name, version, `{"version":"10.4.2"}`)),
		review("v1", "UPDATE", plain, core(`{"name":"gitlab","finalizers":["x"]}`, `{}`, `{"version":5}`)),
		review("v1", "DELETE", "null", plain),
		review("v1", "CREATE", core(`{"generateName":"gitlab-"}`, version, `[]`), "null"),
		review("v1", "CREATE", core(`{"name":5,"labels":{"a":5},"deletionTimestamp":"never"}`, `{"hostname":5,"version":[],"networking":{"gateway":null}}`, `5`), "null"),
		review("v1", "CREATE", core(`5`, `"x"`, `null`), "null"),
		review("v1", "CREATE", values(`{"global":{"hosts":null,"psql":"x","":{"":[1e308,-0,null]}}}`), "null"),
		review("v1", "CREATE", values(`{"registry":[],"gitlab":{"webservice":{"minReplicas":"two","extraEnv":{"A":"{{ tpl . }}"}}}}`), "null"),
		review("v1", "CREATE", values(strings.Repeat(`{"a":`, 300)+"1"+strings.Repeat("}", 300)), "null"),
		review("v1", "CREATE", core(name, `{"version":{"type":"Static","versionRef":{"kind":"ConfigMap","name":"v","key":"k"}},"chart":{"valuesFrom":[{"kind":"Secret","name":"s"}]}}`, `{}`), "null"),
		review("v1", "CREATE", strings.ReplaceAll(plain, "GitLabCore", "GitLabSecrets"), "null"),
		review("v1", "PONDER", plain, plain),
		`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":null}`,
		`{"apiVersion":"apps.gitlab.com/v2alpha1","kind":"GitLabCore"}`,
		`{"kind":`, `[]`, `null`, "\x00\xff", "",
	}
}
