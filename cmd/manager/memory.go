package main

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const (
	// renderMemory bounds one render process, in bytes.
	renderMemory = 768 << 20
	// managerMemory is what the manager itself needs beside its render processes, in bytes: its heap is kept under
	// defaultMemoryLimit, and stacks and the runtime come on top.
	managerMemory = 400 << 20
)

// memoryError is a memory limit that the render processes could pass together. The kernel would then end the manager in
// the middle of its work, at an hour of a stranger's choosing; a start that fails is found at once.
type memoryError struct {
	workers       int
	needed, limit int64
}

// Error says how much is needed, how much there is and what to change.
func (e *memoryError) Error() string {
	advice := "raise the limit to " + mebibytes(e.needed)
	if fitting := (e.limit - managerMemory) / renderMemory; fitting >= 1 {
		advice = fmt.Sprintf("lower --render-workers to %d, or %s", fitting, advice)
	}
	return fmt.Sprintf("--render-workers is %d: that many render processes of %s, with %s for the manager itself, may take %s, and the memory limit is %s: %s",
		e.workers, mebibytes(renderMemory), mebibytes(managerMemory), mebibytes(e.needed), mebibytes(e.limit), advice)
}

func mebibytes(n int64) string { return strconv.FormatInt(n>>20, 10) + "Mi" }

// fits returns a *memoryError when all render processes and the manager may take more than the limit, in bytes.
func (s *settings) fits(limit int64) error {
	if !s.options.Bridge {
		return nil
	}
	needed := int64(s.options.RenderWorkers)*renderMemory + managerMemory
	if needed <= limit {
		return nil
	}
	return &memoryError{workers: s.options.RenderWorkers, needed: needed, limit: limit}
}

// cgroups is where version 2 of the control groups is mounted.
const cgroups = "sys/fs/cgroup"

// memoryLimit returns the memory limit of this process in bytes: the lowest of its own control group and those above it.
// It is not known where there is none, on version 1 of the control groups, and where they cannot be read.
func memoryLimit(root fs.FS) (limit int64, known bool) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		own, unified := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !unified {
			continue
		}
		for dir := path.Join(cgroups, own); dir == cgroups || strings.HasPrefix(dir, cgroups+"/"); dir = path.Dir(dir) {
			// A group without a limit says «max».
			text, err := fs.ReadFile(root, path.Join(dir, "memory.max"))
			if err != nil {
				continue
			}
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && (!known || n < limit) {
				limit, known = n, true
			}
		}
	}
	return limit, known
}
