//go:build unix

// Package filelock lets one process at a time do a thing. Effect: it holds a lock of the
// operating system on a file. The one idea: the lock dies with its holder, so a killed build or a
// killed start never leaves anything to clean up by hand.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const retry = 300 * time.Millisecond

// Lock is a held lock.
type Lock struct{ file *os.File }

// Acquire waits until the lock on path is free and takes it. onWait is called once, and only when
// somebody else holds the lock. Folders above path are made.
func Acquire(ctx context.Context, path string, onWait func()) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the lock %s: %w", path, err)
	}
	waited := false
	for {
		lock, err := try(path)
		if lock != nil || err != nil {
			return lock, err
		}
		if !waited {
			waited = true
			onWait()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the lock %s: %w", path, ctx.Err())
		case <-time.After(retry):
		}
	}
}

// try takes the lock if it is free; both results are nil when it is not.
func try(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock %s: %w", path, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !sameFile(f, path) {
		// The last holder removed the file between our open and our lock: what we hold guards nothing.
		return nil, f.Close()
	}
	return &Lock{file: f}, nil
}

func sameFile(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	onDisk, err := os.Stat(path)
	return err == nil && os.SameFile(held, onDisk)
}

// Release gives the lock back.
func (l *Lock) Release() { _ = l.file.Close() }
