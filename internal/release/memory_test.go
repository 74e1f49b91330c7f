package release_test

import (
	"context"
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

func TestUnchanged(t *testing.T) {
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
			m.Remember("owner", "a", apply.ChangeSet{change(deployment("web", 1), apply.Created)}, now)
			got, workloads := m.Unchanged(t.Context(), &metadata{objects: tc.live}, "owner", tc.digest, now.Add(tc.later))
			if got != tc.want {
				t.Errorf("unchanged: %v, want %v", got, tc.want)
			}
			if got && len(workloads) != 1 {
				t.Errorf("the workloads to judge are %v", workloads)
			}
		})
	}
	t.Run("a manager that has just started knows nothing", func(t *testing.T) {
		if got, _ := release.NewMemory().Unchanged(t.Context(), &metadata{}, "owner", "a", now); got {
			t.Error("it claims that nothing changed")
		}
	})
	t.Run("what is forgotten is a change", func(t *testing.T) {
		m := release.NewMemory()
		m.Remember("owner", "a", apply.ChangeSet{change(deployment("web", 1), apply.Created)}, now)
		m.Forget("owner")
		if got, _ := m.Unchanged(t.Context(), &metadata{objects: map[string]*unstructured.Unstructured{"web": deployment("web", 1)}}, "owner", "a", now); got {
			t.Error("it claims that nothing changed")
		}
	})
}

func TestAnEchoOfOurOwnWriteIsKnownFromTheWriteOfAnother(t *testing.T) {
	m := release.NewMemory()
	ours := deployment("web", 3)
	m.Remember("owner", "a", apply.ChangeSet{change(ours, apply.Configured)}, now)
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
		named += len(m.Remember("owner", "a", apply.ChangeSet{change(deployment("web", int64(i)), apply.Configured)}, at))
	}
	if named != 1 {
		t.Fatalf("the object was named %d times", named)
	}
	edited := &metadata{objects: map[string]*unstructured.Unstructured{"web": deployment("web", 99)}}
	if got, _ := m.Unchanged(t.Context(), edited, "owner", "a", at); !got {
		t.Error("the contested object is fought over")
	}
	if got, _ := m.Unchanged(t.Context(), edited, "owner", "a", at.Add(6*time.Minute)); got {
		t.Error("after the pause it is not looked at again")
	}
}

func TestAChangeOfTheInputsIsNoFight(t *testing.T) {
	m := release.NewMemory()
	for i := range 12 {
		if named := m.Remember("owner", strconv.Itoa(i), apply.ChangeSet{change(deployment("web", int64(i)), apply.Configured)}, now); len(named) > 0 {
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
	engine.Memory.Remember("owner", "a", apply.ChangeSet{change(web, apply.Created)}, now)
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
