package sandbox

import (
	"fmt"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// stackShare is the part of its memory that a process may use for one stack. Templates that call each other without an
// end stop there, long before they stop the machine.
const stackShare = 8

// addressSlack is the address space a process may take beyond its memory, for threads and what the runtime reserves.
const addressSlack = 128 << 20

// collectAt lets the heap grow to three times what is live before it is collected. A render makes much garbage in a short
// time, and the memory limit sees to it that there is never too much.
const collectAt = 200

// filesOpen is how many files a process may have open: its pipes, what the runtime needs, and a time zone.
const filesOpen = 64

// bound puts the process under its limits; they cannot be lifted again.
//
// Two limits hold its memory, since neither does alone. RLIMIT_DATA counts the private memory a process may write to,
// which is where the heap of a Go program lies. But the runtime reserves address space first and makes it writable in a
// second step, and for that step Linux compares what was there before with the limit: one allocation of any size gets
// through. RLIMIT_AS stops the reservation. It is set relative to what the process has reserved already, most of which it
// never uses. The runtime's own limit lies below both, so that the collector works harder before the kernel refuses.
func bound(memory int64) error {
	reserved, err := addressSpace()
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(memory / 4 * 3)
	debug.SetGCPercent(collectAt)
	debug.SetMaxStack(int(memory / stackShare))
	for _, limit := range []struct {
		name     string
		resource int
		value    int64
	}{
		{"memory", unix.RLIMIT_DATA, memory},
		{"address space", unix.RLIMIT_AS, reserved + memory + addressSlack},
		{"core dumps", unix.RLIMIT_CORE, 0},
		{"file size", unix.RLIMIT_FSIZE, 0},
		{"open files", unix.RLIMIT_NOFILE, filesOpen},
	} {
		value := uint64(limit.value) //nolint:gosec // no limit is negative
		if err := unix.Setrlimit(limit.resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("bounding %s: %w", limit.name, err)
		}
	}
	return nil
}

// addressSpace returns how much address space the process has taken so far, in bytes.
func addressSpace() (int64, error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("measuring the address space: %w", err)
	}
	var pages int64
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		return 0, fmt.Errorf("measuring the address space: %w", err)
	}
	return pages * int64(os.Getpagesize()), nil
}
