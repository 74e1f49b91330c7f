package object_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// made returns an object of a kind, named so that its place can be followed through a sort.
func made(apiVersion, kind, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name},
	}}
}

func names(objects []*unstructured.Unstructured) []string {
	var out []string
	for _, u := range objects {
		out = append(out, u.GetKind()+"/"+u.GetName())
	}
	return out
}

func TestInstallOrder(t *testing.T) {
	tests := map[string]struct {
		given, want []*unstructured.Unstructured
	}{
		"what pods mount comes before the pods, and routes come last": {
			given: []*unstructured.Unstructured{
				made("gateway.networking.k8s.io/v1", "HTTPRoute", "r"), made("apps/v1", "Deployment", "d"),
				made("v1", "ConfigMap", "c"), made("v1", "ServiceAccount", "s"),
			},
			want: []*unstructured.Unstructured{
				made("v1", "ServiceAccount", "s"), made("v1", "ConfigMap", "c"), made("apps/v1", "Deployment", "d"),
				made("gateway.networking.k8s.io/v1", "HTTPRoute", "r"),
			},
		},
		"kinds nobody listed are ordered by name after the listed ones": {
			given: []*unstructured.Unstructured{
				made("x.io/v1", "Zebra", "z"), made("x.io/v1", "Aardvark", "a"), made("networking.k8s.io/v1", "Ingress", "i"),
			},
			want: []*unstructured.Unstructured{
				made("networking.k8s.io/v1", "Ingress", "i"), made("x.io/v1", "Aardvark", "a"), made("x.io/v1", "Zebra", "z"),
			},
		},
		"objects of one kind keep the order they were rendered in": {
			given: []*unstructured.Unstructured{
				made("v1", "Secret", "b"), made("v1", "Namespace", "n"), made("v1", "Secret", "a"),
			},
			want: []*unstructured.Unstructured{
				made("v1", "Namespace", "n"), made("v1", "Secret", "b"), made("v1", "Secret", "a"),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object.SortInstall(test.given)
			if diff := cmp.Diff(names(test.want), names(test.given)); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHelmUsersFindTheOrderTheyKnow(t *testing.T) {
	order := append(slices.Clone([]string(releaseutil.InstallOrder)), "AKindNobodyListed")
	var want, given []*unstructured.Unstructured
	for _, kind := range order {
		want = append(want, made("v1", kind, ""))
	}
	given = slices.Clone(want)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(given), func(i, j int) { given[i], given[j] = given[j], given[i] })
	object.SortInstall(given)
	if diff := cmp.Diff(names(want), names(given)); diff != "" {
		t.Errorf("order (-Helm's +ours):\n%s", diff)
	}
}

func TestUninstallIsExactlyTheReverseOfInstall(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := append(slices.Clone([]string(releaseutil.InstallOrder)), "HTTPRoute", "GatewayClass", "Gateway")
	for range 200 {
		var up []*unstructured.Unstructured
		for i := range random.IntN(30) {
			up = append(up, made("v1", kinds[random.IntN(len(kinds))], string(rune('a'+i))))
		}
		down := slices.Clone(up)
		object.SortInstall(up)
		object.SortUninstall(down)
		slices.Reverse(down)
		if diff := cmp.Diff(names(up), names(down)); diff != "" {
			t.Fatalf("reverse of uninstall differs from install (-install +reversed):\n%s", diff)
		}
	}
}
