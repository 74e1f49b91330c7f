package definition_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// sample returns the sample of a kind.
func sample(t *testing.T, kind string) *unstructured.Unstructured {
	t.Helper()
	for _, u := range samples(t) {
		if u.GetKind() == kind {
			return u
		}
	}
	t.Fatalf("there is no sample of %s", kind)
	return nil
}

// The broken files say where a bound refuses; these say that it does not refuse too early.
func TestWhatAnAddOnMayHold(t *testing.T) {
	spec := func(path ...string) func(any) func(*unstructured.Unstructured) {
		return func(value any) func(*unstructured.Unstructured) {
			return func(u *unstructured.Unstructured) {
				at := append([]string{"spec"}, path...)
				if value == nil {
					unstructured.RemoveNestedField(u.Object, at...)
					return
				}
				if err := unstructured.SetNestedField(u.Object, value, at...); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	name := func(n int) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { u.SetName(strings.Repeat("a", n)) }
	}
	reference := map[string]any{"type": "Static", "versionRef": map[string]any{"kind": "ConfigMap", "name": "versions", "key": "orbit"}}
	tests := map[string]struct {
		kind   string
		change func(*unstructured.Unstructured)
	}{
		"a Siphon with the longest name":            {"Siphon", name(31)},
		"an Orbit with the longest name":            {"Orbit", name(44)},
		"a Siphon whose version is in a ConfigMap":  {"Siphon", spec("version")(reference)},
		"an Orbit whose version is in a ConfigMap":  {"Orbit", spec("version")(reference)},
		"a source with a host of one label":         {"Siphon", spec("source", "host")("postgresql")},
		"the largest advisory lock":                 {"Siphon", spec("source", "advisoryLockID")(int64(2147483647))},
		"several servers of one queue":              {"Siphon", spec("queue", "url")("nats://a.example.com:4222,nats://b.example.com:4222")},
		"a queue without certificates":              {"Siphon", spec("queue", "tls")(nil)},
		"a sink at another port":                    {"Siphon", spec("sink", "port")(int64(9440))},
		"no word about tables":                      {"Siphon", spec("tables")(nil)},
		"an Orbit without TLS":                      {"Orbit", spec("tls")(nil)},
		"a graph without a port":                    {"Orbit", spec("graph", "port")(nil)},
		"any value of the chart, refused or not":    {"Orbit", spec("chart", "values")(map[string]any{"dashboards": map[string]any{"enabled": true}})},
		"the database a Siphon has when none named": {"Siphon", spec("source", "database")(nil)},
	}
	set := ours(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			stored, fresh := sample(t, tc.kind), sample(t, tc.kind)
			tc.change(fresh)
			if faults := append(set.Check(fresh, nil), set.Unknown(fresh)...); len(faults) > 0 {
				t.Errorf("created: %v", faults)
			}
			if fresh.GetName() != stored.GetName() {
				return
			}
			if faults := set.Check(fresh, stored); len(faults) > 0 {
				t.Errorf("updated: %v", faults)
			}
		})
	}
}
