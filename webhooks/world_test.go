package webhooks

import (
	"context"
	"encoding/json"
	"maps"
	"testing"
	"testing/fstest"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/internal/testing/neighbours"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// facts are a cluster with a few charts and no referenced objects.
type facts struct {
	neighbours.Known
	catalogue *chart.Catalogue
	served    render.Capabilities
}

func (f facts) Chart(ref chart.Ref) (*chart.Chart, error) { return f.catalogue.Open(ref) }

func (facts) ConfigMap(context.Context, string, string) (plan.Content, error) {
	return plan.Content{Presence: plan.Missing}, nil
}

func (facts) Secret(context.Context, string, string) (plan.Content, error) {
	return plan.Content{Presence: plan.Missing}, nil
}

func (f facts) Capabilities(context.Context) (plan.Capabilities, error) {
	return plan.Capabilities{Capabilities: f.served, Assumed: true}, nil
}

// rendererFunc renders as it is told.
type rendererFunc func(context.Context, render.Request) (render.Release, error)

func (f rendererFunc) Render(ctx context.Context, req render.Request) (render.Release, error) {
	return f(ctx, req)
}

// nothing is a render with nothing in it.
func nothing(context.Context, render.Request) (render.Release, error) { return render.Release{}, nil }

// reviewerOf returns the real check over the test charts.
func reviewerOf(tb testing.TB, renderer rendererFunc) *admit.Reviewer {
	tb.Helper()
	files, err := crd.Files()
	if err != nil {
		tb.Fatal(err)
	}
	set, err := definition.New(files...)
	if err != nil {
		tb.Fatal(err)
	}
	folder := fstest.MapFS{}
	for _, version := range []string{"10.3.0", "10.4.0", "10.4.1", "10.5.0"} {
		archive, err := charts.Archive(version)
		if err != nil {
			tb.Fatal(err)
		}
		folder["gitlab-"+version+".tgz"] = &fstest.MapFile{Data: archive}
	}
	catalogue, problems := chart.OpenCatalogue(folder, chart.DefaultLimits())
	if len(problems) > 0 {
		tb.Fatalf("the chart cannot be used: %v", problems)
	}
	return &admit.Reviewer{
		Definitions: set,
		Tools:       plan.Tools{Schemas: schema.NewChecker(), Renderer: renderer},
		Facts:       facts{catalogue: catalogue, served: render.BuiltIn("v1.37.2")},
		Settings:    derive.Settings{ManagerServiceAccount: "gitlab-manager"},
	}
}

// handlerOf returns the entry that is asked first.
func handlerOf(tb testing.TB, renderer rendererFunc) *Handler {
	tb.Helper()
	return &Handler{Reviewer: reviewerOf(tb, renderer), Verdicts: memory(), Warn: true}
}

func memory() *Verdicts { return &Verdicts{TTL: 10 * time.Second, Limit: 16, Now: time.Now} }

// object reads YAML.
func object(tb testing.TB, text string) *unstructured.Unstructured {
	tb.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		tb.Fatal(err)
	}
	return u
}

const good = `
apiVersion: apps.gitlab.com/v2alpha1
kind: GitLabCore
metadata: {name: gitlab, namespace: prod}
spec:
  version: {type: Static, version: 10.4.1}
  hostname: gitlab.example.com
`

// changed is the good object with another spec.
func changed(tb testing.TB, with map[string]any) *unstructured.Unstructured {
	tb.Helper()
	u := object(tb, good)
	maps.Copy(u.Object["spec"].(map[string]any), with)
	return u
}

// request is what the API server asks. Stored is nil for a new object.
func request(tb testing.TB, next, stored *unstructured.Unstructured) admission.Request {
	tb.Helper()
	req := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{UID: "1", Namespace: "prod", Operation: admissionv1.Create}}
	req.Object = raw(tb, next)
	if stored != nil {
		req.Operation, req.OldObject = admissionv1.Update, raw(tb, stored)
	}
	return req
}

func raw(tb testing.TB, u *unstructured.Unstructured) runtime.RawExtension {
	tb.Helper()
	text, err := json.Marshal(u.Object)
	if err != nil {
		tb.Fatal(err)
	}
	return runtime.RawExtension{Raw: text}
}
