package build

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/folders"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/pins"
)

func TestTargets(t *testing.T) {
	src := folders.SourcesIn("/r")
	v := pins.Versions{Kubernetes: "v1.37.2", Etcd: "v3.7.0", Kwok: "v0.8.0"}

	var names []string
	for _, target := range Assets(src, v) {
		names = append(names, target.Name)
	}
	if want := []string{"etcd", "kube-apiserver", "kubectl"}; !slices.Equal(names, want) {
		t.Errorf("envtest looks for %v, built are %v", want, names)
	}
	for _, target := range All(src, v) {
		kubernetes := strings.HasPrefix(target.Package, "k8s.io/kubernetes/")
		if stamped := strings.Contains(target.Flags, "gitVersion=v1.37.2") && strings.Contains(target.Flags, "gitMinor=37"); stamped != kubernetes {
			t.Errorf("%s: version stamp: want %v, got %v", target.Name, kubernetes, stamped)
		}
	}
}

func TestEnvironmentBuildsForThisMachineWhateverTheCallerSet(t *testing.T) {
	got := environment([]string{"GOOS=plan9", "CGO_ENABLED=1", "HOME=/h"})
	for _, banned := range []string{"GOOS=plan9", "CGO_ENABLED=1"} {
		if slices.Contains(got, banned) {
			t.Errorf("%s was kept", banned)
		}
	}
	for _, wanted := range []string{"HOME=/h", "CGO_ENABLED=0", "GOWORK=off"} {
		if !slices.Contains(got, wanted) {
			t.Errorf("%s is missing", wanted)
		}
	}
}

func TestEnsure(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), "module example.org/hello\n\ngo 1.26.0\n")
	write(t, filepath.Join(root, "main.go"), "package main\n\nfunc main() {}\n")
	write(t, filepath.Join(root, "broken", "main.go"), "package main\n\nfunc main() { nonsense }\n")
	cache := folders.CacheFor(root, "k")
	good := Target{Name: "hello", Module: root, Package: ".", Flags: "-s -w"}
	bad := Target{Name: "broken", Module: root, Package: "./broken", Flags: "-s -w"}

	var failure *Error
	err := Ensure(t.Context(), io.Discard, cache, []Target{good, bad})
	if !errors.As(err, &failure) || !strings.Contains(failure.Output, "nonsense") {
		t.Fatalf("a failed build shows what the compiler said: got %v", err)
	}
	if got := missing(cache, []Target{good, bad}); len(got) != 1 || got[0].Name != "broken" {
		t.Fatalf("what was built before the failure is kept, and nothing half: missing %v", got)
	}

	write(t, filepath.Join(root, "broken", "main.go"), "package main\n\nfunc main() {}\n")
	write(t, filepath.Join(root, "main.go"), "package main\n\nfunc main() { nonsense }\n")
	if err := Ensure(t.Context(), io.Discard, cache, []Target{good, bad}); err != nil {
		t.Fatalf("only what is missing is built: got %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
