//go:build unix

// Package cluster brings a named cluster up, takes it down and says how it is. Effect: it composes
// the packages beside it. The one idea: either everything of a cluster runs, or what is left of it is
// stopped and everything is started again on the data that is there.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/filelock"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/folders"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/pki"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/process"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/program"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/state"
)

// Cluster is one named cluster on this machine.
type Cluster struct {
	Name     string
	Versions string // key of the programs to run
	Bin      string // folder of the programs
	Stages   string // file that tells kwok how nodes and pods live
	Run      folders.Run
	Nodes    int
	Timeout  time.Duration // for becoming ready, counted from the start of the programs
	Progress io.Writer
}

// attempts is how often other ports are tried when somebody takes one between choice and use.
const attempts = 3

// Up returns when the cluster is ready. reused says that it was running already. Nothing of it is
// left running when Up fails.
func (c *Cluster) Up(ctx context.Context) (reused bool, err error) {
	lock, err := c.lock(ctx)
	if err != nil {
		return false, err
	}
	defer lock.Release()
	if c.reusable(ctx) {
		return true, c.reuse(ctx)
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("look at the cluster: %w", ctx.Err())
	}
	if err := c.stop("what is left of an earlier run"); err != nil {
		return false, err
	}
	for range attempts {
		err = c.start(ctx)
		if err == nil {
			return false, nil
		}
		if stopErr := c.stop("what was started"); stopErr != nil {
			return false, errors.Join(err, stopErr)
		}
		if !errors.Is(err, errPortTaken) {
			break
		}
		c.say("a port was taken meanwhile; trying others")
	}
	return false, err
}

// Down stops the cluster. With purge its data goes as well. Stopping what does not run is fine.
func (c *Cluster) Down(ctx context.Context, purge bool) error {
	if _, err := os.Stat(c.Run.Folder); errors.Is(err, os.ErrNotExist) {
		// Taking the lock would make the folder again. Programs may still run beside a removed folder.
		return c.stop("the cluster")
	}
	lock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := c.stop("the cluster"); err != nil {
		return err
	}
	if !purge {
		return nil
	}
	if err := os.RemoveAll(c.Run.Folder); err != nil {
		return fmt.Errorf("remove the data of the cluster: %w", err)
	}
	return nil
}

func (c *Cluster) lock(ctx context.Context) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, c.Run.Lock, func() {
		c.say("waiting: another process is starting or stopping this cluster")
	})
}

func (c *Cluster) stop(what string) error {
	running, err := process.Find(c.Run.Folder)
	if err != nil || len(running) == 0 {
		return err
	}
	c.say("stopping %s (%d programs)", what, len(running))
	return process.Stop(c.Run.Folder, running)
}

// patience is how long a cluster whose programs all run may leave its API server unanswered before
// it is started again. A busy machine is no reason to take a cluster away from those who use it.
const patience = time.Minute

// reusable says whether every program of these versions runs and the API server answers.
func (c *Cluster) reusable(ctx context.Context) bool {
	for deadline := time.Now().Add(patience); ; {
		status, err := c.Status(ctx)
		if err != nil || len(status.Absent) > 0 || ctx.Err() != nil {
			return false
		}
		if status.Versions != c.Versions {
			c.say("the running cluster is of %q; starting it again as %s", status.Versions, c.Versions)
			return false
		}
		if status.Ready || time.Now().After(deadline) {
			return status.Ready
		}
		c.say("every program runs; waiting for the API server to answer")
		time.Sleep(time.Second)
	}
}

// reuse puts back what a running cluster may lack: its kubeconfig, or nodes when more are wanted.
func (c *Cluster) reuse(ctx context.Context) error {
	s, err := state.Load(c.Run.State)
	if err != nil {
		return err
	}
	place := c.place(s.Ports)
	if err := c.writeKubeconfigs(place); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	return c.populate(ctx, place, nil)
}

func (c *Cluster) place(ports state.Ports) program.Place {
	return program.Place{Bin: c.Bin, Run: c.Run, PKI: pki.In(c.Run.PKI), Ports: ports}
}

func (c *Cluster) say(format string, args ...any) { fmt.Fprintf(c.Progress, format+"\n", args...) }
