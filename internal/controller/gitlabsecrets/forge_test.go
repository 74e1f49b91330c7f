package gitlabsecrets

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen"
)

func declaring(keys ...string) *v2alpha1.GitLabSecrets {
	var generators []v2alpha1.Generator
	for _, key := range keys {
		generators = append(generators, v2alpha1.Generator{Type: v2alpha1.GeneratorRandom, Key: key, Charset: v2alpha1.CharsetHex, Length: 8})
	}
	return &v2alpha1.GitLabSecrets{
		ObjectMeta: metav1.ObjectMeta{Namespace: "spec", Name: "instance", UID: "first", Generation: 1},
		Spec:       v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{{Name: "tokens", Generators: generators}}},
	}
}

func jobs(resource *v2alpha1.GitLabSecrets) []secretgen.Job {
	return secretgen.Decide(resource.Spec, nil, nil).Work()
}

// stalled is a source of randomness that gives nothing until it is let go, and counts who asks.
type stalled struct {
	asked chan struct{}
	let   chan struct{}
}

func newStalled() *stalled {
	return &stalled{asked: make(chan struct{}, 100), let: make(chan struct{})}
}

func (s *stalled) Read(p []byte) (int, error) {
	s.asked <- struct{}{}
	<-s.let
	return rand.Read(p)
}

// within waits for something that has to happen.
func within[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("%s did not happen", what)
		panic("unreachable")
	}
}

func TestTheForgeMakesNoMoreAtOnceThanItMayAndNeverHoldsItsCaller(t *testing.T) {
	source := newStalled()
	f := NewForge(2, source, time.Now)
	resource := declaring("a", "b", "c", "d")
	for range 3 {
		made, unfinished, err := f.Collect(resource, jobs(resource))
		if err != nil || len(made) != 0 || unfinished != 4 {
			t.Fatalf("made %d, unfinished %d, error %v", len(made), unfinished, err)
		}
	}
	within(t, source.asked, "the first job")
	within(t, source.asked, "the second job")
	select {
	case <-source.asked:
		t.Error("a third job runs beside two")
	case <-time.After(50 * time.Millisecond):
	}
	close(source.let)
	woken := within(t, f.Done(), "the wake")
	if client.ObjectKeyFromObject(woken.Object) != client.ObjectKeyFromObject(resource) {
		t.Errorf("woke %v", client.ObjectKeyFromObject(woken.Object))
	}
	if len(f.Done()) > 0 {
		t.Error("one resource is woken more than once")
	}
	made, unfinished, err := f.Collect(resource, jobs(resource))
	if err != nil || unfinished != 0 || len(made) != 4 {
		t.Fatalf("made %d, unfinished %d, error %v", len(made), unfinished, err)
	}
}

func TestWhatTheForgeHoldsGoesWithItsReason(t *testing.T) {
	for name, ends := range map[string]func(f *Forge, resource *v2alpha1.GitLabSecrets){
		"when the resource is forgotten":         func(f *Forge, r *v2alpha1.GitLabSecrets) { f.Forget(client.ObjectKeyFromObject(r)) },
		"when nothing is asked for any more":     func(f *Forge, r *v2alpha1.GitLabSecrets) { _, _, _ = f.Collect(r, nil) },
		"when the spec has another generation":   func(_ *Forge, r *v2alpha1.GitLabSecrets) { r.Generation++ },
		"when the resource was deleted and made": func(_ *Forge, r *v2alpha1.GitLabSecrets) { r.UID = "second" },
	} {
		t.Run(name, func(t *testing.T) {
			f := NewForge(1, rand.Reader, time.Now)
			resource := declaring("a")
			_, _, _ = f.Collect(resource, jobs(resource))
			within(t, f.Done(), "the wake")
			if made, _, _ := f.Collect(resource, jobs(resource)); len(made) != 1 {
				t.Fatalf("a result is kept until it is used, found %d", len(made))
			}
			ends(f, resource)
			if made, unfinished, _ := f.Collect(resource, jobs(resource)); len(made) != 0 || unfinished != 1 {
				t.Errorf("made %d, unfinished %d, want a fresh start", len(made), unfinished)
			}
		})
	}
}

func TestAJobNobodyWaitsForIsNotStarted(t *testing.T) {
	source := newStalled()
	f := NewForge(1, source, time.Now)
	resource := declaring("a", "b", "c")
	_, _, _ = f.Collect(resource, jobs(resource))
	within(t, source.asked, "the first job")
	f.Forget(client.ObjectKeyFromObject(resource))
	other := declaring("x")
	other.Name = "other"
	_, _, _ = f.Collect(other, jobs(other))
	close(source.let)
	woken := within(t, f.Done(), "the wake of the other resource")
	if woken.Object.GetName() != "other" {
		t.Errorf("woke %s", woken.Object.GetName())
	}
	if n := len(source.asked); n > 1 {
		t.Errorf("%d jobs were started after their resource was forgotten", n-1)
	}
}

var errNoRandomness = errors.New("no randomness")

type dry struct{}

func (dry) Read([]byte) (int, error) { return 0, errNoRandomness }

var _ io.Reader = dry{}

func TestAJobThatFailsIsToldOnceAndStartsOver(t *testing.T) {
	f := NewForge(1, dry{}, time.Now)
	resource := declaring("a")
	_, _, _ = f.Collect(resource, jobs(resource))
	within(t, f.Done(), "the wake")
	if _, _, err := f.Collect(resource, jobs(resource)); !errors.Is(err, errNoRandomness) {
		t.Fatalf("the failure is told as %v", err)
	}
	if _, unfinished, err := f.Collect(resource, jobs(resource)); err != nil || unfinished != 1 {
		t.Errorf("unfinished %d, error %v, want another attempt", unfinished, err)
	}
}

type explosive struct{}

func (explosive) Read([]byte) (int, error) { panic("0123456789abcdef") }

func TestARecipeThatBreaksOffTakesNothingElseDown(t *testing.T) {
	f := NewForge(1, explosive{}, time.Now)
	resource := declaring("a")
	_, _, _ = f.Collect(resource, jobs(resource))
	within(t, f.Done(), "the wake")
	if _, _, err := f.Collect(resource, jobs(resource)); !errors.Is(err, errPanic) {
		t.Errorf("the failure is told as %v", err)
	}
}

func TestAnotherResourceIsNotMixedUp(t *testing.T) {
	f := NewForge(1, rand.Reader, time.Now)
	first, second := declaring("a"), declaring("a")
	second.Name, second.UID = "second", "second"
	_, _, _ = f.Collect(first, jobs(first))
	within(t, f.Done(), "the wake")
	made, unfinished, err := f.Collect(second, jobs(second))
	if got := fmt.Sprint(len(made), unfinished, err); got != "0 1 <nil>" {
		t.Errorf("the second resource finds %s", got)
	}
}
