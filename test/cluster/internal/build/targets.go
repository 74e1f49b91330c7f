// Package build turns the pinned modules into programs. Effect: it runs "go build" and writes the
// cache folder. The one idea: a program appears in the cache under its name only when it is whole
// (it is renamed into place), so "the file exists" means "the file is usable".
package build

import (
	"github.com/portcullis-operator/portcullis/test/cluster/internal/folders"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/pins"
)

// Target is a program to build.
type Target struct {
	Name    string // of the file in the cache
	Version string
	Module  string // folder to run "go build" in
	Package string
	Flags   string // for the linker
	Usual   string // how long it takes the first time on two cores, to tell the reader
}

// Assets are the programs that controller-runtime's envtest looks for.
func Assets(src folders.Sources, v pins.Versions) []Target {
	k8s := kubernetesFlags(v)
	return []Target{
		{"etcd", v.Etcd, src.ControlPlane, "go.etcd.io/etcd/server/v3", "-s -w", "2 minutes"},
		{"kube-apiserver", v.Kubernetes, src.ControlPlane, "k8s.io/kubernetes/cmd/kube-apiserver", k8s, "9 minutes"},
		{"kubectl", v.Kubernetes, src.ControlPlane, "k8s.io/kubernetes/cmd/kubectl", k8s, "1 minute"},
	}
}

// All are the programs of a whole cluster, Assets first.
func All(src folders.Sources, v pins.Versions) []Target {
	k8s := kubernetesFlags(v)
	return append(Assets(src, v),
		Target{"kube-controller-manager", v.Kubernetes, src.ControlPlane, "k8s.io/kubernetes/cmd/kube-controller-manager", k8s, "3 minutes"},
		Target{"kube-scheduler", v.Kubernetes, src.ControlPlane, "k8s.io/kubernetes/cmd/kube-scheduler", k8s, "1 minute"},
		Target{"kwok", v.Kwok, src.Kwok, "sigs.k8s.io/kwok/cmd/kwok", "-s -w", "3 minutes"},
	)
}

// kubernetesFlags stamps the version into a Kubernetes program. Without the stamp the API server
// reports no version, and every chart that asks for a minimum version refuses to render.
func kubernetesFlags(v pins.Versions) string {
	const version = " -X k8s.io/component-base/version."
	major, minor := v.MajorMinor()
	return "-s -w" + version + "gitVersion=" + v.Kubernetes + version + "gitMajor=" + major + version + "gitMinor=" + minor
}

// arguments are those of the go command for one target. Each flag that a GOFLAGS variable of the
// user could spoil is set here.
func arguments(t Target, output string) []string {
	return []string{
		"build", "-mod=readonly", "-trimpath", "-race=false", "-buildvcs=false",
		"-ldflags", t.Flags, "-o", output, t.Package,
	}
}
