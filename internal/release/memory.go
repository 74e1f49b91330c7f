package release

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
)

const (
	// Interval is when a resource is looked at again although nothing woke it: the promise of the seeds.
	Interval = 30 * time.Second
	// fullInterval is how long an unchanged pass may stand in for a full one.
	fullInterval = 10 * time.Minute
	// contestWindow and contestLimit say when another writer is fighting back: that many repairs of one object within
	// the window.
	contestWindow = time.Minute
	contestLimit  = 5
	// contestPause is how long a contested object is left alone. The 30-second pass then tries again.
	contestPause = 5 * time.Minute
	// lookTimeout bounds a look into the metadata cache, which waits for kinds it has not listed yet.
	lookTimeout = 2 * time.Second
)

// Memory is what this process applied, so that a pass with nothing to do costs nothing and our own writes wake nobody.
// It is lost with the process, which then makes one full pass.
type Memory struct {
	mu     sync.Mutex
	owners map[types.UID]*remembered
	// holders finds the owner of an object, so that an event costs the same with one resource as with a thousand.
	holders map[object.Ref]types.UID
	hooks   map[types.UID]*hookFailure
}

// remembered is the last full pass of one resource.
type remembered struct {
	digest string
	at     time.Time
	// settled says that every object applied and the pass left nothing for the next one to do.
	settled bool
	// failed is how the pass ended when an object did not apply, and failures how many passes with these inputs did so.
	failed    outcome.Outcome
	failures  int
	prints    map[object.Ref]string
	workloads []object.Ref
	repairs   map[object.Ref][]time.Time
	contested map[object.Ref]time.Time
	// ready holds the resource versions of the workloads when they were last seen rolled out.
	ready map[object.Ref]string
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{owners: map[types.UID]*remembered{}, holders: map[object.Ref]types.UID{}, hooks: map[types.UID]*hookFailure{}}
}

// Applied is what a full pass did.
type Applied struct {
	// Digest identifies the inputs.
	Digest string
	// Changes is what became of each object, also when some failed.
	Changes apply.ChangeSet
	// Outcome is that of the apply.
	Outcome outcome.Outcome
	// More says that the next pass has something to do although every object applied.
	More bool
	// At is the time of the pass.
	At time.Time
}

// Remember records a full pass, one in which objects failed too: what it did apply is still ours. It returns the objects
// that another writer keeps undoing: each is named once, when it becomes contested.
func (m *Memory) Remember(owner types.UID, a Applied) []object.Ref {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.owners[owner]
	same := before != nil && before.digest == a.Digest
	next := &remembered{
		digest: a.Digest, at: a.At, settled: !Stop(a.Outcome) && !a.More, prints: map[object.Ref]string{}, workloads: Workloads(a.Changes),
		repairs: map[object.Ref][]time.Time{}, contested: map[object.Ref]time.Time{},
	}
	if Stop(a.Outcome) {
		next.failed, next.failures = a.Outcome, 1
		if same {
			next.failures = before.failures + 1
		}
	}
	var newly []object.Ref
	for _, c := range a.Changes {
		if c.Live != nil {
			next.prints[c.Ref] = object.Fingerprint(c.Live)
		} else if before != nil && before.prints[c.Ref] != "" && (c.Action != apply.Skipped || before.fought(c.Ref, a.At)) {
			next.prints[c.Ref] = before.prints[c.Ref]
		}
		if same && before.note(next, c, a.At) {
			newly = append(newly, c.Ref)
		}
	}
	m.drop(owner)
	m.owners[owner] = next
	for ref := range next.prints {
		m.holders[ref] = owner
	}
	return newly
}

// drop removes an owner and what it holds. The caller has the lock.
func (m *Memory) drop(owner types.UID) {
	if known := m.owners[owner]; known != nil {
		for ref := range known.prints {
			if m.holders[ref] == owner {
				delete(m.holders, ref)
			}
		}
	}
	delete(m.owners, owner)
}

// note carries the history of repairs of one object on and reports whether it has just become contested.
func (r *remembered) note(next *remembered, c apply.Change, now time.Time) bool {
	if r.fought(c.Ref, now) {
		next.contested[c.Ref] = r.contested[c.Ref]
		return false
	}
	var recent []time.Time
	for _, t := range r.repairs[c.Ref] {
		if now.Sub(t) < contestWindow {
			recent = append(recent, t)
		}
	}
	if c.Action == apply.Configured || c.Action == apply.Created {
		recent = append(recent, now)
	}
	if len(recent) < contestLimit {
		if len(recent) > 0 {
			next.repairs[c.Ref] = recent
		}
		return false
	}
	next.contested[c.Ref] = now.Add(contestPause)
	return true
}

// fought reports whether an object is left to another writer for now.
func (r *remembered) fought(ref object.Ref, now time.Time) bool {
	until, ok := r.contested[ref]
	return ok && now.Before(until)
}

// Contested reports which objects a pass leaves to another writer: those that were repaired again and again with the same
// inputs, until the pause has passed. Other inputs are applied whole.
func (m *Memory) Contested(owner types.UID, digest string, now time.Time) []object.Ref {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.owners[owner]
	if known == nil || known.digest != digest {
		return nil
	}
	var out []object.Ref
	for ref := range known.contested {
		if known.fought(ref, now) {
			out = append(out, ref)
		}
	}
	return out
}

// Drifted returns what a pass had to make or change although its inputs are those of the last one: what somebody else
// deleted or changed.
func (m *Memory) Drifted(owner types.UID, digest string, changes apply.ChangeSet) apply.ChangeSet {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.owners[owner]
	if known == nil || known.digest != digest {
		return nil
	}
	var out apply.ChangeSet
	for _, c := range changes {
		if moved := c.Action == apply.Created || c.Action == apply.Configured; moved && known.prints[c.Ref] != "" {
			out = append(out, c)
		}
	}
	return out
}

// Forget drops what is known of a resource that is deleted.
func (m *Memory) Forget(owner types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(owner)
	delete(m.hooks, owner)
}

// Unsettle makes the next pass of a resource a full one. What was applied is still known for ours.
func (m *Memory) Unsettle(owner types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.owners[owner]; known != nil {
		known.settled, known.failed = false, nil
	}
}

// Rest is what is left to do for a pass that has nothing to apply.
type Rest struct {
	// Workloads are those to judge.
	Workloads []object.Ref
	// Failed is how the last full pass ended, when it failed so short a while ago that another would end alike.
	Failed outcome.Outcome
}

// Resting reports whether a pass with these inputs has nothing to apply: the last full pass had the same inputs, every
// object is as it left it, and it is recent; one that failed, more recent than the back-off of its failures. Reading
// comes from the metadata cache and costs the API server nothing.
func (m *Memory) Resting(ctx context.Context, metadata client.Reader, owner types.UID, digest string, now time.Time) (Rest, bool) {
	m.mu.Lock()
	known := m.owners[owner]
	if metadata == nil || known == nil || known.digest != digest || now.Sub(known.at) >= known.lasts() {
		m.mu.Unlock()
		return Rest{}, false
	}
	rest := Rest{Workloads: known.workloads, Failed: known.failed}
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	for ref, left := range known.prints {
		if known.fought(ref, now) {
			continue
		}
		live := &metav1.PartialObjectMetadata{}
		live.SetGroupVersionKind(ref.GVK)
		if err := metadata.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, live); err != nil {
			return Rest{}, false
		}
		if object.Fingerprint(live) != left {
			return Rest{}, false
		}
	}
	return rest, true
}

// lasts is how long a pass may stand in for another full one.
func (r *remembered) lasts() time.Duration {
	switch {
	case r.settled:
		return fullInterval
	case r.failed != nil:
		return backOff(FirstRetry, r.failures, Interval)
	}
	return 0
}

// backOff is a delay that doubles with each failure after the first, up to a bound.
func backOff(first time.Duration, failures int, bound time.Duration) time.Duration {
	for range failures - 1 {
		if first *= 2; first >= bound {
			return bound
		}
	}
	return first
}

// Ours reports whether an object is just as we left it, so that an event about it is the echo of our own write.
func (m *Memory) Ours(ref object.Ref, live metav1.Object, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.owners[m.holders[ref]]
	if known == nil {
		return false
	}
	if known.fought(ref, now) {
		return true
	}
	return known.prints[ref] == object.Fingerprint(live)
}
