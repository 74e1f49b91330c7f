// Package folders knows where everything of the test cluster lies: sources, the cache of built
// programs, and the data of each named cluster. Pure but for Root, which looks at the disk.
package folders

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

var (
	// ErrNoRepository says that no folder above the working directory holds this program's sources.
	ErrNoRepository = errors.New("not inside the repository")
	// ErrName says that a cluster name cannot be a folder name.
	ErrName = errors.New("not a cluster name")
)

// Sources are the folders that the programs are built from.
type Sources struct {
	Module       string // test/cluster itself
	ControlPlane string
	Kwok         string
	Stages       string // how simulated nodes and pods live
}

// Cache holds the programs of one set of versions.
type Cache struct {
	Bin  string // the programs, and nothing else that a user needs
	Logs string // output of the builds
	Lock string
}

// Run holds the data of one named cluster.
type Run struct {
	Folder     string
	EtcdData   string
	PKI        string
	Logs       string
	Lock       string
	State      string
	Stages     string
	Kubeconfig string // for people, full rights
	Clients    string // kubeconfigs of the cluster's own programs
}

// Root finds the repository: the nearest folder at or above start that holds the pins.
func Root(start string) (string, error) {
	dir, err := filepath.Abs(start)
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(SourcesIn(dir).ControlPlane, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("%s has no test/cluster/controlplane/go.mod in it or above it: %w", start, ErrNoRepository)
		}
		dir = parent
	}
}

// SourcesIn returns the source folders of the repository at root.
func SourcesIn(root string) Sources {
	module := filepath.Join(root, "test", "cluster")
	return Sources{
		Module:       module,
		ControlPlane: filepath.Join(module, "controlplane"),
		Kwok:         filepath.Join(module, "kwok"),
		Stages:       filepath.Join(module, "kwok", "stages.yaml"),
	}
}

// CacheFor returns the cache folder of the versions that key names.
func CacheFor(root, key string) Cache {
	dir := filepath.Join(root, ".cache", "cluster", key)
	return Cache{
		Bin:  filepath.Join(dir, "bin"),
		Logs: filepath.Join(dir, "logs"),
		Lock: filepath.Join(dir, "build.lock"),
	}
}

var clusterName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// RunFor returns the data folder of the cluster called name. The name becomes a folder and the
// name of a kubeconfig context, so it is held to lower-case letters, digits and dashes.
func RunFor(root, name string) (Run, error) {
	if !clusterName.MatchString(name) {
		return Run{}, fmt.Errorf("--name %q: use 1 to 40 lower-case letters, digits and dashes, no dash at an end: %w", name, ErrName)
	}
	dir := filepath.Join(root, ".cache", "cluster", "run", name)
	return Run{
		Folder:     dir,
		EtcdData:   filepath.Join(dir, "etcd"),
		PKI:        filepath.Join(dir, "pki"),
		Logs:       filepath.Join(dir, "logs"),
		Lock:       filepath.Join(dir, "run.lock"),
		State:      filepath.Join(dir, "state.json"),
		Stages:     filepath.Join(dir, "stages.yaml"),
		Kubeconfig: filepath.Join(dir, "kubeconfig"),
		Clients:    filepath.Join(dir, "clients"),
	}, nil
}

// Log is the file that the named program writes to.
func (r Run) Log(program string) string { return filepath.Join(r.Logs, program+".log") }

// Client is the kubeconfig of the named program of the cluster.
func (r Run) Client(program string) string { return filepath.Join(r.Clients, program+".kubeconfig") }
