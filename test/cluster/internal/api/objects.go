package api

import "fmt"

// Object is a Kubernetes object as JSON has it.
type Object map[string]any

// StorageClassPath and NodesPath are where the objects of this file are created; NodeLeasesPath is
// where kwok notes that it looks after a node.
const (
	StorageClassPath = "/apis/storage.k8s.io/v1/storageclasses"
	NodesPath        = "/api/v1/nodes"
	NodeLeasesPath   = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
)

// SimulatedClass is the default storage class; the stages of kwok provision for it.
const SimulatedClass = "simulated"

// Node is a simulated node with room for everything that a test may ask for.
func Node(name string) Object {
	room := Object{"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "1000"}
	return Object{
		"apiVersion": "v1", "kind": "Node",
		"metadata": Object{
			"name":        name,
			"annotations": Object{"kwok.x-k8s.io/node": "fake", "node.alpha.kubernetes.io/ttl": "0"},
			"labels": Object{
				"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
				"portcullis.dev/simulated": "true",
			},
		},
		"status": Object{"allocatable": room, "capacity": room},
	}
}

// NodeName is the name of the i-th node, counted from 1.
func NodeName(i int) string { return fmt.Sprintf("node-%d", i) }

// StorageClass makes claims without a class of their own be served by the simulation.
func StorageClass() Object {
	return Object{
		"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
		"metadata": Object{
			"name":        SimulatedClass,
			"annotations": Object{"storageclass.kubernetes.io/is-default-class": "true"},
		},
		"provisioner": "portcullis.dev/simulated", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
	}
}
