package floors

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/portcullis-operator/portcullis"

func TestEveryImportOfTheModuleGoesDown(t *testing.T) {
	found, err := Check(os.DirFS("../.."), module)
	if err != nil {
		t.Fatal(err)
	}
	for _, sentence := range found {
		t.Error(sentence)
	}
}

func TestEveryRowOfTheTableHasItsPackage(t *testing.T) {
	found, err := Vacant(os.DirFS("../.."), module)
	if err != nil {
		t.Fatal(err)
	}
	for _, sentence := range found {
		t.Error(sentence)
	}
	found, err = Vacant(fstest.MapFS{"internal/values/a.go": file(), "internal/controller/siphon/a.go": file(), "internal/chart/a_test.go": file()}, module)
	if err != nil {
		t.Fatal(err)
	}
	for row, stands := range map[string]bool{"internal/values": true, "internal/controller/*": true, "internal/chart": false, "cmd/manager": false} {
		vacant := slices.ContainsFunc(found, func(sentence string) bool { return strings.HasPrefix(sentence, row+" is in the table") })
		if vacant == stands {
			t.Errorf("%s is reported: %v", row, vacant)
		}
	}
}

func TestTheTableHoldsEachPackageOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range table() {
		if seen[r.path] {
			t.Errorf("%s is in the table twice", r.path)
		}
		seen[r.path] = true
	}
	for _, root := range sealedCones() {
		if !seen[root] {
			t.Errorf("%s is sealed but not in the table", root)
		}
	}
}

// file writes a Go file of a package that imports the given paths.
func file(imports ...string) *fstest.MapFile {
	var b strings.Builder
	b.WriteString("package p\n")
	for _, i := range imports {
		b.WriteString("import _ \"" + strings.Replace(i, "@", module+"/", 1) + "\"\n")
	}
	return &fstest.MapFile{Data: []byte(b.String())}
}

func body(code string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("package p\n" + code)}
}

func TestCheckFinds(t *testing.T) {
	for name, c := range map[string]struct {
		tree fstest.MapFS
		want []string
	}{
		"nothing in a tree that keeps the rules": {
			tree: fstest.MapFS{
				"internal/values/a.go":           file("fmt"),
				"internal/derive/a.go":           file("@internal/values", "net/url"),
				"internal/values/generate.go":    {Data: []byte("//go:build ignore\n\npackage main\nimport \"os\"\n")},
				"internal/render/a.go":           file("@internal/values", "k8s.io/client-go/dynamic"),
				"internal/render/hookexec/a.go":  file("@internal/render", "sigs.k8s.io/controller-runtime/pkg/client"),
				"internal/release/a.go":          file("@internal/render/hookexec"),
				"webhooks/a.go":                  file("sigs.k8s.io/controller-runtime/pkg/webhook/admission", "net/http"),
				"internal/testing/expect/a.go":   file("@internal/values"),
				"internal/derive/a_test.go":      file("@internal/testing/expect"),
				"test/envtest/status/helpers.go": file("@internal/testing/expect"),
				"tools/task/go.mod":              {Data: []byte("module x\n")},
				"tools/task/main.go":             file("@internal/testing/expect"),
				"api/apps/v2alpha1/a.go":         file("k8s.io/apimachinery/pkg/apis/meta/v1"),
			},
		},
		"an import that goes up": {
			tree: fstest.MapFS{
				"internal/plan/a.go":  file("@internal/admit"),
				"internal/admit/a.go": file(),
			},
			want: []string{"internal/plan (floor 3) may not import internal/admit (floor 4); move the shared type to floor 0"},
		},
		"an import of the same floor": {
			tree: fstest.MapFS{"internal/derive/a.go": file("@internal/chart"), "internal/chart/a.go": file()},
			want: []string{"internal/derive (floor 1) may not import internal/chart (floor 1); move the shared type to floor 0"},
		},
		"an import that goes up in a file behind a build tag": {
			tree: fstest.MapFS{
				"internal/values/a.go": file(),
				"internal/values/b.go": {Data: []byte("//go:build bridge\n\npackage p\nimport _ \"" + module + "/internal/derive\"\n")},
				"internal/derive/a.go": file(),
			},
			want: []string{"internal/values (floor 0) may not import internal/derive (floor 1); move the shared type to floor 0"},
		},
		"a package that is not in the table": {
			tree: fstest.MapFS{"internal/util/a.go": file()},
			want: []string{"internal/util has no floor; add it to the table in internal/floors/table.go and say what it may touch"},
		},
		"an effect that knows a kind of ours": {
			tree: fstest.MapFS{"internal/apply/a.go": file("@api/apps/v2alpha1"), "api/apps/v2alpha1/a.go": file()},
			want: []string{"internal/apply is an effect and may not import api/apps/v2alpha1; take what it needs as a parameter"},
		},
		"a client in a pure package": {
			tree: fstest.MapFS{"internal/readiness/a.go": file("sigs.k8s.io/controller-runtime/pkg/client")},
			want: []string{"internal/readiness may not import sigs.k8s.io/controller-runtime/pkg/client: it takes values and returns values; move the call to an effect package"},
		},
		"the environment in a pure package": {
			tree: fstest.MapFS{"internal/chart/a.go": file("os")},
			want: []string{"internal/chart may not import os: it takes values and returns values; move the call to an effect package"},
		},
		"third-party code in an API group": {
			tree: fstest.MapFS{"api/apps/v2alpha1/a.go": file("helm.sh/helm/v3/pkg/chart")},
			want: []string{"api/apps/v2alpha1 may not import helm.sh/helm/v3/pkg/chart: a published API group uses the Kubernetes type libraries only"},
		},
		"an effect below a sealed package, two imports away": {
			tree: fstest.MapFS{
				"cmd/portcullis/a.go":   file("@internal/facts"),
				"internal/facts/a.go":   file("@internal/refs"),
				"internal/refs/a.go":    file(),
				"internal/cli/a.go":     file(),
				"internal/release/a.go": file("@internal/refs"),
			},
			want: []string{"cmd/portcullis must not reach the effect internal/refs: cmd/portcullis -> internal/facts -> internal/refs"},
		},
		"a reason written by hand in each of its forms": {
			tree: fstest.MapFS{"internal/values/a.go": body(`
var a = outcome.Wait{Reason: "A"}
var b = metav1.Condition{Type: "Ready", Reason: "B"}
var c = outcome.Reason("C")
const d outcome.Reason = "D"
func f() { x.Reason = "E"; x.Reason = ""; x.Reason = "a sentence is fine" }
var fine = Change{Reason: "G"}
`)},
			want: []string{
				`internal/values/a.go:3:30 writes the reason "A" by hand; name it as a constant in api/ and use that`,
				`internal/values/a.go:4:49 writes the reason "B" by hand; name it as a constant in api/ and use that`,
				`internal/values/a.go:5:24 writes the reason "C" by hand; name it as a constant in api/ and use that`,
				`internal/values/a.go:6:26 writes the reason "D" by hand; name it as a constant in api/ and use that`,
				`internal/values/a.go:7:23 writes the reason "E" by hand; name it as a constant in api/ and use that`,
			},
		},
		"no reason written by hand where reasons live": {
			tree: fstest.MapFS{"api/apps/v2alpha1/a.go": body(`const d outcome.Reason = "D"`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Check(c.tree, module)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
