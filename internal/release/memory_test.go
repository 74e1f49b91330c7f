package release_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/release"
)

var now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

func deployment(name string, generation int64) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	u.SetNamespace("ns")
	u.SetName(name)
	u.SetUID(types.UID("uid-" + name))
	u.SetGeneration(generation)
	return u
}

func change(u *unstructured.Unstructured, action apply.Action) apply.Change {
	return apply.Change{Ref: object.RefOf(u), Action: action, Live: u}
}

// applied is a full pass in which every object applied.
func applied(digest string, at time.Time, changes ...apply.Change) release.Applied {
	return release.Applied{Digest: digest, Changes: changes, Outcome: outcome.Continue{}, At: at}
}

// metadata answers reads of metadata from a map; it is what a cache does.
type metadata struct {
	client.Reader
	objects map[string]*unstructured.Unstructured
}

func (m *metadata) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	live, ok := m.objects[key.Name]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	into, ok := o.(*metav1.PartialObjectMetadata)
	if !ok {
		return fmt.Errorf("only metadata is cached, not %T", o)
	}
	into.UID, into.Generation, into.ResourceVersion = live.GetUID(), live.GetGeneration(), live.GetResourceVersion()
	into.Labels, into.Annotations, into.OwnerReferences = live.GetLabels(), live.GetAnnotations(), live.GetOwnerReferences()
	into.DeletionTimestamp = live.GetDeletionTimestamp()
	return nil
}

func resting(t *testing.T, m *release.Memory, live client.Reader, owner types.UID, digest string, at time.Time) (bool, []object.Ref) {
	t.Helper()
	rest, ok := m.Resting(t.Context(), live, owner, digest, at)
	return ok, rest.Workloads
}

func TestResting(t *testing.T) {
	cases := map[string]struct {
		digest string
		later  time.Duration
		live   map[string]*unstructured.Unstructured
		want   bool
	}{
		"nothing moved":                        {digest: "a", want: true, live: map[string]*unstructured.Unstructured{"web": deployment("web", 1)}},
		"other inputs are a change":            {digest: "b", live: map[string]*unstructured.Unstructured{"web": deployment("web", 1)}},
		"an edited object is a change":         {digest: "a", live: map[string]*unstructured.Unstructured{"web": deployment("web", 2)}},
		"a deleted object is a change":         {digest: "a", live: nil},
		"after ten minutes a full pass is due": {digest: "a", later: 10 * time.Minute, live: map[string]*unstructured.Unstructured{"web": deployment("web", 1)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := release.NewMemory()
			m.Remember("owner", applied("a", now, change(deployment("web", 1), apply.Created)))
			got, workloads := resting(t, m, &metadata{objects: tc.live}, "owner", tc.digest, now.Add(tc.later))
			if got != tc.want {
				t.Errorf("unchanged: %v, want %v", got, tc.want)
			}
			if got && len(workloads) != 1 {
				t.Errorf("the workloads to judge are %v", workloads)
			}
		})
	}
	t.Run("a manager that has just started knows nothing", func(t *testing.T) {
		if got, _ := resting(t, release.NewMemory(), &metadata{}, "owner", "a", now); got {
			t.Error("it claims that nothing changed")
		}
	})
	t.Run("a pass that left something to do is followed by a full one", func(t *testing.T) {
		m := release.NewMemory()
		more := applied("a", now, change(deployment("web", 1), apply.Created))
		more.More = true
		m.Remember("owner", more)
		if got, _ := resting(t, m, &metadata{objects: map[string]*unstructured.Unstructured{"web": deployment("web", 1)}}, "owner", "a", now); got {
			t.Error("it claims that nothing changed")
		}
	})
	t.Run("what is unsettled is a change", func(t *testing.T) {
		m := release.NewMemory()
		m.Remember("owner", applied("a", now, change(deployment("web", 1), apply.Created)))
		m.Unsettle("owner")
		if got, _ := resting(t, m, &metadata{objects: map[string]*unstructured.Unstructured{"web": deployment("web", 1)}}, "owner", "a", now); got {
			t.Error("it claims that nothing changed")
		}
	})
	t.Run("what is forgotten is a change", func(t *testing.T) {
		m := release.NewMemory()
		m.Remember("owner", applied("a", now, change(deployment("web", 1), apply.Created)))
		m.Forget("owner")
		if got, _ := resting(t, m, &metadata{objects: map[string]*unstructured.Unstructured{"web": deployment("web", 1)}}, "owner", "a", now); got {
			t.Error("it claims that nothing changed")
		}
	})
}

func TestAnEchoOfOurOwnWriteIsKnownFromTheWriteOfAnother(t *testing.T) {
	m := release.NewMemory()
	ours := deployment("web", 3)
	m.Remember("owner", applied("a", now, change(ours, apply.Configured)))
	if !m.Ours(object.RefOf(ours), ours, now) {
		t.Error("our own write would wake us")
	}
	if m.Ours(object.RefOf(ours), deployment("web", 4), now) {
		t.Error("somebody else's write would not wake us")
	}
	if m.Ours(object.RefOf(deployment("db", 1)), deployment("db", 1), now) {
		t.Error("an object nobody applied passes for ours")
	}
}

func TestAWriterWhoFightsBackIsNamedOnceAndThenLeftAlone(t *testing.T) {
	m := release.NewMemory()
	at, named := now, 0
	for i := range 12 {
		at = at.Add(2 * time.Second)
		named += len(m.Remember("owner", applied("a", at, change(deployment("web", int64(i)), apply.Configured))))
	}
	if named != 1 {
		t.Fatalf("the object was named %d times", named)
	}
	edited := &metadata{objects: map[string]*unstructured.Unstructured{"web": deployment("web", 99)}}
	if got, _ := resting(t, m, edited, "owner", "a", at); !got {
		t.Error("the contested object is fought over")
	}
	if got, _ := resting(t, m, edited, "owner", "a", at.Add(6*time.Minute)); got {
		t.Error("after the pause it is not looked at again")
	}
}

func TestAFightIsNoticedInAReleaseThatFails(t *testing.T) {
	m := release.NewMemory()
	at, named := now, 0
	for i := range 12 {
		at = at.Add(2 * time.Second)
		pass := applied("a", at, change(deployment("web", int64(i)), apply.Configured), apply.Change{Ref: object.RefOf(deployment("db", 1)), Action: apply.Failed})
		pass.Outcome = outcome.Fail{Err: errors.New("no such kind")}
		named += len(m.Remember("owner", pass))
	}
	if named != 1 {
		t.Fatalf("the object was named %d times", named)
	}
	if !m.Ours(object.RefOf(deployment("web", 1)), deployment("web", 99), at) {
		t.Error("the next edit of the contested object wakes another pass")
	}
	if got := m.Contested("owner", "a", at); len(got) != 1 || got[0].Name != "web" {
		t.Errorf("left to the other writer: %v", got)
	}
	if got := m.Contested("owner", "b", at); len(got) > 0 {
		t.Errorf("other inputs leave %v to the other writer", got)
	}
	if got := m.Contested("owner", "a", at.Add(5*time.Minute)); len(got) > 0 {
		t.Errorf("%v is left to the other writer for ever", got)
	}
}

func TestAFailedPassIsNotRepeatedBeforeItsBackOffHasPassed(t *testing.T) {
	m := release.NewMemory()
	live := &metadata{objects: map[string]*unstructured.Unstructured{"web": deployment("web", 1)}}
	failing := applied("a", now, change(deployment("web", 1), apply.Unchanged))
	failing.Outcome = outcome.Fail{Err: errors.New("no such kind")}
	for failures, pause := range []time.Duration{200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000} {
		m.Remember("owner", failing)
		pause *= time.Millisecond
		rest, ok := m.Resting(t.Context(), live, "owner", "a", now.Add(pause-1))
		if !ok || rest.Failed != failing.Outcome {
			t.Fatalf("after %d failures: %v, %v just before %s have passed", failures+1, rest, ok, pause)
		}
		if _, ok := m.Resting(t.Context(), live, "owner", "a", now.Add(pause)); ok {
			t.Fatalf("after %d failures: no full pass after %s", failures+1, pause)
		}
	}
	if _, ok := m.Resting(t.Context(), live, "owner", "b", now); ok {
		t.Error("a change of the inputs waits for the back-off")
	}
	live.objects["web"] = deployment("web", 2)
	if _, ok := m.Resting(t.Context(), live, "owner", "a", now); ok {
		t.Error("a drifted object waits for the back-off")
	}
}

func TestWhatDriftedIsToldFromWhatIsNew(t *testing.T) {
	m := release.NewMemory()
	m.Remember("owner", applied("a", now, change(deployment("web", 1), apply.Created), change(deployment("db", 1), apply.Created)))
	changes := apply.ChangeSet{
		change(deployment("web", 3), apply.Configured), change(deployment("db", 1), apply.Unchanged), change(deployment("new", 1), apply.Created),
	}
	drifted := m.Drifted("owner", "a", changes)
	if len(drifted) != 1 || drifted[0].Ref.Name != "web" {
		t.Errorf("drifted: %v", drifted.Refs())
	}
	if drifted := m.Drifted("owner", "b", changes); len(drifted) > 0 {
		t.Errorf("with other inputs %v is called drift", drifted.Refs())
	}
}

func TestAChangeOfTheInputsIsNoFight(t *testing.T) {
	m := release.NewMemory()
	for i := range 12 {
		if named := m.Remember("owner", applied(strconv.Itoa(i), now, change(deployment("web", int64(i)), apply.Configured))); len(named) > 0 {
			t.Fatalf("%v is called contested though every write had another cause", named)
		}
	}
}

func TestWorkloadsThatRestAreNotReadAgain(t *testing.T) {
	web := deployment("web", 1)
	web.SetResourceVersion("7")
	for path, v := range map[string]int64{"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "observedGeneration": 1} {
		if err := unstructured.SetNestedField(web.Object, v, "status", path); err != nil {
			t.Fatal(err)
		}
	}
	cached := &metadata{objects: map[string]*unstructured.Unstructured{"web": web}}
	live := &counted{object: web}
	engine := &release.Engine{Client: live, Memory: release.NewMemory()}
	refs := []object.Ref{object.RefOf(web)}
	engine.Memory.Remember("owner", applied("a", now, change(web, apply.Created)))
	for range 3 {
		if o := engine.Judge(t.Context(), cached, "owner", refs); o != (outcome.Continue{}) {
			t.Fatalf("judged %v", o)
		}
	}
	if live.reads != 1 {
		t.Errorf("the workload was read %d times, want once", live.reads)
	}
	web.SetResourceVersion("8")
	engine.Judge(t.Context(), cached, "owner", refs)
	if live.reads != 2 {
		t.Errorf("the workload moved and was read %d times, want twice", live.reads)
	}
}

// counted answers every read with one object.
type counted struct {
	client.Client
	object *unstructured.Unstructured
	reads  int
}

func (c *counted) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	c.reads++
	into, ok := o.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("workloads are read whole, not as %T", o)
	}
	into.Object = c.object.DeepCopy().Object
	return nil
}
