package webhooks

import (
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/definition"
)

var service = Target{ServiceNamespace: "portcullis-system", ServiceName: "portcullis-webhook"}

func TestEveryRegisteredPathIsServedAndNoOther(t *testing.T) {
	served := slices.Sorted(maps.Keys(Handlers(nil, nil)))
	for name, target := range map[string]Target{"by a Service": service, "by a URL": {URL: "https://localhost:9443/"}} {
		t.Run(name, func(t *testing.T) {
			mutating, validating := Configurations(target)
			var registered []string
			add := func(c admissionregistrationv1.WebhookClientConfig) {
				if c.Service != nil {
					registered = append(registered, *c.Service.Path)
					return
				}
				u, err := url.Parse(*c.URL)
				if err != nil || u.Host != "localhost:9443" || u.Scheme != "https" {
					t.Errorf("the URL %s is wrong", *c.URL)
				}
				registered = append(registered, u.Path)
			}
			for _, w := range mutating.Webhooks {
				add(w.ClientConfig)
			}
			for _, w := range validating.Webhooks {
				add(w.ClientConfig)
			}
			slices.Sort(registered)
			if diff := cmp.Diff(served, registered); diff != "" {
				t.Errorf("paths (-served +registered):\n%s", diff)
			}
		})
	}
}

// A field that is not written is one the API server fills in, and a GitOps tool then sees a difference for ever.
func TestEveryFieldTheAPIServerWouldFillInIsWritten(t *testing.T) {
	mutating, validating := Configurations(service)
	for _, written := range []any{mutating.Webhooks[0], validating.Webhooks[0], mutating.Webhooks[0].Rules[0].Rule, *mutating.Webhooks[0].ClientConfig.Service} {
		v := reflect.ValueOf(written)
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s.%s is left to the API server", v.Type().Name(), v.Type().Field(i).Name)
			}
		}
	}
}

func TestTheManifestLeavesTheBundleToWhoInjectsIt(t *testing.T) {
	mutating, validating := Configurations(service)
	for _, c := range []any{mutating, validating} {
		text, err := yaml.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, absent := range []string{"caBundle", "creationTimestamp", "url:", "null"} {
			if strings.Contains(string(text), absent) {
				t.Errorf("the manifest writes %s:\n%s", absent, text)
			}
		}
	}
}

func TestOnlyWritesOfKnownKindsAreMatched(t *testing.T) {
	files, err := crd.Files()
	if err != nil {
		t.Fatal(err)
	}
	set, err := definition.New(files...)
	if err != nil {
		t.Fatal(err)
	}
	r := rule()
	want := []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update}
	if diff := cmp.Diff(want, r.Operations); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	known := map[string]bool{}
	for _, gvk := range set.Kinds() {
		if gvk.Group == r.APIGroups[0] && slices.Contains(r.APIVersions, gvk.Version) {
			known[strings.ToLower(gvk.Kind)+"s"] = true
		}
	}
	for _, resource := range r.Resources {
		if !known[resource] {
			t.Errorf("%s is matched and cannot be checked, so every write of it would fail", resource)
		}
	}
}
