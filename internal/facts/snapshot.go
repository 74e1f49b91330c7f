package facts

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/portcullis-operator/portcullis/internal/plan"
)

// readTimeout bounds one read of what the cluster serves.
const readTimeout = 30 * time.Second

// Snapshot is what the cluster serves, read at most once per TTL however many passes and reviews ask.
type Snapshot struct {
	// Read asks the cluster.
	Read func(ctx context.Context) (plan.Capabilities, error)
	// TTL is how old an answer may be.
	TTL time.Duration
	// Now is the clock.
	Now func() time.Time

	flights singleflight.Group
	mu      sync.Mutex
	last    plan.Capabilities
	at      time.Time
	known   bool
}

// Get returns what the cluster serves. While the cluster does not answer, what it served last is returned and marked
// partial, so that reviews go on and nothing is pruned; without any earlier answer it fails.
func (s *Snapshot) Get(ctx context.Context) (plan.Capabilities, error) {
	if last, fresh, _ := s.recall(); fresh {
		return last, nil
	}
	served, err := s.ask(ctx)
	if err == nil {
		return served, nil
	}
	if last, _, known := s.recall(); known {
		last.Partial = true
		return last, nil
	}
	return plan.Capabilities{}, fmt.Errorf("ask the cluster what it serves: %w", err)
}

// ask reads once for all who ask at the same time. The read does not end with the request that happened to be the first
// of them, since the others still want the answer; it ends with its own time limit.
func (s *Snapshot) ask(ctx context.Context) (plan.Capabilities, error) {
	var served plan.Capabilities
	answer := s.flights.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		read, err := s.Read(ctx)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.last, s.at, s.known = read, s.Now(), true
		return read, nil
	})
	select {
	case <-ctx.Done():
		return served, fmt.Errorf("wait for the answer: %w", ctx.Err())
	case result := <-answer:
		served, _ = result.Val.(plan.Capabilities)
		return served, result.Err
	}
}

func (s *Snapshot) recall() (last plan.Capabilities, fresh, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.known && s.Now().Sub(s.at) < s.TTL, s.known
}
