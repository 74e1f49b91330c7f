package sandbox

import (
	"context"
	"fmt"
	"time"
)

// worker is a place in the pool and the process that fills it. It belongs to one goroutine at a time.
type worker struct {
	process *process
	// chart is the digest of the chart it rendered last; it has that one parsed.
	chart string
}

// wake sees to it that the worker has a process.
func (w *worker) wake(config Config) error {
	if w.process != nil {
		if w.process.alive() {
			return nil
		}
		_ = w.process.bury()
	}
	w.process, w.chart = nil, ""
	process, err := start(config.Command, config.MemoryLimit)
	if err != nil {
		return err
	}
	w.process = process
	return nil
}

// end ends the worker's process, if it has one.
func (w *worker) end() {
	if w.process != nil {
		w.process.kill()
		_ = w.process.bury()
	}
}

// acquire waits for a free worker, and takes the one that knows the chart if there is a choice.
func (p *Pool) acquire(ctx context.Context, chart string) (*worker, error) {
	late := time.NewTimer(p.config.QueueLimit)
	defer late.Stop()
	select {
	case <-p.free:
	case <-late.C:
		return nil, fmt.Errorf("%w: none of %d processes was free within %s", ErrBusy, p.config.Workers, p.config.QueueLimit)
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a render process: %w", context.Cause(ctx))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	chosen := len(p.idle) - 1
	for i, w := range p.idle {
		if w.chart == chart {
			chosen = i
		}
	}
	w := p.idle[chosen]
	p.idle = append(p.idle[:chosen], p.idle[chosen+1:]...)
	return w, nil
}

// settle gives a worker back, with a new process if its own died, so that the next render meets a warm one. A start
// that fails is tried again by the render that needs it.
func (p *Pool) settle(w *worker) {
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if !closed {
		_ = w.wake(p.config)
	}
	p.mu.Lock()
	p.idle = append(p.idle, w)
	p.mu.Unlock()
	p.free <- struct{}{}
}
