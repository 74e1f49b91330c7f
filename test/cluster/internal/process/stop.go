//go:build unix

package process

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// grace is how long a program may take to end by itself.
const grace = 15 * time.Second

// ErrStillRunning says that a program did not end even when it was killed.
var ErrStillRunning = errors.New("still running after it was killed")

// Stop ends the programs, the last started first, and returns when they are gone. One that does not
// end by itself within 15 seconds is killed.
func Stop(runFolder string, programs []Found) error {
	for _, p := range slices.Backward(programs) {
		if err := stop(runFolder, p); err != nil {
			return fmt.Errorf("stop %s (process %d): %w", p.Program, p.PID, err)
		}
	}
	return nil
}

func stop(runFolder string, p Found) error {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, grace}, {syscall.SIGKILL, 5 * time.Second}} {
		if err := syscall.Kill(p.PID, step.signal); err != nil {
			if errors.Is(err, syscall.ESRCH) {
				return nil
			}
			return err
		}
		gone, err := waitGone(runFolder, p, step.wait)
		if gone || err != nil {
			return err
		}
	}
	return ErrStillRunning
}

// waitGone looks at the process table, because a program of another starter cannot be waited for
// and its number may be given to somebody else at any time.
func waitGone(runFolder string, p Found, limit time.Duration) (bool, error) {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		left, err := Find(runFolder)
		if err != nil {
			return false, err
		}
		if !slices.Contains(left, p) {
			return true, nil
		}
	}
	return false, nil
}
