//go:build unix

package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/folders"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/process"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/program"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/state"
)

func TestPortsOfBeforeAreKeptUnlessTaken(t *testing.T) {
	first, err := choosePorts(state.Ports{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, port := range first.All() {
		if port == 0 || seen[port] {
			t.Fatalf("want four different ports, got %+v", first)
		}
		seen[port] = true
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	before := first
	before.APIServer = listener.Addr().(*net.TCPAddr).Port
	second, err := choosePorts(before)
	if err != nil {
		t.Fatal(err)
	}
	if second.EtcdClient != first.EtcdClient || second.Scheduler != first.Scheduler {
		t.Errorf("free ports were given up: %+v, then %+v", first, second)
	}
	if second.APIServer == before.APIServer {
		t.Errorf("the taken port %d was chosen", before.APIServer)
	}
}

func TestAbsentNamesWhatDoesNotRun(t *testing.T) {
	got := absent([]process.Found{{PID: 1, Program: program.Etcd}, {PID: 2, Program: program.Kwok}})
	want := []string{program.APIServer, program.ControllerManager, program.Scheduler}
	if !slices.Equal(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
}

func TestAwaitNamesTheProgramThatEnded(t *testing.T) {
	cases := map[string]struct {
		log  string
		want error
	}{
		"a program that ends is not waited for": {"flag provided but not defined", errExited},
		"a taken port is told from other ends":  {"listen tcp 127.0.0.1:1: bind: address already in use", errPortTaken},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			cl := testCluster(t)
			logPath := cl.Run.Log(program.Etcd)
			if err := os.WriteFile(logPath, []byte(c.log), 0o600); err != nil {
				t.Fatal(err)
			}
			ended := &process.Started{Name: program.Etcd, Log: logPath, Exited: make(chan struct{})}
			close(ended.Exited)
			err := cl.await(t.Context(), check{program.APIServer, never}, []*process.Started{ended})
			var failure *Error
			if !errors.Is(err, c.want) || !errors.As(err, &failure) || failure.Program != program.Etcd {
				t.Fatalf("want %v of etcd, got %v", c.want, err)
			}
			if !strings.Contains(failure.Tail, c.log) {
				t.Errorf("the end of the log is missing: %q", failure.Tail)
			}
		})
	}
}

func TestAwaitGivesUpWhenTheTimeIsOver(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := testCluster(t).await(ctx, check{program.APIServer, never}, nil); !errors.Is(err, errTooLong) {
		t.Errorf("want errTooLong, got %v", err)
	}
}

func TestAClusterThatNeverRanIsNotReadyAndCanBeStopped(t *testing.T) {
	cl := testCluster(t)
	status, err := cl.Status(t.Context())
	if err != nil || status.Ready || len(status.Absent) != len(program.Names()) {
		t.Errorf("got %+v, %v", status, err)
	}
	for range 2 {
		if err := cl.Down(t.Context(), true); err != nil {
			t.Errorf("down: %v", err)
		}
	}
	if _, err := os.Stat(cl.Run.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data is still there: %v", err)
	}
}

var errNever = errors.New("never")

func never(context.Context) error { return errNever }

func testCluster(t *testing.T) *Cluster {
	t.Helper()
	run, err := folders.RunFor(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(run.Logs, 0o755); err != nil {
		t.Fatal(err)
	}
	return &Cluster{Name: "test", Run: run, Timeout: time.Second, Progress: io.Discard}
}
