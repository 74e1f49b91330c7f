package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/filelock"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/folders"
	"github.com/portcullis-operator/portcullis/test/cluster/internal/tail"
)

const unfinishedSuffix = ".unfinished"

// every is the pause between two progress lines.
const every = 20 * time.Second

// Error says that a program could not be built, with the end of what the go command said.
type Error struct {
	Target Target
	Log    string
	Output string
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("build %s %s: %v\n--- end of %s\n%s\n---\nThe go command needs its module proxy, about 6 GB of free disk and 4 GB of free memory for this. "+
		"Run the command again when that is given: what is built already is kept.", e.Target.Name, e.Target.Version, e.Err, e.Log, e.Output)
}

func (e *Error) Unwrap() error { return e.Err }

// Ensure builds the targets that the cache lacks and returns when all of them are there. Progress
// goes to out. Two builds at once wait for each other.
func Ensure(ctx context.Context, out io.Writer, cache folders.Cache, targets []Target) error {
	if len(missing(cache, targets)) == 0 {
		return nil
	}
	lock, err := filelock.Acquire(ctx, cache.Lock, func() {
		fmt.Fprintln(out, "waiting: another process is building the programs of the cluster")
	})
	if err != nil {
		return err
	}
	defer lock.Release()
	todo := missing(cache, targets)
	for i, t := range todo {
		if err := one(ctx, out, cache, t, fmt.Sprintf("%d of %d", i+1, len(todo))); err != nil {
			return err
		}
	}
	return nil
}

func missing(cache folders.Cache, targets []Target) []Target {
	var absent []Target
	for _, t := range targets {
		if _, err := os.Stat(filepath.Join(cache.Bin, t.Name)); err != nil {
			absent = append(absent, t)
		}
	}
	return absent
}

// one builds a target beside its final place and renames it. The name on the way is this process's
// own: the go command of a builder that was killed may still be writing under another.
func one(ctx context.Context, out io.Writer, cache folders.Cache, t Target, count string) error {
	for _, dir := range []string{cache.Bin, cache.Logs} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make the folder for built programs: %w", err)
		}
	}
	fmt.Fprintf(out, "building %s %s (%s; about %s the first time on 2 cores) ...\n", t.Name, t.Version, count, t.Usual)
	start := time.Now()
	unfinished := filepath.Join(cache.Logs, fmt.Sprintf("%s.%d%s", t.Name, os.Getpid(), unfinishedSuffix))
	defer sweep(cache, t)
	logPath := filepath.Join(cache.Logs, t.Name+".log")
	err := whileTelling(out, t.Name, start, func() error { return goBuild(ctx, t, unfinished, logPath) })
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(ctx.Err(), err)
		}
		return &Error{Target: t, Log: logPath, Output: tail.Lines(logPath, 15), Err: err}
	}
	if err := os.Rename(unfinished, filepath.Join(cache.Bin, t.Name)); err != nil {
		return fmt.Errorf("put %s into the cache: %w", t.Name, err)
	}
	fmt.Fprintf(out, "built %s in %s\n", t.Name, time.Since(start).Round(time.Second))
	return nil
}

// sweep removes what this build, or a killed one before it, has left under an unfinished name.
func sweep(cache folders.Cache, t Target) {
	left, err := filepath.Glob(filepath.Join(cache.Logs, t.Name+".*"+unfinishedSuffix))
	if err != nil {
		return
	}
	for _, path := range left {
		_ = os.Remove(path)
	}
}

// whileTelling runs work and prints a line now and then, so that a long build does not look stuck.
func whileTelling(out io.Writer, name string, start time.Time, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticks.C:
			fmt.Fprintf(out, "  still building %s (%s so far)\n", name, time.Since(start).Round(time.Second))
		}
	}
}

func goBuild(ctx context.Context, t Target, output, logPath string) error {
	logFile, err := os.Create(logPath)
	if err != nil {
		return fmt.Errorf("open the build log: %w", err)
	}
	defer logFile.Close()
	cmd := exec.CommandContext(ctx, "go", arguments(t, output)...)
	cmd.Dir = t.Module
	cmd.Env = environment(os.Environ())
	cmd.Stdout, cmd.Stderr = logFile, logFile
	// The go command removes its work folder on an interrupt; a kill would leave it behind.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd.Run()
}

// environment makes the result the same whatever the caller is set up for: programs for this
// machine, without a C compiler, and without a workspace file above the module.
func environment(base []string) []string {
	var env []string
	for _, entry := range base {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "CGO_ENABLED", "GOOS", "GOARCH", "GOWORK":
		default:
			env = append(env, entry)
		}
	}
	return append(env, "CGO_ENABLED=0", "GOWORK=off", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
}
