package main

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheMemoryLimitOfTheProcess(t *testing.T) {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for name, c := range map[string]struct {
		tree  fstest.MapFS
		limit int64
		known bool
	}{
		"is that of the container, whose group is its root": {
			tree:  fstest.MapFS{"proc/self/cgroup": text("0::/\n"), "sys/fs/cgroup/memory.max": text("2147483648\n")},
			limit: 2 << 30, known: true,
		},
		"is that of its own group below the root": {
			tree:  fstest.MapFS{"proc/self/cgroup": text("0::/system.slice/portcullis.service\n"), "sys/fs/cgroup/system.slice/portcullis.service/memory.max": text("1073741824\n")},
			limit: 1 << 30, known: true,
		},
		"is the lowest of its own group and those above": {
			tree: fstest.MapFS{
				"proc/self/cgroup":                     text("0::/pod/manager\n"),
				"sys/fs/cgroup/pod/manager/memory.max": text("max\n"),
				"sys/fs/cgroup/pod/memory.max":         text("1073741824\n"),
				"sys/fs/cgroup/memory.max":             text("2147483648\n"),
			},
			limit: 1 << 30, known: true,
		},
		"is that of the root where the path is that of the node": {
			tree:  fstest.MapFS{"proc/self/cgroup": text("0::/kubepods/x\n"), "sys/fs/cgroup/memory.max": text("1073741824\n")},
			limit: 1 << 30, known: true,
		},
		"is not known without a limit":        {tree: fstest.MapFS{"proc/self/cgroup": text("0::/\n"), "sys/fs/cgroup/memory.max": text("max\n")}},
		"is not known on version 1":           {tree: fstest.MapFS{"proc/self/cgroup": text("4:memory:/pod\n"), "sys/fs/cgroup/memory.max": text("1\n")}},
		"is not known when it is unreadable":  {tree: fstest.MapFS{"proc/self/cgroup": text("0::/\n")}},
		"is not known outside the mount":      {tree: fstest.MapFS{"proc/self/cgroup": text("0::/../../other\n"), "sys/other/memory.max": text("1\n")}},
		"is not known without control groups": {tree: fstest.MapFS{}},
	} {
		t.Run(name, func(t *testing.T) {
			limit, known := memoryLimit(c.tree)
			if limit != c.limit || known != c.known {
				t.Errorf("it is %d (known: %v), want %d (%v)", limit, known, c.limit, c.known)
			}
		})
	}
}

func TestRenderProcessesMustFitIntoTheMemoryLimit(t *testing.T) {
	for name, c := range map[string]struct {
		workers int
		limit   int64
		bridge  bool
		advice  string
	}{
		"the defaults fit into the limit of config/manager": {workers: 2, limit: 2 << 30, bridge: true},
		"one too many, where fewer fit":                     {workers: 3, limit: 2 << 30, bridge: true, advice: "lower --render-workers to 2, or raise the limit to 2704Mi"},
		"where not even one fits":                           {workers: 1, limit: 1 << 30, bridge: true, advice: ": raise the limit to 1168Mi"},
		"nothing is rendered without the GitLab kinds":      {workers: 2, limit: 128 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings{}
			s.options.RenderWorkers, s.options.Bridge = c.workers, c.bridge
			err := s.fits(c.limit)
			if c.advice == "" {
				if err != nil {
					t.Errorf("the start is refused: %v", err)
				}
				return
			}
			if _, refused := errors.AsType[*memoryError](err); !refused {
				t.Fatalf("the start is not refused: %v", err)
			}
			if !strings.HasSuffix(err.Error(), c.advice) {
				t.Errorf("the advice is not %q: %v", c.advice, err)
			}
		})
	}
}
