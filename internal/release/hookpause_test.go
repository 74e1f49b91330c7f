package release

import (
	"errors"
	"testing"
	"time"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/outcome"
)

func TestAFailedHookRunsAgainLaterAndLater(t *testing.T) {
	m, now := NewMemory(), time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for i, pause := range []time.Duration{10, 20, 40, 80, 160, 300, 300} {
		m.hooksFailed("owner", "run", errors.New("Job migrate failed"), now)
		pause *= time.Second
		wait, ok := m.hooksPause("owner", "run", now.Add(pause-1)).(outcome.Wait)
		if !ok || wait.Reason != v2alpha1.ReasonHooksFailed || wait.After != 1 {
			t.Fatalf("after %d failures, just before %s have passed: %+v", i+1, pause, wait)
		}
		if i == 0 && wait.Message != "Job migrate failed; it runs again at 03:02:11 UTC" {
			t.Errorf("the wait says %q", wait.Message)
		}
		now = now.Add(pause)
		if o := m.hooksPause("owner", "run", now); o != (outcome.Continue{}) {
			t.Fatalf("after %d failures and %s: %v", i+1, pause, o)
		}
	}
	m.hooksFailed("owner", "another run", errors.New("Job migrate failed"), now)
	if o := m.hooksPause("owner", "another run", now.Add(hookRetry)); o != (outcome.Continue{}) {
		t.Errorf("another run begins with the delay of the one before: %v", o)
	}
	m.hooksFailed("owner", "run", errors.New("x"), now)
	m.hooksDone("owner")
	if o := m.hooksPause("owner", "run", now); o != (outcome.Continue{}) {
		t.Errorf("hooks that are done are waited for: %v", o)
	}
}
