package release

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/outcome"
)

// hookRetry is when a failed hook runs again, and hookRetryBound the most that the doubled delays come to. A hook is a
// Job on a production database: one that fails at once must not be made again every second.
const (
	hookRetry      = 10 * time.Second
	hookRetryBound = 5 * time.Minute
)

// hookFailure is how the hooks of a resource failed last. A process that has just started knows of none and runs a
// failed hook again at once.
type hookFailure struct {
	token    string
	failures int
	again    time.Time
	message  string
}

// hooksFailed notes a failure of one run of the hooks; another run begins to count anew.
func (m *Memory) hooksFailed(owner types.UID, token string, err error, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	failures := 1
	if known := m.hooks[owner]; known != nil && known.token == token {
		failures = known.failures + 1
	}
	again := now.Add(backOff(hookRetry, failures, hookRetryBound))
	m.hooks[owner] = &hookFailure{token: token, failures: failures, again: again, message: err.Error()}
}

// hooksPause returns the wait for the next try of a run that failed, or Continue when its time has come.
func (m *Memory) hooksPause(owner types.UID, token string, now time.Time) outcome.Outcome {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.hooks[owner]
	if known == nil || known.token != token || !now.Before(known.again) {
		return outcome.Continue{}
	}
	return outcome.Wait{
		Reason:  v2alpha1.ReasonHooksFailed,
		Message: fmt.Sprintf("%s; it runs again at %s", known.message, known.again.UTC().Format("15:04:05 UTC")),
		After:   known.again.Sub(now),
	}
}

// hooksDone forgets the failures of a resource whose hooks are done.
func (m *Memory) hooksDone(owner types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.hooks, owner)
}
