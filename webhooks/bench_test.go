package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	// callers is how many requests are under way at once.
	callers = 50
	// callsEach is how many requests one caller makes in a round.
	callsEach = 4
)

// BenchmarkAdmission is row 2 of the speed table: the full check without the render, warm, through HTTP and TLS on
// loopback, against an empty webhook handler in the same server and the same rounds. Every request is about another
// object, so nothing is answered from memory.
func BenchmarkAdmission(b *testing.B) {
	mux := http.NewServeMux()
	for path, handler := range Handlers(reviewerOf(b, nothing), &Verdicts{TTL: time.Second, Limit: 64, Now: time.Now}) {
		mux.Handle(path, handler)
	}
	mux.Handle("/empty", &webhook.Admission{Handler: admission.HandlerFunc(func(context.Context, admission.Request) admission.Response {
		return admission.Allowed("")
	})})
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	client := server.Client()
	client.Transport.(*http.Transport).MaxIdleConnsPerHost = callers

	n := 0
	measure := func(path string) []time.Duration {
		bodies := make([][]byte, callers*callsEach)
		for i := range bodies {
			n++
			bodies[i] = review(b, n)
		}
		return round(b, client, server.URL+path, bodies)
	}
	measure("/empty")
	measure(PathMutateApps)
	var empty, full []time.Duration
	for b.Loop() {
		empty = append(empty, measure("/empty")...)
		full = append(full, measure(PathMutateApps)...)
	}
	b.ReportMetric(percentile(full, 99).Seconds()*1000, "ms-full-p99")
	b.ReportMetric(percentile(empty, 99).Seconds()*1000, "ms-empty-p99")
	b.ReportMetric(percentile(full, 50).Seconds()*1000, "ms-full-p50")
	b.ReportMetric(float64(percentile(full, 99))/float64(percentile(empty, 99)), "x-empty-p99")
}

// round sends the bodies, callers at a time, and returns how long each answer took.
func round(b *testing.B, client *http.Client, url string, bodies [][]byte) []time.Duration {
	b.Helper()
	took := make([]time.Duration, len(bodies))
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for i := caller; i < len(bodies); i += callers {
				start := time.Now()
				if err := send(client, url, bodies[i]); err != nil {
					b.Error(err)
				}
				took[i] = time.Since(start)
			}
		})
	}
	all.Wait()
	return took
}

func send(client *http.Client, url string, body []byte) error {
	answer, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	var got admissionv1.AdmissionReview
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if got.Response == nil || !got.Response.Allowed {
		return fmt.Errorf("refused: %+v", got.Response)
	}
	return nil
}

// review is a request about an object of its own, with a few free-form values.
func review(b *testing.B, n int) []byte {
	b.Helper()
	core := changed(b, map[string]any{
		"hostname": fmt.Sprintf("gitlab-%d.example.com", n),
		"chart": map[string]any{"values": map[string]any{
			"prometheus": map[string]any{"install": false},
			"gitlab":     map[string]any{"webservice": map[string]any{"minReplicas": int64(2 + n%7)}},
		}},
	})
	req := request(b, core, nil).AdmissionRequest
	req.UID = types.UID(strconv.Itoa(n))
	text, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"}, Request: &req,
	})
	if err != nil {
		b.Fatal(err)
	}
	return text
}

func percentile(took []time.Duration, p int) time.Duration {
	slices.Sort(took)
	return took[min(len(took)-1, len(took)*p/100)]
}
