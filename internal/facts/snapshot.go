package facts

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/portcullis-operator/portcullis/internal/plan"
)

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
	result, err, _ := s.flights.Do("", func() (any, error) {
		served, err := s.Read(ctx)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.last, s.at, s.known = served, s.Now(), true
		return served, nil
	})
	if served, ok := result.(plan.Capabilities); ok && err == nil {
		return served, nil
	}
	if last, _, known := s.recall(); known {
		last.Partial = true
		return last, nil
	}
	return plan.Capabilities{}, fmt.Errorf("ask the cluster what it serves: %w", err)
}

func (s *Snapshot) recall() (last plan.Capabilities, fresh, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.known && s.Now().Sub(s.at) < s.TTL, s.known
}
