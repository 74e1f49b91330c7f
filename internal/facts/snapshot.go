package facts

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/portcullis-operator/portcullis/internal/plan"
)

const (
	// readTimeout bounds one read of what the cluster serves.
	readTimeout = 30 * time.Second
	// patience is how long a read may take before those who have an old answer go on with it. A read that succeeds takes
	// a fraction of it, so an old answer is used only while the cluster is slow or away.
	patience = time.Second
)

// Snapshot is what the cluster serves, read at most once per TTL however many passes and reviews ask.
type Snapshot struct {
	// Read asks the cluster.
	Read func(ctx context.Context) (plan.Capabilities, error)
	// TTL is how old an answer may be.
	TTL time.Duration
	// Now is the clock.
	Now func() time.Time

	mu    sync.Mutex
	last  plan.Capabilities
	at    time.Time
	known bool
	// under is the read under way, nil while there is none.
	under *inquiry
}

// inquiry is one read of what the cluster serves, for all who ask while it is under way.
type inquiry struct {
	// done is closed when served and err are final, slow when those with an old answer need not wait any longer.
	done, slow chan struct{}
	served     plan.Capabilities
	err        error
}

// Get returns what the cluster serves. An old answer is replaced first; where that takes longer than a moment, or the
// cluster does not answer, the old one is returned and marked partial while the read goes on, so that reviews are never
// held up and nothing is pruned on the strength of it. Only without any earlier answer Get waits for one, or fails.
func (s *Snapshot) Get(ctx context.Context) (plan.Capabilities, error) {
	last, fresh, known := s.recall()
	if fresh {
		return last, nil
	}
	read := s.ask(ctx)
	var slow <-chan struct{}
	if known {
		slow = read.slow
	}
	err := error(nil)
	select {
	case <-read.done:
		if err = read.err; err == nil {
			return read.served, nil
		}
	case <-slow:
	case <-ctx.Done():
		err = fmt.Errorf("wait for the answer: %w", ctx.Err())
	}
	if known {
		last.Partial = true
		return last, nil
	}
	return plan.Capabilities{}, fmt.Errorf("ask the cluster what it serves: %w", err)
}

// ask returns the read under way, or starts one. The read does not end with the request that happened to be the first
// to want it, since the others still do; it ends with its own time limit.
func (s *Snapshot) ask(ctx context.Context) *inquiry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.under != nil {
		return s.under
	}
	q := &inquiry{done: make(chan struct{}), slow: make(chan struct{})}
	s.under = q
	impatient := time.AfterFunc(patience, func() { close(q.slow) })
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	go func() {
		defer cancel()
		defer impatient.Stop()
		q.served, q.err = s.Read(ctx)
		s.settle(q)
	}()
	return q
}

// settle keeps an answer and lets the next read begin.
func (s *Snapshot) settle(q *inquiry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.err == nil {
		s.last, s.at, s.known = q.served, s.Now(), true
	}
	s.under = nil
	close(q.done)
}

func (s *Snapshot) recall() (last plan.Capabilities, fresh, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.known && s.Now().Sub(s.at) < s.TTL, s.known
}
