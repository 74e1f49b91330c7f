//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/api"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/process"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/program"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/tail"
)

// Error says which program kept the cluster from becoming ready, with the end of its log.
type Error struct {
	Program string
	Doing   string
	Log     string
	Tail    string
	Err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s: %v\n--- end of %s\n%s\n---\nWhat to do: run \"up\" again. If it fails the same way, \"down --purge\" removes the data of this cluster "+
		"and the next \"up\" starts from nothing; --timeout gives a slow machine more time.", e.Program, e.Doing, e.Err, e.Log, e.Tail)
}

func (e *Error) Unwrap() error { return e.Err }

var (
	errExited   = errors.New("the program ended by itself")
	errTooLong  = errors.New("it took too long")
	errTainted  = errors.New("the node may not be used yet")
	errNotReady = errors.New("the node is not Ready yet")
)

// check is a fact to wait for; program is the one whose log explains why it does not come true.
type check struct {
	program string
	done    func(context.Context) error
}

// await asks until the check is done. It ends early when one of the programs ends.
func (c *Cluster) await(ctx context.Context, what check, running []*process.Started) error {
	for {
		err := what.done(ctx)
		if err == nil {
			return nil
		}
		for _, r := range running {
			select {
			case <-r.Exited:
				return c.exited(r)
			default:
			}
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return fmt.Errorf("wait for %s: %w", what.program, ctx.Err())
			}
			return c.failure(what.program, "wait until it is ready (last answer: "+err.Error()+")", errTooLong)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (c *Cluster) exited(r *process.Started) error {
	cause := errExited
	if portTaken(tail.Lines(r.Log, 40)) {
		cause = errPortTaken
	}
	return c.failure(r.Name, "start it", fmt.Errorf("%w (%w)", cause, exitCause(r)))
}

func exitCause(r *process.Started) error {
	if r.Err != nil {
		return r.Err
	}
	return errors.New("exit status 0")
}

func (c *Cluster) failure(name, doing string, err error) error {
	log := c.Run.Log(name)
	return &Error{Program: name, Doing: doing, Log: log, Tail: tail.Lines(log, 15), Err: err}
}

// populate gives the cluster its nodes and storage class and waits until pods can be created and
// scheduled: the service account and the authority of the default namespace, and usable nodes.
func (c *Cluster) populate(ctx context.Context, place program.Place, running []*process.Started) error {
	client, err := api.New(place.Server(), place.PKI)
	if err != nil {
		return err
	}
	const inDefault = "/api/v1/namespaces/default/"
	checks := []check{
		{program.APIServer, func(ctx context.Context) error {
			return client.Create(ctx, api.StorageClassPath, api.StorageClass())
		}},
		{program.ControllerManager, func(ctx context.Context) error {
			return client.Get(ctx, inDefault+"serviceaccounts/default", nil)
		}},
		{program.ControllerManager, func(ctx context.Context) error {
			return client.Get(ctx, inDefault+"configmaps/kube-root-ca.crt", nil)
		}},
		{program.Scheduler, func(ctx context.Context) error { return c.schedulerReady(ctx, place) }},
	}
	for i := range c.Nodes {
		name := api.NodeName(i + 1)
		if err := c.await(ctx, check{program.APIServer, func(ctx context.Context) error {
			return client.Create(ctx, api.NodesPath, api.Node(name))
		}}, running); err != nil {
			return err
		}
		checks = append(checks, check{program.Kwok, func(ctx context.Context) error { return usable(ctx, client, name) }})
	}
	for _, one := range checks {
		if err := c.await(ctx, one, running); err != nil {
			return err
		}
	}
	return nil
}

// schedulerReady asks the scheduler itself: it has no object in the API that would tell.
func (c *Cluster) schedulerReady(ctx context.Context, place program.Place) error {
	return probe(ctx, fmt.Sprintf("https://127.0.0.1:%d/readyz", place.Ports.Scheduler))
}

// usable says whether pods can run on the node: it is Ready and no longer tainted as not ready.
func usable(ctx context.Context, client *api.Client, name string) error {
	var node struct {
		Spec struct {
			Taints []struct {
				Key string `json:"key"`
			} `json:"taints"`
		} `json:"spec"`
		Status struct {
			Conditions []struct {
				Type   string `json:"type"`
				Status string `json:"status"`
			} `json:"conditions"`
		} `json:"status"`
	}
	if err := client.Get(ctx, api.NodesPath+"/"+name, &node); err != nil {
		return err
	}
	if len(node.Spec.Taints) > 0 {
		return fmt.Errorf("node %s has the taint %s: %w", name, node.Spec.Taints[0].Key, errTainted)
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == "Ready" && condition.Status == "True" {
			return nil
		}
	}
	return fmt.Errorf("node %s: %w", name, errNotReady)
}
