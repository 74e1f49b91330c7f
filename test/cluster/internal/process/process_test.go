//go:build unix

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/program"
)

func TestAmong(t *testing.T) {
	const run = "/r/.cache/cluster/run/a"
	cases := map[string]struct {
		command string
		want    bool
	}{
		"a program of this cluster is picked":                     {"/c/bin/etcd --data-dir=" + run + "/etcd", true},
		"a program of another version is picked":                  {"/old/bin/kwok --config=" + run + "/stages.yaml", true},
		"a program of a cluster with a longer name is not":        {"/c/bin/etcd --data-dir=" + run + "b/etcd", false},
		"somebody who reads the logs is not":                      {"tail -f " + run + "/logs/etcd.log", false},
		"an etcd that is not of a cache is not":                   {"etcd --data-dir=" + run + "/etcd", false},
		"another program with a path of the cluster is not":       {"/c/bin/kubectl --kubeconfig=" + run + "/kubeconfig get pods", false},
		"a path with spaces before the program's name is no harm": {"/my files/bin/etcd --data-dir=" + run + "/etcd", true},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			got := among([]entry{{pid: 7, command: c.command}}, run)
			if picked := len(got) == 1 && got[0].PID == 7; picked != c.want {
				t.Errorf("%s: want %v, got %v", c.command, c.want, got)
			}
		})
	}
}

func TestFoundProgramsComeInStartingOrder(t *testing.T) {
	got := among([]entry{
		{1, "/c/bin/kwok --config=/r/s"}, {2, "/c/bin/etcd --data-dir=/r/e"}, {3, "/c/bin/kube-apiserver --x=/r/p"},
	}, "/r")
	want := []Found{{2, program.Etcd}, {3, program.APIServer}, {1, program.Kwok}}
	if !slices.Equal(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
}

// TestMain lets the test's own binary play one of the programs when it runs under its name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == program.Etcd {
		fmt.Println("ready")
		time.Sleep(time.Minute)
		return
	}
	os.Exit(m.Run())
}

func TestAProgramIsStartedFoundAndStopped(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	binary, run, logPath := filepath.Join(dir, "bin", program.Etcd), filepath.Join(dir, "run"), filepath.Join(dir, "log")
	for _, folder := range []string{filepath.Dir(binary), run} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(self, binary); err != nil {
		t.Fatal(err)
	}
	started, err := Start(program.Spec{Name: program.Etcd, Binary: binary, Args: []string{"--data-dir=" + run + "/etcd"}}, run, logPath)
	if err != nil {
		t.Fatal(err)
	}
	waitForText(t, logPath, "ready")
	found, err := Find(run)
	if err != nil || len(found) != 1 {
		t.Fatalf("want one program, got %v, %v", found, err)
	}
	if err := Stop(run, found); err != nil {
		t.Fatal(err)
	}
	select {
	case <-started.Exited:
	case <-time.After(5 * time.Second):
		t.Fatal("the program still runs")
	}
	if left, err := Find(run); err != nil || len(left) != 0 {
		t.Errorf("want none, got %v, %v", left, err)
	}
}

func waitForText(t *testing.T, path, want string) {
	t.Helper()
	for range 100 {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), want) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%q never appeared in the log", want)
}
