package gitlabsecrets_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabsecrets"
)

// How many interleavings the suite plays, and how many of them at once. Each is drawn from its number alone.
const (
	interleavings = 2000
	sideBySide    = 8
	// heavyEvery is how often one of them makes RSA keys.
	heavyEvery = 100
	// passes is how often a controller looks in one of them before the chaos ends.
	passes = 4
	// meddlings is how often the third writer writes.
	meddlings = 4
)

// Two controllers (in every second interleaving one) and a writer of values of its own share a namespace. Their calls
// are let through one at a time in a drawn order; a call may fail before or after it took effect, answer a conflict, read
// an older state, or be the last one of a manager that is then started anew. A watch sees every state a Secret was in.
var _ = Describe("A value that is present", Label("slow"), func() {
	It("is never replaced, in thousands of drawn interleavings of controllers, faults and another writer", func(ctx context.Context) {
		var next, faults, calls atomic.Int64
		var lanes sync.WaitGroup
		for range sideBySide {
			lanes.Go(func() {
				defer GinkgoRecover()
				for n := next.Add(1); n <= interleavings && ctx.Err() == nil; n = next.Add(1) {
					play := newPlay(ctx, uint64(n))
					play.run(ctx)
					faults.Add(play.faults)
					calls.Add(play.turns.taken.Load())
				}
			})
		}
		lanes.Wait()
		AddReportEntry("played", fmt.Sprintf("%d interleavings, %d calls in drawn order, %d faults", interleavings, calls.Load(), faults.Load()))
		Expect(faults.Load()).To(BeNumerically(">", interleavings))
	}, NodeTimeout(15*time.Minute))
})

// play is one interleaving.
type play struct {
	seed      uint64
	namespace string
	spec      v2alpha1.GitLabSecretsSpec
	alone     bool
	turns     *turns
	draw      *rand.Rand
	history   map[string][]client.Object
	theirs    map[string]bool
	faults    int64
	events    *record
}

func newPlay(ctx context.Context, seed uint64) *play {
	GinkgoHelper()
	namespace := w.Namespace(ctx, GinkgoTB())
	draw := rand.New(rand.NewPCG(seed, 1))
	p := &play{
		seed: seed, namespace: namespace, draw: draw, alone: seed%2 == 0,
		turns: &turns{draw: draw}, history: map[string][]client.Object{}, theirs: map[string]bool{},
	}
	p.spec = p.declared()
	p.events = watchAll(ctx, namespace)
	Expect(w.Live.Create(ctx, &v2alpha1.GitLabSecrets{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: labels()}, Spec: p.spec,
	})).To(Succeed())
	return p
}

// declared draws what is declared: cheap units, now and then keys that take long.
func (p *play) declared() v2alpha1.GitLabSecretsSpec {
	if p.seed%heavyEvery == 0 {
		return v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{entry("registry", x509Pair(), random("a", 16)), entry("key", rsaKey("a"))}}
	}
	if p.seed%6 == 0 {
		// A lone controller and a value that must not be made twice.
		return v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{entry("password", persistent(random("a", 16)))}}
	}
	switch p.seed / 2 % 3 {
	case 0:
		return v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{
			entry("tokens", random("a", 16), random("b", 16)), entry("password", persistent(random("a", 16))),
		}}
	case 1:
		return v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{entry("rails", rails(scalar("a"), scalar("b"), list("c")))}}
	}
	return v2alpha1.GitLabSecretsSpec{
		Secrets:      []v2alpha1.SecretEntry{entry("password", persistent(random("a", 16)))},
		Certificates: []v2alpha1.CertificateSet{certificates()},
	}
}

// run plays to the end and checks what was seen.
func (p *play) run(ctx context.Context) {
	GinkgoHelper()
	actors := []func(context.Context){p.controller, p.meddler}
	if !p.alone {
		actors = append(actors, p.controller)
	}
	p.turns.actors = len(actors)
	var all sync.WaitGroup
	for _, act := range actors {
		all.Go(func() {
			defer GinkgoRecover()
			defer p.turns.leave()
			act(ctx)
		})
	}
	all.Wait()
	p.rest(ctx)
	p.events.judge(ctx, p)
}

// controller reconciles, and is started anew whenever it was killed.
func (p *play) controller(ctx context.Context) {
	r := p.started()
	for range passes {
		if killed := p.pass(ctx, r); killed {
			r = p.started()
			continue
		}
		if len(r.Forge.Done()) > 0 {
			<-r.Forge.Done()
		}
	}
}

// pass runs one reconcile and reports whether the manager was killed in it.
func (p *play) pass(ctx context.Context, r *gitlabsecrets.Reconciler) (killed bool) {
	defer func() {
		if cause := recover(); cause != nil {
			if _, crash := cause.(crash); !crash {
				panic(cause)
			}
			killed = true
		}
	}()
	_, _ = r.Reconcile(ctx, request(p.namespace))
	if p.seed%heavyEvery == 0 {
		select {
		case <-r.Forge.Done():
		case <-time.After(time.Second):
		}
	}
	return false
}

func (p *play) started() *gitlabsecrets.Reconciler {
	r := reconciler(p.faulty(false), &told{}, time.Now)
	r.Cached = p.faulty(true)
	return r
}

// meddler puts values of its own, and takes values and Secrets away.
func (p *play) meddler(ctx context.Context) {
	GinkgoHelper()
	names := declaredNames(p.spec)
	for range meddlings {
		p.turns.take()
		secret := &corev1.Secret{}
		key := client.ObjectKey{Namespace: p.namespace, Name: names[p.draw.IntN(len(names))]}
		if err := client.IgnoreNotFound(w.Live.Get(ctx, key, secret)); err != nil {
			Fail(err.Error())
		}
		switch exists := secret.Name != ""; {
		case !exists:
			secret.Namespace, secret.Name = key.Namespace, key.Name
			secret.Data = map[string][]byte{}
			p.change(secret)
			if key.Name == "tls" && p.draw.IntN(2) == 0 {
				secret.Data = map[string][]byte{"own": []byte("value")}
			}
			Expect(w.Live.Create(ctx, secret)).To(Succeed())
		case p.draw.IntN(4) == 0:
			Expect(w.Live.Delete(ctx, secret)).To(Succeed())
			p.note(key.Name, nil)
			continue
		default:
			p.change(secret)
			Expect(w.Live.Update(ctx, secret)).To(Succeed())
		}
		p.theirs[secret.ResourceVersion] = true
		p.note(key.Name, secret)
	}
}

// change puts or removes one key.
func (p *play) change(s *corev1.Secret) {
	all := []string{"a", "b", "own", "secrets.yml", "cfssl_ca", "gitlab.example.com.crt", "registry-auth.crt"}
	if s.Type == corev1.SecretTypeTLS {
		all = []string{"own", "tls.crt", "tls.key"}
	}
	if s.Data == nil {
		s.Data = map[string][]byte{}
	}
	key := all[p.draw.IntN(len(all))]
	if _, there := s.Data[key]; there && p.draw.IntN(2) == 0 && s.Type != corev1.SecretTypeTLS {
		delete(s.Data, key)
		return
	}
	s.Data[key] = fmt.Appendf(nil, "theirs-%d", p.draw.IntN(1000))
	if key == "secrets.yml" {
		s.Data[key] = fmt.Appendf(nil, "production:\n  a: theirs-%d\n  b: \"\"\n  own: kept\n", p.draw.IntN(1000))
	}
}

// rest lets one intact controller come to rest.
func (p *play) rest(ctx context.Context) {
	GinkgoHelper()
	i := &instance{namespace: p.namespace, told: &told{}}
	i.now = time.Now()
	i.through(w.Live)
	resource := i.settle(ctx)
	c := apimeta.FindStatusCondition(resource.Status.Conditions, v2alpha1.ConditionReady)
	Expect(c.Reason).To(BeElementOf(v2alpha1.ReasonSecretsReady, v2alpha1.ReasonUnitsReported), "interleaving %d: %s", p.seed, c.Message)
}

// declaredNames lists the Secrets of a spec.
func declaredNames(spec v2alpha1.GitLabSecretsSpec) []string {
	var out []string
	for _, e := range spec.Secrets {
		out = append(out, e.Name)
	}
	for _, c := range spec.Certificates {
		out = append(out, c.CASecret, c.TLSSecret, c.ChainSecret)
	}
	return out
}

// turns lets the calls of several actors through one at a time, in a drawn order. An actor that is not in a call holds
// the others up, so the order depends on the draw alone.
type turns struct {
	mu      sync.Mutex
	draw    *rand.Rand
	actors  int
	waiting []chan struct{}
	taken   atomic.Int64
}

// take waits for the turn of the caller, which lasts until its next one.
func (t *turns) take() {
	mine := make(chan struct{})
	t.mu.Lock()
	t.waiting = append(t.waiting, mine)
	t.grant()
	t.mu.Unlock()
	<-mine
	t.taken.Add(1)
}

// leave says that the caller takes no more turns.
func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.actors--
	t.grant()
}

func (t *turns) grant() {
	if len(t.waiting) == 0 || len(t.waiting) < t.actors {
		return
	}
	at := t.draw.IntN(len(t.waiting))
	chosen := t.waiting[at]
	t.waiting = append(t.waiting[:at], t.waiting[at+1:]...)
	close(chosen)
}
