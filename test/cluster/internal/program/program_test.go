package program

import (
	"slices"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/folders"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/pki"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/state"
)

func place(t *testing.T) Place {
	t.Helper()
	run, err := folders.RunFor("/r", "n")
	if err != nil {
		t.Fatal(err)
	}
	return Place{
		Bin: "/bin", Run: run, PKI: pki.In(run.PKI),
		Ports: state.Ports{EtcdClient: 11, EtcdPeer: 12, APIServer: 13, Scheduler: 14},
	}
}

func TestEveryProgramIsRecognisedByItsFolder(t *testing.T) {
	p := place(t)
	specs := Specs(p)
	if len(specs) != len(Names()) {
		t.Fatalf("want %d programs, got %d", len(Names()), len(specs))
	}
	for i, s := range specs {
		if s.Name != Names()[i] || s.Binary != "/bin/"+s.Name {
			t.Errorf("place %d: want %s, got %+v", i, Names()[i], s)
		}
		if !slices.ContainsFunc(s.Args, func(arg string) bool { return strings.Contains(arg, p.Run.Folder+"/") }) {
			t.Errorf("%s names no path in its folder", s.Name)
		}
	}
}

func TestNothingListensBeyondThisMachine(t *testing.T) {
	wanted := map[string][]string{
		Etcd:              {"--listen-client-urls=http://127.0.0.1:11", "--listen-peer-urls=http://127.0.0.1:12"},
		APIServer:         {"--bind-address=127.0.0.1", "--secure-port=13"},
		ControllerManager: {"--secure-port=0"},
		Scheduler:         {"--bind-address=127.0.0.1", "--secure-port=14"},
		Kwok:              {"--node-port=0"},
	}
	for _, s := range Specs(place(t)) {
		for _, arg := range wanted[s.Name] {
			if !slices.Contains(s.Args, arg) {
				t.Errorf("%s: %s is missing in %v", s.Name, arg, s.Args)
			}
		}
	}
}

func TestTheAPIServerAndTheControllerManagerShareTheTokenKey(t *testing.T) {
	p := place(t)
	for _, s := range Specs(p) {
		shares := slices.ContainsFunc(s.Args, func(arg string) bool { return strings.HasSuffix(arg, "="+p.PKI.ServiceAccountKey) })
		if wants := s.Name == APIServer || s.Name == ControllerManager; shares != wants {
			t.Errorf("%s: want %v, got %v", s.Name, wants, shares)
		}
	}
}
