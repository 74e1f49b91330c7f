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
}

// remembered is the last full pass of one resource.
type remembered struct {
	digest    string
	at        time.Time
	prints    map[object.Ref]string
	workloads []object.Ref
	repairs   map[object.Ref][]time.Time
	contested map[object.Ref]time.Time
	// ready holds the resource versions of the workloads when they were last seen rolled out.
	ready map[object.Ref]string
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{owners: map[types.UID]*remembered{}, holders: map[object.Ref]types.UID{}}
}

// Remember records a full pass in which every object applied. It returns the objects that another writer keeps undoing:
// each is named once, when it becomes contested.
func (m *Memory) Remember(owner types.UID, digest string, changes apply.ChangeSet, now time.Time) []object.Ref {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.owners[owner]
	next := &remembered{
		digest: digest, at: now, prints: map[object.Ref]string{}, workloads: Workloads(changes),
		repairs: map[object.Ref][]time.Time{}, contested: map[object.Ref]time.Time{},
	}
	var newly []object.Ref
	for _, c := range changes {
		if c.Live != nil {
			next.prints[c.Ref] = object.Fingerprint(c.Live)
		}
		if before != nil && before.digest == digest && before.note(next, c, now) {
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
	if until, ok := r.contested[c.Ref]; ok && now.Before(until) {
		next.contested[c.Ref] = until
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

// Knows reports whether the last full pass of a resource had these inputs and every object of it applied. What a new one
// changes is then what somebody else did.
func (m *Memory) Knows(owner types.UID, digest string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.owners[owner]
	return known != nil && known.digest == digest
}

// Forget drops what is known of a resource, so that its next pass is a full one.
func (m *Memory) Forget(owner types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(owner)
}

// Unchanged reports whether a pass with these inputs has nothing to apply: the last full pass had the same inputs, is
// recent, and every object it applied is as it left it. The second value names the workloads of that pass. Reading
// comes from the metadata cache and costs the API server nothing.
func (m *Memory) Unchanged(ctx context.Context, metadata client.Reader, owner types.UID, digest string, now time.Time) (bool, []object.Ref) {
	m.mu.Lock()
	known := m.owners[owner]
	m.mu.Unlock()
	if metadata == nil || known == nil || known.digest != digest || now.Sub(known.at) >= fullInterval {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	for ref, left := range known.prints {
		if until, ok := known.contested[ref]; ok && now.Before(until) {
			continue
		}
		live := &metav1.PartialObjectMetadata{}
		live.SetGroupVersionKind(ref.GVK)
		if err := metadata.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, live); err != nil {
			return false, nil
		}
		if object.Fingerprint(live) != left {
			return false, nil
		}
	}
	return true, known.workloads
}

// Ours reports whether an object is just as we left it, so that an event about it is the echo of our own write.
func (m *Memory) Ours(ref object.Ref, live metav1.Object, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.owners[m.holders[ref]]
	if known == nil {
		return false
	}
	if until, fought := known.contested[ref]; fought && now.Before(until) {
		return true
	}
	return known.prints[ref] == object.Fingerprint(live)
}
