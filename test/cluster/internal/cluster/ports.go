//go:build unix

package cluster

import (
	"errors"
	"fmt"
	"net"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/state"
)

// errPortTaken says that a program could not have its port, so that others are worth a try.
var errPortTaken = errors.New("a port was taken by another program")

// choosePorts keeps each port of before that is free, so that a kubeconfig copied elsewhere stays
// good, and takes a free one for the others. All listeners are held until the last is chosen: so no
// port is chosen twice.
func choosePorts(before state.Ports) (state.Ports, error) {
	chosen := before
	var held []net.Listener
	defer func() {
		for _, l := range held {
			_ = l.Close()
		}
	}()
	for _, port := range []*int{&chosen.EtcdClient, &chosen.EtcdPeer, &chosen.APIServer, &chosen.Scheduler} {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
		if err != nil {
			listener, err = net.Listen("tcp", "127.0.0.1:0")
		}
		if err != nil {
			return state.Ports{}, fmt.Errorf("find a free port on 127.0.0.1: %w", err)
		}
		held = append(held, listener)
		*port = listener.Addr().(*net.TCPAddr).Port
	}
	return chosen, nil
}
