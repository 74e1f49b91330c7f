// Package gitlabsecrets_test takes the GitLabSecrets reconciler through its life against a real API server.
package gitlabsecrets_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/controller/gitlabsecrets"
)

// keysAtOnce is how many keys a forge of the suite makes at once.
const keysAtOnce = 2

// reconciler returns a reconciler that talks through the given client, with an empty forge: a manager that has just
// started.
func reconciler(c client.Client, told *told, now func() time.Time) *gitlabsecrets.Reconciler {
	return &gitlabsecrets.Reconciler{
		Client: c, Cached: c, Events: told, Random: rand.Reader, Now: now,
		Forge: gitlabsecrets.NewForge(keysAtOnce, rand.Reader, now),
	}
}

// told keeps the events people would see.
type told struct {
	mu     sync.Mutex
	events []string
}

// Eventf notes an event.
func (t *told) Eventf(_, related runtime.Object, eventtype, reason, _, note string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	about := ""
	if o, ok := related.(metav1.Object); ok {
		about = o.GetName()
	}
	t.events = append(t.events, fmt.Sprintf("%s %s %s: %s", eventtype, reason, about, fmt.Sprintf(note, args...)))
}

// all returns the events of a reason so far.
func (t *told) all(reason string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.events), func(e string) bool { return !strings.Contains(e, " "+reason+" ") })
}

// name is what the GitLabSecrets of every spec is called.
const name = "instance"

func request(namespace string) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}}
}
