package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/portcullis-operator/portcullis/internal/render"
)

// patience is how long a patient render waits for a free process before it says that all are busy.
const patience = time.Minute

// Patient renders with the processes of a pool for those who have time, such as a reconcile: at most as many at once as
// there are processes, so that a request of a webhook, which has no time, finds at most one of them before it in every
// process. After a restart, when every resource is rendered at once, they wait for each other instead of failing.
type Patient struct {
	pool  *Pool
	slots chan struct{}
}

// Patient returns the renderer for those who have time.
func (p *Pool) Patient() *Patient {
	return &Patient{pool: p, slots: make(chan struct{}, p.config.Workers)}
}

// Render renders as Pool.Render does. It says ErrBusy only when no process was free for a minute.
func (p *Patient) Render(ctx context.Context, req render.Request) (render.Release, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return render.Release{}, &render.Error{Kind: render.Canceled, Text: "the render was stopped before it began", Cause: context.Cause(ctx)}
	}
	defer func() { <-p.slots }()
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		rendered, err := p.pool.Render(ctx, req)
		if !errors.Is(err, ErrBusy) || waiting.Err() != nil {
			return rendered, err
		}
	}
}
