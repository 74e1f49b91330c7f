package sandbox

import (
	"context"
	"errors"

	"github.com/portcullis-operator/portcullis/internal/render"
)

// flight is a render under way and those who wait for it. It goes on as long as one of them does.
type flight struct {
	waiting int
	cancel  context.CancelCauseFunc
	// done is closed when answer and err are final.
	done   chan struct{}
	answer answer
	err    error
}

// errDeserted ends a flight that nobody waits for any more.
var errDeserted = errors.New("nobody waits for this render")

// join returns the flight of a question, starting it if there is none. Whoever joins has to leave.
func (p *Pool) join(ctx context.Context, digest string, q question, req render.Request) (*flight, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if f, ok := p.flights[digest]; ok {
		f.waiting++
		return f, nil
	}
	// The render outlives the caller who happened to come first.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &flight{waiting: 1, cancel: cancel, done: make(chan struct{})}
	p.flights[digest] = f
	p.tasks.Go(func() {
		f.answer, f.err = p.run(ctx, q, req)
		close(f.done)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.forget(digest, f)
	})
	return f, nil
}

// leave ends a flight that nobody waits for any more.
func (p *Pool) leave(digest string, f *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		p.forget(digest, f)
		f.cancel(errDeserted)
	}
}

// forget lets later requests start anew: a flight is shared only while it is under way. The caller holds the lock.
func (p *Pool) forget(digest string, f *flight) {
	if p.flights[digest] == f {
		delete(p.flights, digest)
	}
}
