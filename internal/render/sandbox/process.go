package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/portcullis-operator/portcullis/internal/render"
)

// startLimit is how long a process may take to say that it is there.
const startLimit = 30 * time.Second

// DeathError is the end of a render process that nobody asked for. Words are the beginning and the end of what it wrote to
// its standard error, where the runtime says why it gave up. They are for those who look for the cause, not for those who
// wrote the values.
type DeathError struct {
	State string
	Words string
	// Peak is the most memory it ever held, in bytes.
	Peak int64
}

// Error returns how the process ended.
func (e *DeathError) Error() string { return "the render process ended with " + e.State }

// process is one running render process.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  io.ReadCloser
	stderr  *excerpt
	// ended is closed when the process is gone and waited for.
	ended chan struct{}
	// killed says that we ended it.
	killed atomic.Bool
}

// start starts a process and puts it under its bounds.
func start(argv []string, memory int64) (*process, error) {
	if len(argv) == 0 {
		return nil, errors.New("no command is set for render processes")
	}
	p, err := launch(exec.Command(argv[0], argv[1:]...))
	if err != nil {
		return nil, err
	}
	late := time.AfterFunc(startLimit, p.kill)
	defer late.Stop()
	var ready answer
	if err := p.exchange(setup{Memory: memory}, &ready); err != nil {
		return nil, fmt.Errorf("starting a render process: %w", p.bury())
	}
	if ready.Failure != nil {
		_ = p.bury()
		return nil, fmt.Errorf("starting a render process: %s", ready.Failure.Text)
	}
	return p, nil
}

// environment is all that a render process inherits. A render is one goroutine and the collector beside it: two
// processors serve it, and on a machine with many the stacks of their threads would eat up its memory.
func environment() []string { return []string{"GOTRACEBACK=none", "GOMAXPROCS=2"} }

// launch runs a command with its ends of the pipes in our hands.
func launch(command *exec.Cmd) (*process, error) {
	// The environment may hold secrets, and templates have no use for one. The traceback of a panic would say
	// nothing that its first line does not.
	command.Env = environment()
	// A signal from the terminal is for the parent; the process goes when its input ends.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("preparing a render process: %w", err)
	}
	// Not StdoutPipe: Wait would close that one while it is being read.
	stdout, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("preparing a render process: %w", err)
	}
	p := &process{command: command, stdin: stdin, stdout: stdout, stderr: &excerpt{}, ended: make(chan struct{})}
	command.Stdout, command.Stderr = theirs, p.stderr
	err = command.Start()
	_ = theirs.Close()
	if err != nil {
		_ = stdout.Close()
		return nil, fmt.Errorf("starting a render process: %w", err)
	}
	go func() {
		defer close(p.ended)
		// How it ended is in ProcessState.
		_ = command.Wait()
	}()
	return p, nil
}

// exchange sends one message and receives the next. It cannot hang longer than the process lives.
func (p *process) exchange(message, into any) error {
	if err := writeFrame(p.stdin, message); err != nil {
		return err
	}
	return readFrame(p.stdout, into)
}

// alive reports whether the process can be asked.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// kill ends the process at once.
func (p *process) kill() {
	p.killed.Store(true)
	// It may be gone already; then there is nothing to do.
	_ = p.command.Process.Kill()
}

// bury sees to it that the process is gone, and says how it went. One that is about to die by itself gets a moment, so
// that its own cause is seen.
func (p *process) bury() *DeathError {
	_ = p.stdin.Close()
	moment := time.AfterFunc(time.Second, p.kill)
	defer moment.Stop()
	<-p.ended
	_ = p.stdout.Close()
	return &DeathError{State: p.command.ProcessState.String(), Words: p.stderr.String(), Peak: peak(p.command.ProcessState)}
}

// ask puts a question to the process and sends the chart where that is wanted. ctx ends the process together with the
// question: there is no other way to stop a template.
func (p *process) ask(ctx context.Context, q question, files func() question) (answer, error) {
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	var a answer
	err := p.exchange(q, &a)
	if err == nil && a.NeedChart {
		a = answer{}
		err = p.exchange(files(), &a)
	}
	if err == nil && a.NeedChart {
		err = errNoFrame
	}
	return a, err
}

// peak returns the most memory that an ended process held, in bytes, and zero where the system does not say.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}

// fullAt is the part of its memory that a process must have held before a thread it could not start is taken for a want
// of memory. Below, the machine has run out of threads, which says nothing about the templates.
const fullAt = 4

// lacksMemory reports whether the runtime of the process gave up for want of memory, or for a stack without an end. The
// stack of a new thread counts as memory too: near the bound, starting one may be what fails.
func (d *DeathError) lacksMemory(memory int64) bool {
	for _, sign := range []string{"out of memory", "cannot allocate memory", "stack exceeds", "stack overflow"} {
		if strings.Contains(d.Words, sign) {
			return true
		}
	}
	for _, sign := range []string{"pthread_create failed", "failed to create new OS thread", "newosproc"} {
		if strings.Contains(d.Words, sign) {
			return d.Peak > memory/fullAt
		}
	}
	return false
}

// explain says what the end of the process means for the render it was busy with.
func (p *process) explain(death *DeathError, memory int64) error {
	if death.lacksMemory(memory) {
		return &render.Error{Kind: render.Limit, Cause: death, Text: fmt.Sprintf(
			"the templates need more than the %d MiB of memory a render may use, or call each other without an end", memory>>20)}
	}
	if !p.killed.Load() && strings.Contains(death.State, "signal: killed") {
		return &render.Error{Kind: render.Limit, Cause: death, Text: "the system ended the render, most likely because it ran out of memory"}
	}
	return &render.Error{Kind: render.Internal, Cause: death, Text: "the render process ended unexpectedly"}
}
