//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/api"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/kubeconfig"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/pki"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/process"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/program"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/state"
)

// start starts all programs and returns when the cluster is ready.
func (c *Cluster) start(ctx context.Context) error {
	place, err := c.prepare()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	specs := program.Specs(place)
	client, err := api.New(place.Server(), place.PKI)
	if err != nil {
		return err
	}
	var running []*process.Started
	for i, ready := range []check{
		{program.Etcd, func(ctx context.Context) error { return probe(ctx, place.EtcdURL()+"/health") }},
		{program.APIServer, func(ctx context.Context) error { return client.Get(ctx, "/readyz", nil) }},
	} {
		if running, err = c.launch(running, specs[i]); err != nil {
			return err
		}
		if err := c.await(ctx, ready, running); err != nil {
			return err
		}
	}
	// kwok takes a new identity at each start and would leave nodes and pods alone until the leases of
	// the one before have run out.
	if err := client.DeleteAll(ctx, api.NodeLeasesPath); err != nil {
		return err
	}
	for _, spec := range specs[2:] {
		if running, err = c.launch(running, spec); err != nil {
			return err
		}
	}
	return c.populate(ctx, place, running)
}

// prepare writes everything that the programs read and remembers the ports.
func (c *Cluster) prepare() (program.Place, error) {
	for _, dir := range []string{c.Run.Folder, c.Run.Logs, c.Run.Clients, c.Run.EtcdData} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return program.Place{}, fmt.Errorf("make the folders of the cluster: %w", err)
		}
	}
	old, err := state.Load(c.Run.State)
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, state.ErrUnreadable) {
		return program.Place{}, err
	}
	ports, err := choosePorts(old.Ports)
	if err != nil {
		return program.Place{}, err
	}
	if err := state.Save(c.Run.State, state.State{Versions: c.Versions, Ports: ports}); err != nil {
		return program.Place{}, err
	}
	if _, err := pki.Ensure(c.Run.PKI, time.Now()); err != nil {
		return program.Place{}, err
	}
	stages, err := os.ReadFile(c.Stages)
	if err != nil {
		return program.Place{}, fmt.Errorf("read the stages of kwok: %w", err)
	}
	if err := os.WriteFile(c.Run.Stages, stages, 0o600); err != nil {
		return program.Place{}, fmt.Errorf("write the stages of kwok: %w", err)
	}
	place := c.place(ports)
	return place, c.writeKubeconfigs(place)
}

// writeKubeconfigs gives people and kwok the administrator's rights, and the others only theirs.
func (c *Cluster) writeKubeconfigs(p program.Place) error {
	for _, file := range []struct{ path, cert, key string }{
		{c.Run.Kubeconfig, p.PKI.AdminCert, p.PKI.AdminKey},
		{c.Run.Client(program.Kwok), p.PKI.AdminCert, p.PKI.AdminKey},
		{c.Run.Client(program.ControllerManager), p.PKI.ManagerCert, p.PKI.ManagerKey},
		{c.Run.Client(program.Scheduler), p.PKI.SchedulerCert, p.PKI.SchedulerKey},
	} {
		access := kubeconfig.Access{Context: c.Name, Server: p.Server()}
		for from, into := range map[string]*[]byte{p.PKI.CA: &access.CA, file.cert: &access.Cert, file.key: &access.Key} {
			text, err := os.ReadFile(from)
			if err != nil {
				return fmt.Errorf("write a kubeconfig: %w", err)
			}
			*into = text
		}
		if err := os.WriteFile(file.path, []byte(kubeconfig.Text(access)), 0o600); err != nil {
			return fmt.Errorf("write a kubeconfig: %w", err)
		}
	}
	return nil
}

func (c *Cluster) launch(running []*process.Started, spec program.Spec) ([]*process.Started, error) {
	c.say("starting %s", spec.Name)
	started, err := process.Start(spec, c.Run.Folder, c.Run.Log(spec.Name))
	if err != nil {
		return running, err
	}
	return append(running, started), nil
}

// portTaken recognises in a log that another program was faster to take a port.
func portTaken(log string) bool { return strings.Contains(log, "address already in use") }
