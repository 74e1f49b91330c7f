package render

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/object"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// listing is the whole release in the form of the golden file.
func listing(t *testing.T, r Release) []byte {
	t.Helper()
	var out bytes.Buffer
	section := func(title string, v any) {
		data, err := yaml.Marshal(v)
		if err != nil {
			t.Fatalf("printing %s: %v", title, err)
		}
		fmt.Fprintf(&out, "# %s\n%s", title, data)
	}
	section("Objects", contents(r.Objects))
	for _, hook := range r.Hooks {
		section(fmt.Sprintf("Hook %v %d %v", hook.Events, hook.Weight, hook.DeletePolicies), hook.Object.Object)
	}
	section("Definitions", contents(r.Definitions))
	section("Notes", r.Notes)
	section("Application version", r.AppVersion)
	section("Warnings", r.Warnings)
	section("Lookups", r.Lookups)
	return out.Bytes()
}

func contents(objects []*unstructured.Unstructured) []map[string]any {
	var out []map[string]any
	for _, u := range objects {
		out = append(out, u.Object)
	}
	return out
}

func TestAReleaseHoldsWhatTheRulesOfARenderSay(t *testing.T) {
	release, err := Render(t.Context(), requestFor(beacon(t), map[string]any{
		"annotations": nil,
		"port":        int64(1000000),
		"mainlamp":    map[string]any{"colour": "red"},
		"global":      map[string]any{"harbour": "east"},
	}))
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	got := listing(t, release)
	const golden = "testdata/beacon/want.yaml"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the release differs from %s (-want +got):\n%s", golden, diff)
	}
}

func TestTheSameRequestGivesTheSameRelease(t *testing.T) {
	prepared, err := Prepare(beacon(t))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{"global": map[string]any{"spares": true}, "sparelamp": map[string]any{"enabled": nil}}
	var first []byte
	for range 20 {
		release, err := prepared.Render(t.Context(), requestFor(nil, values))
		if err != nil {
			t.Fatalf("Render: %v", err)
		}
		got := listing(t, release)
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(string(first), string(got)); diff != "" {
			t.Fatalf("a later render differs (-first +later):\n%s", diff)
		}
	}
}

func TestARenderChangesNeitherChartNorValues(t *testing.T) {
	c := beacon(t)
	prepared, err := Prepare(c)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{"keeper": map[string]any{"install": false}, "global": map[string]any{"spares": true}}
	for range 3 {
		if _, err := prepared.Render(t.Context(), requestFor(c, values)); err != nil {
			t.Fatalf("Render: %v", err)
		}
	}
	fresh, err := c.Helm()
	if err != nil {
		t.Fatal(err)
	}
	// The parents of subcharts are out of sight of the comparison; they have no content of their own.
	if diff := cmp.Diff(picture(fresh), picture(prepared.pristine)); diff != "" {
		t.Errorf("the chart was changed (-fresh +used):\n%s", diff)
	}
	want := map[string]any{"keeper": map[string]any{"install": false}, "global": map[string]any{"spares": true}}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("the values were changed (-want +got):\n%s", diff)
	}
}

func TestASwitchedOffSubchartComesBackWhenItIsSwitchedOn(t *testing.T) {
	prepared, err := Prepare(beacon(t))
	if err != nil {
		t.Fatal(err)
	}
	services := func(values map[string]any) (names []string) {
		release, err := prepared.Render(t.Context(), requestFor(nil, values))
		if err != nil {
			t.Fatalf("Render: %v", err)
		}
		for _, u := range release.Objects {
			if u.GetKind() == "Service" {
				names = append(names, u.GetName())
			}
		}
		return names
	}
	off := map[string]any{"mainlamp": map[string]any{"enabled": false}, "fromlamp": map[string]any{"lens": "none"}}
	if got := services(off); len(got) != 0 {
		t.Errorf("with the lamp off: Services %v, want none", got)
	}
	on := map[string]any{"sparelamp": map[string]any{"enabled": true}}
	if diff := cmp.Diff([]string{"pharos-mainlamp", "pharos-sparelamp"}, services(on)); diff != "" {
		t.Errorf("with both lamps on (-want +got):\n%s", diff)
	}
}

func TestLookupAnswersFromTheRequestAlone(t *testing.T) {
	key := LookupKey{APIVersion: "v1", Kind: "Secret", Namespace: "alexandria", Name: "keys"}
	req := requestFor(beacon(t), nil)
	req.Found = map[LookupKey]map[string]any{key: {"key": "the old one"}}
	release, err := Render(t.Context(), req)
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	if got := find(t, release, "Secret", "keys").Object["stringData"]; !cmp.Equal(got, map[string]any{"key": "the old one"}) {
		t.Errorf("stringData = %v, want the live key", got)
	}
	want := []LookupKey{key, {APIVersion: "v1", Kind: "ServiceAccount"}}
	if diff := cmp.Diff(want, release.Lookups); diff != "" {
		t.Errorf("recorded lookups (-want +got):\n%s", diff)
	}
}

func TestTheListOfALookupComesFromTheRequest(t *testing.T) {
	req := requestFor(beacon(t), nil)
	req.Found = map[LookupKey]map[string]any{{APIVersion: "v1", Kind: "ServiceAccount"}: {
		"kind": "ServiceAccountList", "apiVersion": "v1",
		"items": []any{map[string]any{"kind": "ServiceAccount", "apiVersion": "v1"}},
	}}
	release, err := Render(t.Context(), req)
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	if got := find(t, release, "Service", "pharos-mainlamp").GetAnnotations()["keeper"]; got != "1" {
		t.Errorf("the template counted %s items, want 1", got)
	}
}

func TestTheApplicationVersionIsReadOffTheMigrationsJob(t *testing.T) {
	for _, c := range []struct{ target, want string }{{"v19.3.2", "19.3.2"}, {"19.3.2", "19.3.2"}, {"", "2.7.1"}} {
		release, err := Render(t.Context(), requestFor(beacon(t), map[string]any{"targetVersion": c.target}))
		if err != nil {
			t.Fatalf("Render: %v", err)
		}
		if release.AppVersion != c.want {
			t.Errorf("with the label %q the version is %q, want %q", c.target, release.AppVersion, c.want)
		}
	}
}

func TestObjectsRenderedTwiceAreNamedOnce(t *testing.T) {
	objectOf := func(version, namespace, name string) string {
		return fmt.Sprintf("---\napiVersion: %s\nkind: Deployment\nmetadata: {name: %s, namespace: %q}", version, name, namespace)
	}
	release, err := Render(t.Context(), requestFor(oneTemplate(t,
		objectOf("apps/v1", "", "same"), objectOf("apps/v1", "alexandria", "same"), objectOf("apps/v1beta1", "", "same"),
		objectOf("apps/v1", "rhodes", "same"), objectOf("extensions/v1", "", "same"), objectOf("apps/v1", "", "other"),
	), nil))
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	var got []string
	for _, ref := range release.DuplicateObjects() {
		got = append(got, ref.String())
	}
	if diff := cmp.Diff([]string{"Deployment alexandria/same"}, got); diff != "" {
		t.Errorf("duplicates (-want +got):\n%s", diff)
	}
}

func TestACanceledRenderReturnsAtOnce(t *testing.T) {
	slow := oneTemplate(t, `{{ range until 1000000 }}{{ sha256sum (toString .) | trunc 0 }}{{ end }}`)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := Render(ctx, requestFor(slow, nil))
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != Canceled {
		t.Errorf("Render = %v, want an error of the kind Canceled", err)
	}
}

func TestACopyOfAReleaseSharesNothing(t *testing.T) {
	release, err := Render(t.Context(), requestFor(beacon(t), nil))
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	before := listing(t, release)
	other := release.DeepCopy()
	for _, u := range other.all() {
		u.SetName("changed")
		object.StampRelease(u, object.Release{Name: "x", Namespace: "y", Kind: "z"})
	}
	other.Hooks[0].Events[0], other.Hooks[0].DeletePolicies[0] = "changed", "changed"
	other.Definitions[0].SetName("changed")
	other.Lookups[0].Name, other.Warnings[0].Text = "changed", "changed"
	if diff := cmp.Diff(string(before), string(listing(t, release))); diff != "" {
		t.Errorf("the original changed with its copy (-before +after):\n%s", diff)
	}
}

func find(t *testing.T, r Release, kind, name string) *unstructured.Unstructured {
	t.Helper()
	for _, u := range r.all() {
		if u.GetKind() == kind && u.GetName() == name {
			return u
		}
	}
	t.Fatalf("the release has no %s %s", kind, name)
	return nil
}
