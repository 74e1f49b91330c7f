package sandbox

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

func TestAPatientRenderOutlivesABusyPool(t *testing.T) {
	pool := poolOf(t, roleWorker, Config{Workers: 1, Timeout: 20 * time.Second, QueueLimit: 20 * time.Millisecond})
	if _, err := retried(t, pool, oneTemplate(t, configMap, nil)); err != nil {
		t.Fatalf("warming up: %v", err)
	}
	settled(pool)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		_, _ = pool.Render(ctx, oneTemplate(t, "{{ range 1000000000000 }}{{ end }}", nil))
	})
	for len(pool.free) > 0 {
		time.Sleep(time.Millisecond)
	}
	patient := pool.Patient()
	waiting.Go(func() {
		if _, err := patient.Render(t.Context(), oneTemplate(t, configMap, nil)); err != nil {
			t.Errorf("a patient render: %v", err)
		}
	})
	for len(patient.slots) == 0 {
		time.Sleep(time.Millisecond)
	}
	// The second one waits for the first, outside the pool.
	stopped, stop := context.WithTimeout(t.Context(), 10*pool.config.QueueLimit)
	defer stop()
	if _, err := patient.Render(stopped, oneTemplate(t, configMap, nil)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second patient render = %v, want it to wait until it is stopped", err)
	}
	cancel()
	waiting.Wait()
}
