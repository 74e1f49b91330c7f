package sandbox

import (
	"context"
	"errors"
	"io"
	"log"
	"runtime/debug"
	"time"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/render"
)

// chartsKept is how many parsed charts a process keeps: those of an upgrade on its way and of its neighbours.
const chartsKept = 3

// pauseLength is how long a process has nothing to do before it gives memory back.
const pauseLength = 2 * time.Second

// Main is the life of a render process: it puts itself under the bounds of the first message, then renders one question
// after the other, until its input ends. That happens also when the parent dies, in the middle of a render or not. The
// result is the exit code. Nothing but messages may be written to stdout.
func Main(stdin io.Reader, stdout io.Writer) int {
	// Helm logs values it cannot merge. They belong into no log.
	log.SetOutput(io.Discard)
	var bounds setup
	if err := readFrame(stdin, &bounds); err != nil {
		return 1
	}
	if err := bound(bounds.Memory); err != nil {
		// Better no render than one without bounds.
		_ = writeFrame(stdout, reply(render.Release{}, err))
		return 1
	}
	if err := writeFrame(stdout, answer{}); err != nil {
		return 1
	}
	questions := make(chan question)
	ended := make(chan int, 2)
	go func() { ended <- receive(stdin, questions) }()
	go func() { ended <- serve(questions, stdout) }()
	return <-ended
}

// receive passes questions on until there are no more.
func receive(stdin io.Reader, questions chan<- question) int {
	for {
		var q question
		if err := readFrame(stdin, &q); err != nil {
			return 0
		}
		questions <- q
	}
}

// serve answers questions. After a pause it gives back to the system what renders used: the process may idle for hours.
func serve(questions <-chan question, stdout io.Writer) int {
	kept := &cache{}
	pause := time.NewTimer(pauseLength)
	for {
		select {
		case q := <-questions:
			pause.Stop()
			if err := writeFrame(stdout, kept.answer(q)); err != nil {
				return 1
			}
			pause.Reset(pauseLength)
		case <-pause.C:
			debug.FreeOSMemory()
		}
	}
}

// cache holds the charts that were rendered last, newest first.
type cache struct {
	charts []cached
}

type cached struct {
	digest string
	chart  *render.Prepared
}

func (c *cache) answer(q question) answer {
	prepared, err := c.find(q)
	if err != nil {
		return reply(render.Release{}, err)
	}
	if prepared == nil {
		return answer{NeedChart: true}
	}
	req, err := q.request()
	if err != nil {
		return reply(render.Release{}, err)
	}
	//nolint:forbidigo // a render process has no caller whose context it could take; who wants it to stop kills it
	return reply(prepared.Render(context.Background(), req))
}

// find returns the chart of a question, parsed, and nil if it has to be sent first.
func (c *cache) find(q question) (*render.Prepared, error) {
	for i, known := range c.charts {
		if known.digest == q.Chart {
			copy(c.charts[1:i+1], c.charts[:i])
			c.charts[0] = known
			return known.chart, nil
		}
	}
	if q.Files == nil {
		return nil, nil
	}
	sent, err := chart.FromFiles(q.Files, chart.DefaultLimits())
	if err != nil {
		return nil, &render.Error{Kind: render.Chart, Text: err.Error(), Cause: err}
	}
	if sent.Digest != q.Chart {
		return nil, errors.New("the chart that was sent is not the chart that was named")
	}
	prepared, err := render.Prepare(sent)
	if err != nil {
		return nil, err
	}
	if len(c.charts) == chartsKept {
		c.charts = c.charts[:chartsKept-1]
	}
	c.charts = append([]cached{{q.Chart, prepared}}, c.charts...)
	return prepared, nil
}
