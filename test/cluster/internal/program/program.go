// Package program puts together the command lines of the cluster's programs. Pure. The one idea:
// every choice about how a program runs stands in one table-like function per program.
package program

import (
	"fmt"
	"path/filepath"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/folders"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/pki"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/state"
)

// Names of the programs, which are also the names of their files and logs.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
)

// Names lists the programs in the order they are started in; they are stopped the other way round.
func Names() []string { return []string{Etcd, APIServer, ControllerManager, Scheduler, Kwok} }

// Spec is a program ready to be started.
type Spec struct {
	Name   string
	Binary string
	Args   []string
}

// Place is what the command lines depend on.
type Place struct {
	Bin   string
	Run   folders.Run
	PKI   pki.Files
	Ports state.Ports
}

// Server is the URL of the API server.
func (p Place) Server() string { return fmt.Sprintf("https://127.0.0.1:%d", p.Ports.APIServer) }

// EtcdURL is where etcd listens for the API server.
func (p Place) EtcdURL() string { return fmt.Sprintf("http://127.0.0.1:%d", p.Ports.EtcdClient) }

// Specs returns the programs in starting order. Every command line names a path in the folder of
// the cluster: that is how a running program is recognised as this cluster's.
func Specs(p Place) []Spec {
	args := map[string][]string{
		Etcd:              etcd(p),
		APIServer:         apiServer(p),
		ControllerManager: controllerManager(p),
		Scheduler:         scheduler(p),
		Kwok:              kwok(p),
	}
	var specs []Spec
	for _, name := range Names() {
		specs = append(specs, Spec{Name: name, Binary: filepath.Join(p.Bin, name), Args: args[name]})
	}
	return specs
}

func etcd(p Place) []string {
	peer := fmt.Sprintf("http://127.0.0.1:%d", p.Ports.EtcdPeer)
	return []string{
		"--name=default",
		"--data-dir=" + p.Run.EtcdData,
		"--listen-client-urls=" + p.EtcdURL(),
		"--advertise-client-urls=" + p.EtcdURL(),
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=default=" + peer,
		// A killed process loses nothing without fsync, only a machine that loses power does:
		// worth it for a cluster that can be made anew in seconds.
		"--unsafe-no-fsync=true",
		"--log-level=warn",
	}
}

func apiServer(p Place) []string {
	return []string{
		"--etcd-servers=" + p.EtcdURL(),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.Ports.APIServer),
		// The API server refuses to advertise a loopback address, and nothing here would use it.
		"--endpoint-reconciler-type=none",
		"--authorization-mode=RBAC",
		"--allow-privileged=true",
		"--client-ca-file=" + p.PKI.CA,
		"--tls-cert-file=" + p.PKI.ServerCert,
		"--tls-private-key-file=" + p.PKI.ServerKey,
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + p.PKI.ServiceAccountKey,
		"--service-account-signing-key-file=" + p.PKI.ServiceAccountKey,
		"--service-cluster-ip-range=" + pki.ServiceRange,
		"--profiling=false",
	}
}

func controllerManager(p Place) []string {
	return []string{
		"--kubeconfig=" + p.Run.Client(ControllerManager),
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + p.PKI.ServiceAccountKey,
		"--root-ca-file=" + p.PKI.CA,
		"--cluster-signing-cert-file=" + p.PKI.CA,
		"--cluster-signing-key-file=" + p.PKI.CAKey,
		"--leader-elect=false",
		"--secure-port=0",
		"--profiling=false",
	}
}

func scheduler(p Place) []string {
	client := p.Run.Client(Scheduler)
	return []string{
		"--kubeconfig=" + client,
		"--authentication-kubeconfig=" + client,
		"--authorization-kubeconfig=" + client,
		"--leader-elect=false",
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.Ports.Scheduler),
		"--profiling=false",
	}
}

func kwok(p Place) []string {
	return []string{
		"--kubeconfig=" + p.Run.Client(Kwok),
		"--config=" + p.Run.Stages,
		"--manage-all-nodes=true",
		"--cidr=10.244.0.0/16",
		"--node-ip=10.243.0.1",
		// The controller manager takes a node without a lease for dead after 50 seconds.
		"--node-lease-duration-seconds=40",
		// Without this kwok would offer its kubelet port on every interface of the machine.
		"--node-port=0",
	}
}
