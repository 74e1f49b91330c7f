//go:build unix

package cluster

import (
	"context"
	"errors"
	"os"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/api"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/process"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/program"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/state"
)

// Status is how a cluster is at this moment.
type Status struct {
	Ready    bool // every program runs and the API server is ready
	Server   string
	Versions string
	Running  []process.Found
	Absent   []string // names of the programs that do not run
	Cause    error    // why the API server is not ready, when every program runs
}

// Status looks at the cluster and changes nothing.
func (c *Cluster) Status(ctx context.Context) (Status, error) {
	var status Status
	var err error
	if status.Running, err = process.Find(c.Run.Folder); err != nil {
		return Status{}, err
	}
	status.Absent = absent(status.Running)
	s, err := state.Load(c.Run.State)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, state.ErrUnreadable) {
			status.Cause = err
			return status, nil
		}
		return Status{}, err
	}
	place := c.place(s.Ports)
	status.Versions, status.Server = s.Versions, place.Server()
	if len(status.Absent) > 0 {
		return status, nil
	}
	client, err := api.New(place.Server(), place.PKI)
	if err == nil {
		err = client.Get(ctx, "/readyz", nil)
	}
	status.Ready, status.Cause = err == nil, err
	return status, nil
}

func absent(running []process.Found) []string {
	runs := map[string]bool{}
	for _, r := range running {
		runs[r.Program] = true
	}
	var names []string
	for _, name := range program.Names() {
		if !runs[name] {
			names = append(names, name)
		}
	}
	return names
}
