package refs_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/portcullis-operator/portcullis/internal/refs"
)

// listed is a reader that lists ConfigMaps of one namespace as a cache does, or fails.
type listed struct {
	client.Reader
	items []corev1.ConfigMap
	err   error
}

func (l listed) List(_ context.Context, into client.ObjectList, opts ...client.ListOption) error {
	var options client.ListOptions
	options.ApplyOptions(opts)
	list, ok := into.(*corev1.ConfigMapList)
	if !ok {
		return errors.New("another kind was asked for")
	}
	for _, item := range l.items {
		if item.Namespace == options.Namespace {
			list.Items = append(list.Items, item)
		}
	}
	return l.err
}

func configMap(namespace, name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}
}

// woken runs the handler over one event and returns what it wakes.
func woken(t *testing.T, reader client.Reader, to client.Object, send func(h handlerUnderTest, q queue)) []string {
	t.Helper()
	h := refs.Referring(reader, &corev1.ConfigMapList{}, func(c *corev1.ConfigMap, to client.Object) bool {
		return c.Data["refers"] == to.GetName()
	})
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	send(h, q)
	var out []string
	for q.Len() > 0 {
		request, _ := q.Get()
		out = append(out, request.String())
		q.Done(request)
	}
	slices.Sort(out)
	return out
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

type handlerUnderTest interface {
	Create(ctx context.Context, e event.CreateEvent, q queue)
	Update(ctx context.Context, e event.UpdateEvent, q queue)
	Delete(ctx context.Context, e event.DeleteEvent, q queue)
}

func TestAnObjectWakesWhoRefersToItInItsNamespace(t *testing.T) {
	reader := listed{items: []corev1.ConfigMap{
		*configMap("team", "first", map[string]string{"refers": "versions"}),
		*configMap("team", "second", map[string]string{"refers": "versions"}),
		*configMap("team", "other", map[string]string{"refers": "something"}),
		*configMap("elsewhere", "third", map[string]string{"refers": "versions"}),
	}}
	want := []string{"team/first", "team/second"}
	to := configMap("team", "versions", nil)
	for name, send := range map[string]func(h handlerUnderTest, q queue){
		"when it appears": func(h handlerUnderTest, q queue) { h.Create(t.Context(), event.CreateEvent{Object: to}, q) },
		"when it changes": func(h handlerUnderTest, q queue) {
			h.Update(t.Context(), event.UpdateEvent{ObjectOld: to, ObjectNew: to}, q)
		},
		"when it goes": func(h handlerUnderTest, q queue) { h.Delete(t.Context(), event.DeleteEvent{Object: to}, q) },
	} {
		if diff := cmp.Diff(want, woken(t, reader, to, send)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAListThatCannotBeReadWakesNobody(t *testing.T) {
	reader := listed{err: errors.New("the cache is gone"), items: []corev1.ConfigMap{*configMap("team", "first", map[string]string{"refers": "versions"})}}
	to := configMap("team", "versions", nil)
	got := woken(t, reader, to, func(h handlerUnderTest, q queue) { h.Create(t.Context(), event.CreateEvent{Object: to}, q) })
	if len(got) > 0 {
		t.Errorf("woke %v", got)
	}
}

// states are two states of one object.
func states(change func(o *corev1.ConfigMap)) event.UpdateEvent {
	before := configMap("team", "object", map[string]string{"seen": "a", "unseen": "a"})
	before.Generation, before.ResourceVersion = 1, "1"
	after := before.DeepCopy()
	after.ResourceVersion = "2"
	change(after)
	return event.UpdateEvent{ObjectOld: before, ObjectNew: after}
}

func deleting(o *corev1.ConfigMap) {
	now := metav1.NewTime(time.Unix(0, 0))
	o.DeletionTimestamp = &now
}

func TestAskedLetsThroughWhatAPersonAsks(t *testing.T) {
	asked := refs.Asked()
	for name, tc := range map[string]struct {
		change func(o *corev1.ConfigMap)
		want   bool
	}{
		"a new generation":       {func(o *corev1.ConfigMap) { o.Generation = 2 }, true},
		"a deletion":             {deleting, true},
		"a write of the status":  {func(o *corev1.ConfigMap) { o.Data["unseen"] = "b" }, false},
		"a write of a finalizer": {func(o *corev1.ConfigMap) { o.Finalizers = []string{"example.com/held"} }, false},
	} {
		if got := asked.Update(states(tc.change)); got != tc.want {
			t.Errorf("%s passes: %v", name, got)
		}
	}
	if !asked.Create(event.CreateEvent{Object: configMap("team", "object", nil)}) {
		t.Error("an object that is new, or found at the start, does not pass")
	}
}

func TestMovedLetsThroughWhatAReaderLooksAt(t *testing.T) {
	moved := refs.Moved(func(o client.Object) any {
		c, _ := o.(*corev1.ConfigMap)
		return c.Data["seen"]
	})
	for name, tc := range map[string]struct {
		change func(o *corev1.ConfigMap)
		want   bool
	}{
		"a change of it":       {func(o *corev1.ConfigMap) { o.Data["seen"] = "b" }, true},
		"a deletion":           {deleting, true},
		"a change of the rest": {func(o *corev1.ConfigMap) { o.Data["unseen"], o.Generation = "b", 2 }, false},
		"a heartbeat":          {func(*corev1.ConfigMap) {}, false},
	} {
		if got := moved.Update(states(tc.change)); got != tc.want {
			t.Errorf("%s passes: %v", name, got)
		}
	}
	object := configMap("team", "object", nil)
	if !moved.Create(event.CreateEvent{Object: object}) || !moved.Delete(event.DeleteEvent{Object: object}) {
		t.Error("an object that comes or goes does not pass")
	}
}

func TestAFailureNeverMakesTheLoopSlowerThanItsInterval(t *testing.T) {
	options := refs.Options(3, 200*time.Millisecond, 30*time.Second)
	request := reconcile.Request{}
	first := options.RateLimiter.When(request)
	var last time.Duration
	for range 20 {
		last = options.RateLimiter.When(request)
	}
	if first != 200*time.Millisecond || last != 30*time.Second || options.MaxConcurrentReconciles != 3 {
		t.Errorf("first %s, last %s, workers %d", first, last, options.MaxConcurrentReconciles)
	}
}
