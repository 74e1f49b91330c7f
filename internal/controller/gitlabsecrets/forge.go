package gitlabsecrets

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen"
)

// wakes is how many resources can be waiting to be told that their keys are done. One more is found by its interval.
const wakes = 1024

// Forge makes keys away from the workers, as many at once as it was told. What it made stays in memory until the
// resource no longer needs it, so that a pass that fails to write does not pay again, and is never written without
// another look at what is there.
type Forge struct {
	random io.Reader
	now    func() time.Time
	slots  chan struct{}
	done   chan event.GenericEvent

	mu      sync.Mutex
	batches map[types.NamespacedName]*batch
}

// batch is what one generation of one resource needs.
type batch struct {
	uid        types.UID
	generation int64
	jobs       map[string]*forged
}

// forged is one job: unfinished, done, or broken.
type forged struct {
	finished bool
	made     secretgen.Made
	err      error
}

// NewForge returns a forge that makes at most this many keys at once.
func NewForge(atOnce int, random io.Reader, now func() time.Time) *Forge {
	return &Forge{
		random: random, now: now,
		slots:   make(chan struct{}, max(atOnce, 1)),
		done:    make(chan event.GenericEvent, wakes),
		batches: map[types.NamespacedName]*batch{},
	}
}

// Done yields a resource when the last of its keys is made.
func (f *Forge) Done() <-chan event.GenericEvent { return f.done }

// Collect returns what is made of the jobs and how many are unfinished, and starts those it does not know. It drops what
// the resource no longer asks for, and everything of another generation: a recipe may have changed with it. An error
// says which job failed; that one starts over with the next call.
func (f *Forge) Collect(resource *v2alpha1.GitLabSecrets, jobs []secretgen.Job) (map[string]secretgen.Made, int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := client.ObjectKeyFromObject(resource)
	b := f.batches[key]
	if b == nil || b.uid != resource.UID || b.generation != resource.Generation {
		b = &batch{uid: resource.UID, generation: resource.Generation, jobs: map[string]*forged{}}
	}
	f.keep(key, b, jobs)
	made, unfinished := map[string]secretgen.Made{}, 0
	var failed error
	for _, job := range jobs {
		id := job.ID()
		one, known := b.jobs[id]
		switch {
		case !known:
			b.jobs[id] = &forged{}
			go f.forge(key, b, job)
			unfinished++
		case !one.finished:
			unfinished++
		case one.err != nil:
			delete(b.jobs, id)
			failed = fmt.Errorf("make %s: %w", id, one.err)
		default:
			made[id] = one.made
		}
	}
	return made, unfinished, failed
}

// Retain drops everything of a resource but what these jobs made or will make: a value that is written must not stay in
// memory.
func (f *Forge) Retain(resource *v2alpha1.GitLabSecrets, jobs []secretgen.Job) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := client.ObjectKeyFromObject(resource)
	if b := f.batches[key]; b != nil {
		f.keep(key, b, jobs)
	}
}

// keep drops what is not asked for any more.
func (f *Forge) keep(key types.NamespacedName, b *batch, jobs []secretgen.Job) {
	asked := make(map[string]bool, len(jobs))
	for _, job := range jobs {
		asked[job.ID()] = true
	}
	for id := range b.jobs {
		if !asked[id] {
			delete(b.jobs, id)
		}
	}
	if len(jobs) == 0 {
		delete(f.batches, key)
		return
	}
	f.batches[key] = b
}

// Forget drops everything of a resource. What is being made is thrown away when it is done.
func (f *Forge) Forget(key types.NamespacedName) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.batches, key)
}

// forge makes one value when a slot is free, unless nobody waits for it any more.
func (f *Forge) forge(key types.NamespacedName, b *batch, job secretgen.Job) {
	f.slots <- struct{}{}
	defer func() { <-f.slots }()
	if !f.wanted(key, b, job.ID()) {
		return
	}
	made, err := f.run(job)
	f.finish(key, b, job.ID(), forged{finished: true, made: made, err: err})
}

// errPanic says that a recipe broke off. What it broke off with may hold a value, so it is not told.
var errPanic = errors.New("the recipe broke off; this is a fault of the Operator")

// run makes one value. A recipe that breaks off must not take the manager, and every other kind, down with it.
func (f *Forge) run(job secretgen.Job) (made secretgen.Made, err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return job.Make(f.random, f.now())
}

func (f *Forge) wanted(key types.NamespacedName, b *batch, id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.batches[key] == b && b.jobs[id] != nil
}

// finish stores a result and wakes the resource when it was the last one.
func (f *Forge) finish(key types.NamespacedName, b *batch, id string, result forged) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.batches[key] != b || b.jobs[id] == nil {
		return
	}
	*b.jobs[id] = result
	for _, one := range b.jobs {
		if !one.finished {
			return
		}
	}
	resource := &v2alpha1.GitLabSecrets{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	select {
	case f.done <- event.GenericEvent{Object: resource}:
	default:
	}
}
