package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/portcullis-operator/portcullis/internal/render"
)

var (
	// ErrBusy is a render that found no free process in time. It says nothing about the values.
	ErrBusy = errors.New("too many renders are waiting")
	// ErrTimeout is a render that was ended because it took too long.
	ErrTimeout = errors.New("the render took too long")
	// ErrClosed is a render asked of a pool that was closed.
	ErrClosed = errors.New("the render processes are shut down")
)

// Config says how a Pool renders. All fields but Command have defaults that fit.
type Config struct {
	// Command is what starts a process that calls Main: this program and an argument.
	Command []string
	// Workers is how many renders run at once; 2 if zero. Together they may take Workers times MemoryLimit, so their
	// number follows the memory there is and not the processors.
	Workers int
	// MemoryLimit is what one process may use, in bytes; 512 MiB if zero.
	MemoryLimit int64
	// Timeout is how long one render may take, waiting not included; 5 s if zero.
	Timeout time.Duration
	// QueueLimit is how long a render waits for a free process; 4 s if zero.
	QueueLimit time.Duration
}

func (c Config) withDefaults() Config {
	if c.Workers <= 0 {
		c.Workers = 2
	}
	if c.MemoryLimit <= 0 {
		c.MemoryLimit = 512 << 20
	}
	if c.Timeout <= 0 {
		c.Timeout = 5 * time.Second
	}
	if c.QueueLimit <= 0 {
		c.QueueLimit = 4 * time.Second
	}
	return c
}

// Pool renders in processes of its own. It is safe for any number of goroutines.
type Pool struct {
	config Config
	// free holds a token for each worker that is not busy; which one it is, idle knows.
	free  chan struct{}
	tasks sync.WaitGroup

	mu      sync.Mutex
	idle    []*worker
	flights map[string]*flight
	closed  bool
}

// New returns a pool and starts its processes in the background; the first render waits for one if it must.
func New(config Config) *Pool {
	config = config.withDefaults()
	p := &Pool{config: config, free: make(chan struct{}, config.Workers), flights: map[string]*flight{}}
	for range config.Workers {
		p.tasks.Go(func() { p.settle(&worker{}) })
	}
	return p
}

// Close ends all processes, and with them the renders under way, and waits until they are gone.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for _, f := range p.flights {
		f.cancel(ErrClosed)
	}
	p.mu.Unlock()
	p.tasks.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		w.end()
	}
}

// Render renders as render.Render does. The error is a *render.Error, ErrBusy, ErrTimeout or ErrClosed. A render that
// passes its bound of memory is an Error of kind Limit, and one that ctx ends an Error of kind Canceled. Requests that
// are equal and under way at the same time share one render; each caller gets a release of its own.
func (p *Pool) Render(ctx context.Context, req render.Request) (render.Release, error) {
	if req.Chart == nil {
		return render.Release{}, &render.Error{Kind: render.Input, Text: "there is no chart to render"}
	}
	q, err := ask(req)
	if err != nil {
		return render.Release{}, err
	}
	digest, err := q.digest()
	if err != nil {
		return render.Release{}, err
	}
	f, err := p.join(ctx, digest, q, req)
	if err != nil {
		return render.Release{}, err
	}
	defer p.leave(digest, f)
	select {
	case <-ctx.Done():
		return render.Release{}, &render.Error{Kind: render.Canceled, Text: "the render was stopped before it was through", Cause: context.Cause(ctx)}
	case <-f.done:
	}
	if f.err != nil {
		return render.Release{}, f.err
	}
	return f.answer.result()
}

// run renders one question with a worker of its own.
func (p *Pool) run(ctx context.Context, q question, req render.Request) (answer, error) {
	w, err := p.acquire(ctx, q.Chart)
	if err != nil {
		return answer{}, err
	}
	defer p.tasks.Go(func() { p.settle(w) })
	if err := w.wake(p.config); err != nil {
		return answer{}, &render.Error{Kind: render.Internal, Text: "no render process can be started", Cause: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.config.Timeout, ErrTimeout)
	defer cancel()
	a, err := w.process.ask(ctx, q, func() question {
		q.Files = req.Chart.Files()
		return q
	})
	if err == nil {
		w.chart = q.Chart
		return a, nil
	}
	death := w.process.bury()
	switch {
	case death.lacksMemory(p.config.MemoryLimit):
		// Also when its time ran out meanwhile: a dying runtime may take long to say its last words.
		return answer{}, w.process.explain(death, p.config.MemoryLimit)
	case errors.Is(context.Cause(ctx), ErrTimeout):
		return answer{}, fmt.Errorf("%w: it was ended after %s", ErrTimeout, p.config.Timeout)
	case ctx.Err() != nil:
		return answer{}, fmt.Errorf("rendering: %w", context.Cause(ctx))
	case errors.Is(err, errNoFrame):
		return answer{}, &render.Error{Kind: render.Internal, Text: "the render process sent something that is no answer", Cause: death}
	}
	return answer{}, w.process.explain(death, p.config.MemoryLimit)
}
