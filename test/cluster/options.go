//go:build unix

package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/cluster"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/folders"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/pins"
)

// defaultName is the cluster that is meant when none is named.
const defaultName = "portcullis"

// options are the flags, the same for every verb.
type options struct {
	name    string
	nodes   int
	timeout time.Duration
	purge   bool
}

func newFlags(progress io.Writer) (*options, *flag.FlagSet) {
	var opts options
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.StringVar(&opts.name, "name", defaultName, "which cluster; several run side by side")
	flags.IntVar(&opts.nodes, "nodes", 2, "simulated nodes that up makes sure of")
	flags.DurationVar(&opts.timeout, "timeout", 5*time.Minute, "how long up waits for a started cluster to be ready")
	flags.BoolVar(&opts.purge, "purge", false, "with down: remove the data of the cluster as well")
	flags.Usage = func() {
		fmt.Fprint(progress, usage)
		flags.PrintDefaults()
	}
	return &opts, flags
}

// workplace is everything that follows from where the sources lie.
type workplace struct {
	sources  folders.Sources
	versions pins.Versions
	cache    folders.Cache
	cluster  cluster.Cluster
}

// locate finds the sources from the working directory and works out all folders.
func locate(opts options, progress io.Writer) (workplace, error) {
	root, err := folders.Root(".")
	if err != nil {
		return workplace{}, err
	}
	sources := folders.SourcesIn(root)
	controlPlane, err := os.ReadFile(filepath.Join(sources.ControlPlane, "go.mod"))
	if err != nil {
		return workplace{}, fmt.Errorf("read the pinned versions: %w", err)
	}
	kwok, err := os.ReadFile(filepath.Join(sources.Kwok, "go.mod"))
	if err != nil {
		return workplace{}, fmt.Errorf("read the pinned versions: %w", err)
	}
	versions, err := pins.Parse(string(controlPlane), string(kwok))
	if err != nil {
		return workplace{}, err
	}
	run, err := folders.RunFor(root, opts.name)
	if err != nil {
		return workplace{}, err
	}
	if opts.nodes < 1 || opts.nodes > 100 {
		return workplace{}, fmt.Errorf("--nodes %d: use a number from 1 to 100: %w", opts.nodes, errUsage)
	}
	cache := folders.CacheFor(root, versions.Key())
	return workplace{sources: sources, versions: versions, cache: cache, cluster: cluster.Cluster{
		Name: opts.name, Versions: versions.Key(), Bin: cache.Bin, Stages: sources.Stages, Run: run,
		Nodes: opts.nodes, Timeout: opts.timeout, Progress: progress,
	}}, nil
}
