package facts_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/portcullis-operator/portcullis/internal/facts"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
)

var errAway = errors.New("the API server is away")

func TestASnapshot(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	reads, away := 0, true
	s := &facts.Snapshot{TTL: 30 * time.Second, Now: func() time.Time { return now }, Read: func(context.Context) (plan.Capabilities, error) {
		reads++
		if away {
			return plan.Capabilities{}, errAway
		}
		return plan.Capabilities{Capabilities: render.BuiltIn("v1.37.2")}, nil
	}}
	if _, err := s.Get(t.Context()); !errors.Is(err, errAway) {
		t.Errorf("without any answer it fails, got %v", err)
	}
	away = false
	for range 3 {
		if got, err := s.Get(t.Context()); err != nil || got.Partial {
			t.Errorf("a fresh answer is whole, got partial=%v, %v", got.Partial, err)
		}
	}
	if reads != 2 {
		t.Errorf("the cluster was asked %d times, want once for each TTL and once for the failure", reads)
	}
	now, away = now.Add(time.Minute), true
	if got, err := s.Get(t.Context()); err != nil || !got.Partial {
		t.Errorf("an old answer stands in while the cluster is away, and says so: partial=%v, %v", got.Partial, err)
	}
}

func TestARequestThatGivesUpDoesNotTakeTheOthersAlong(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	s := &facts.Snapshot{TTL: time.Minute, Now: time.Now, Read: func(ctx context.Context) (plan.Capabilities, error) {
		close(asked)
		select {
		case <-ctx.Done():
			return plan.Capabilities{}, ctx.Err()
		case <-answer:
			return plan.Capabilities{Capabilities: render.BuiltIn("v1.37.2")}, nil
		}
	}}
	impatient, giveUp := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := s.Get(impatient)
		first <- err
	}()
	<-asked
	giveUp()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("a request that gave up says so, got %v", err)
	}
	close(answer)
	if got, err := s.Get(t.Context()); err != nil || got.KubeVersion != "v1.37.2" {
		t.Errorf("the answer is there for the others, got %q, %v", got.KubeVersion, err)
	}
}

// TestAnOldAnswerHoldsNobodyUp: a cluster that takes long to say what it serves must not cost a request its time.
func TestAnOldAnswerHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int32
		slow := false
		s := &facts.Snapshot{TTL: time.Minute, Now: time.Now, Read: func(ctx context.Context) (plan.Capabilities, error) {
			reads.Add(1)
			if slow {
				time.Sleep(20 * time.Second)
			}
			return plan.Capabilities{Capabilities: render.BuiltIn("v1.37.2")}, ctx.Err()
		}}
		get := func() (bool, time.Duration) {
			before := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
			defer cancel()
			got, err := s.Get(ctx)
			if err != nil {
				t.Errorf("with an earlier answer it never fails, got %v", err)
			}
			return got.Partial, time.Since(before)
		}
		get()
		time.Sleep(time.Hour)
		slow = true
		if partial, took := get(); !partial || took > time.Second {
			t.Errorf("the first to ask gets the old answer after %s, marked as partial: %v", took, partial)
		}
		if partial, took := get(); !partial || took > 0 {
			t.Errorf("the next gets it at once, and waited %s, marked as partial: %v", took, partial)
		}
		if reads.Load() != 2 {
			t.Errorf("the cluster was asked %d times, want one read in the background", reads.Load()-1)
		}
		time.Sleep(30 * time.Second)
		if partial, took := get(); partial || took > 0 {
			t.Errorf("once the read is through its answer is there, whole: partial %v after %s", partial, took)
		}
	})
}

func TestWithoutAnyAnswerARequestWaitsForOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &facts.Snapshot{TTL: time.Minute, Now: time.Now, Read: func(context.Context) (plan.Capabilities, error) {
			time.Sleep(5 * time.Second)
			return plan.Capabilities{Capabilities: render.BuiltIn("v1.37.2")}, nil
		}}
		if got, err := s.Get(t.Context()); err != nil || got.Partial || got.KubeVersion != "v1.37.2" {
			t.Errorf("got %q, partial %v, %v", got.KubeVersion, got.Partial, err)
		}
	})
}
