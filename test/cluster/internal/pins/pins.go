// Package pins reads the versions of the cluster's programs off the go.mod files that pin them.
// Pure. The one idea: a version is written down once, in the go.mod that the build uses, and
// everything else (cache folder, version stamped into the programs) follows from it.
package pins

import (
	"errors"
	"fmt"
	"strings"
)

// The modules whose versions name the cluster.
const (
	kubernetesModule = "k8s.io/kubernetes"
	etcdModule       = "go.etcd.io/etcd/server/v3"
	kwokModule       = "sigs.k8s.io/kwok"
)

// ErrNotPinned says that a go.mod does not require a module that the cluster is built from.
var ErrNotPinned = errors.New("module is not pinned")

// Versions holds the version of each program's module, with its leading "v".
type Versions struct {
	Kubernetes string
	Etcd       string
	Kwok       string
}

// Parse reads the versions off the text of the two go.mod files. It fails with ErrNotPinned when
// one of the three modules is missing.
func Parse(controlPlane, kwok string) (Versions, error) {
	var v Versions
	var err error
	if v.Kubernetes, err = required(controlPlane, kubernetesModule); err != nil {
		return Versions{}, fmt.Errorf("read controlplane/go.mod: %w", err)
	}
	if v.Etcd, err = required(controlPlane, etcdModule); err != nil {
		return Versions{}, fmt.Errorf("read controlplane/go.mod: %w", err)
	}
	if v.Kwok, err = required(kwok, kwokModule); err != nil {
		return Versions{}, fmt.Errorf("read kwok/go.mod: %w", err)
	}
	return v, nil
}

// Key names the folder that holds the programs of exactly these versions.
func (v Versions) Key() string {
	return "kubernetes-" + v.Kubernetes + "_etcd-" + v.Etcd + "_kwok-" + v.Kwok
}

// MajorMinor splits the Kubernetes version into the two numbers that its version stamp wants.
func (v Versions) MajorMinor() (major, minor string) {
	parts := strings.SplitN(strings.TrimPrefix(v.Kubernetes, "v"), ".", 3)
	if len(parts) < 2 {
		return "", ""
	}
	return parts[0], parts[1]
}

// required finds the line that requires module. A replace line starts with the same word, but its
// second word is an arrow and not a version.
func required(goMod, module string) (string, error) {
	for line := range strings.Lines(goMod) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(words) >= 2 && words[0] == module && strings.HasPrefix(words[1], "v") {
			return words[1], nil
		}
	}
	return "", fmt.Errorf("%s: %w", module, ErrNotPinned)
}
