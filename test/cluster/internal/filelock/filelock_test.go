//go:build unix

package filelock

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestASecondHolderWaitsUntilTheFirstReleases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "lock")
	first, err := Acquire(t.Context(), path, func() { t.Error("nobody else holds the lock") })
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	waited := 0
	if _, err := Acquire(ctx, path, func() { waited++ }); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a held lock was given away: %v", err)
	}
	if waited != 1 {
		t.Errorf("want one notice of waiting, got %d", waited)
	}

	first.Release()
	second, err := Acquire(t.Context(), path, func() { t.Error("the lock was released") })
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}
