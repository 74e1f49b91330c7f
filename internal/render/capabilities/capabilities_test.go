package capabilities

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"

	"github.com/portcullis-operator/portcullis/internal/render"
)

// server is an API server that knows discovery and nothing else. It answers what it holds; whatever it does not hold, and
// whatever a reader has no business to do, fails the test.
type server struct {
	t *testing.T
	// answers are by path. An int is a status without a body.
	answers map[string]any
	asked   atomic.Int32
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	answer, ok := s.answers[r.URL.Path]
	query := r.URL.Query()
	query.Del("timeout")
	if r.Method != http.MethodGet || !ok || len(query) > 0 {
		s.t.Errorf("unexpected request: %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if (r.URL.Path == "/api" || r.URL.Path == "/apis") && !strings.Contains(r.Header.Get("Accept"), "APIGroupDiscoveryList") {
		s.t.Errorf("%s was asked without the aggregated form: %s", r.URL.Path, r.Header.Get("Accept"))
	}
	if status, ok := answer.(int); ok {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if raw, ok := answer.(string); ok {
		w.Header().Set("Content-Type", discovery.AcceptV2)
		answer = json.RawMessage(raw)
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.t.Errorf("answering %s: %v", r.URL.Path, err)
	}
}

// client returns a discovery client of the server.
func (s *server) client() *discovery.DiscoveryClient {
	s.t.Helper()
	listening := httptest.NewServer(s)
	s.t.Cleanup(listening.Close)
	client, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: listening.URL})
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

func kinds(groupVersion string, kinds ...string) metav1.APIResourceList {
	list := metav1.APIResourceList{GroupVersion: groupVersion}
	for _, kind := range kinds {
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: strings.ToLower(kind) + "s", Kind: kind})
	}
	return list
}

func group(name string, versions ...string) metav1.APIGroup {
	g := metav1.APIGroup{Name: name}
	for _, v := range versions {
		g.Versions = append(g.Versions, metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + v, Version: v})
	}
	return g
}

// small is a cluster with two groups besides the core, in the old form of discovery.
func small(t *testing.T) *server {
	t.Helper()
	return &server{t: t, answers: map[string]any{
		"/version": version.Info{Major: "1", Minor: "37+", GitVersion: "v1.37.2"},
		"/api":     metav1.APIVersions{Versions: []string{"v1"}},
		"/apis":    metav1.APIGroupList{Groups: []metav1.APIGroup{group("metrics.k8s.io", "v1beta1"), group("apps", "v1")}},
		"/api/v1":  kinds("v1", "ConfigMap", "Secret"), "/apis/apps/v1": kinds("apps/v1", "Deployment", "Deployment"),
		"/apis/metrics.k8s.io/v1beta1": kinds("metrics.k8s.io/v1beta1", "PodMetrics"),
	}}
}

func TestEveryAPIIsListedByItsVersionAndByItsKind(t *testing.T) {
	got, err := Read(t.Context(), small(t).client())
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	want := render.Capabilities{KubeVersion: "v1.37.2", APIVersions: []string{
		"apps/v1", "apps/v1/Deployment", "metrics.k8s.io/v1beta1", "metrics.k8s.io/v1beta1/PodMetrics", "v1", "v1/ConfigMap", "v1/Secret",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
}

func TestTheAggregatedFormGivesTheSame(t *testing.T) {
	s := small(t)
	s.answers = map[string]any{
		"/version": s.answers["/version"],
		"/api": `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":""},"versions":[{"version":"v1",
			"freshness":"Current","resources":[{"resource":"configmaps","responseKind":{"kind":"ConfigMap","version":"v1"},"scope":"Namespaced"}]}]}]}`,
		"/apis": `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":"apps"},"versions":[{"version":"v1",
			"freshness":"Current","resources":[{"resource":"deployments","responseKind":{"kind":"Deployment","group":"apps","version":"v1"},"scope":"Namespaced"}]}]},
			{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]}]}`,
	}
	got, err := Read(t.Context(), s.client())
	var partial *PartialError
	if !errors.As(err, &partial) || !slices.Equal(partial.Groups, []string{"metrics.k8s.io/v1beta1"}) {
		t.Errorf("Read = %v, want a PartialError for the stale group", err)
	}
	for _, api := range []string{"v1", "v1/ConfigMap", "apps/v1", "apps/v1/Deployment"} {
		if !slices.Contains(got.APIVersions, api) {
			t.Errorf("%s is missing in %v", api, got.APIVersions)
		}
	}
}

func TestAGroupThatDoesNotAnswerIsReportedWithTheRest(t *testing.T) {
	s := small(t)
	s.answers["/apis/metrics.k8s.io/v1beta1"] = http.StatusServiceUnavailable
	got, err := Read(t.Context(), s.client())
	var partial *PartialError
	if !errors.As(err, &partial) {
		t.Fatalf("Read = %v, want a PartialError", err)
	}
	if !slices.Equal(partial.Groups, []string{"metrics.k8s.io/v1beta1"}) {
		t.Errorf("groups %v, want the one that failed", partial.Groups)
	}
	want := []string{"apps/v1", "apps/v1/Deployment", "metrics.k8s.io/v1beta1", "v1", "v1/ConfigMap", "v1/Secret"}
	if diff := cmp.Diff(want, got.APIVersions); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
}

func TestAnAnswerThatCannotBeTrustedIsAnError(t *testing.T) {
	for sentence, change := range map[string]func(map[string]any){
		"no version":           func(a map[string]any) { a["/version"] = http.StatusForbidden },
		"no groups":            func(a map[string]any) { a["/apis"] = http.StatusInternalServerError },
		"nothing at all":       func(a map[string]any) { a["/api"], a["/apis"] = metav1.APIVersions{}, metav1.APIGroupList{} },
		"no core":              func(a map[string]any) { a["/api"] = metav1.APIVersions{} },
		"a core that is empty": func(a map[string]any) { a["/api/v1"] = kinds("v1") },
		"a core that failed":   func(a map[string]any) { a["/api/v1"] = http.StatusServiceUnavailable },
	} {
		t.Run(sentence, func(t *testing.T) {
			s := small(t)
			change(s.answers)
			got, err := Read(t.Context(), s.client())
			var partial *PartialError
			if err == nil || errors.As(err, &partial) {
				t.Errorf("Read = %v, want an error that is not partial", err)
			}
			if len(got.APIVersions) > 0 {
				t.Errorf("capabilities came with the error: %v", got)
			}
		})
	}
}

func TestWhatIsCachedIsReadAnew(t *testing.T) {
	s := small(t)
	cached := memory.NewMemCacheClient(s.client())
	if _, err := Read(t.Context(), cached); err != nil {
		t.Fatalf("Read: %v", err)
	}
	s.answers["/api/v1"] = kinds("v1", "ConfigMap", "Pod")
	got, err := Read(t.Context(), cached)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	if !slices.Contains(got.APIVersions, "v1/Pod") {
		t.Errorf("the second read knows nothing of the new kind: %v", got.APIVersions)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	s := small(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, s.client()); !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %v, want the end of the context", err)
	}
	if n := s.asked.Load(); n > 0 {
		t.Errorf("%d requests were sent after the end", n)
	}
}
