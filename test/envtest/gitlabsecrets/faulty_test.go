package gitlabsecrets_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// crash is the end of a manager at a call.
type crash struct{}

// faulty returns the client of a controller: its calls wait for their turn, and some go wrong.
func (p *play) faulty(cached bool) client.WithWatch {
	return world.Through(w.Live, func(ctx context.Context, call world.Call, send func() error) error {
		p.turns.take()
		switch {
		case call.Verb == "get":
			return p.read(call, cached, send)
		case call.Reads():
			if !cached && p.one(25) {
				return world.ErrNoAnswer
			}
			return send()
		case call.Dry || call.Sub != "":
			return p.fault(send)
		}
		return p.write(ctx, call, send)
	})
}

// one draws a fault that happens once in so many times.
func (p *play) one(in int) bool {
	if p.draw.IntN(in) != 0 {
		return false
	}
	p.faults++
	return true
}

// note keeps a state an object was in, for reads that lag; nil says that it was not there.
func (p *play) note(name string, o client.Object) {
	if o != nil {
		o = o.DeepCopyObject().(client.Object)
	}
	p.history[name] = append(p.history[name], o)
}

// read reads, now and then an older state. A cache lags often; what is read past a cache, seldom.
func (p *play) read(call world.Call, cached bool, send func() error) error {
	lag := 10
	if cached {
		lag = 3
	}
	o := call.Object.(client.Object)
	if past := p.history[call.Name]; len(past) > 0 && p.one(lag) {
		switch old := past[p.draw.IntN(len(past))].(type) {
		case *corev1.Secret:
			old.DeepCopyInto(o.(*corev1.Secret))
		case *v2alpha1.GitLabSecrets:
			old.DeepCopyInto(o.(*v2alpha1.GitLabSecrets))
		default:
			return apierrors.NewNotFound(corev1.Resource("secrets"), call.Name)
		}
		return nil
	}
	if p.one(25) {
		return world.ErrNoAnswer
	}
	err := send()
	switch {
	case err == nil:
		p.note(call.Name, o)
	case apierrors.IsNotFound(err):
		p.note(call.Name, nil)
	}
	return err
}

// write makes a write of a Secret, with its faults. A lone controller must not make what the status has on record.
func (p *play) write(ctx context.Context, call world.Call, send func() error) error {
	return p.fault(func() error {
		before := p.lacks(ctx, call.Name)
		err := send()
		if err == nil && p.alone && before != "" {
			if _, again := call.Object.(*corev1.Secret).Data[before]; again {
				Fail(fmt.Sprintf("interleaving %d: %s of Secret %s was recorded as ready, went missing and was made again", p.seed, before, call.Name))
			}
		}
		return err
	})
}

// lacks names a persistent key that the record has and the Secret has not.
func (p *play) lacks(ctx context.Context, secret string) string {
	resource := &v2alpha1.GitLabSecrets{}
	if secret != "password" || w.Live.Get(ctx, request(p.namespace).NamespacedName, resource) != nil {
		return ""
	}
	recorded := slices.ContainsFunc(resource.Status.Secrets, func(s v2alpha1.SecretStatus) bool {
		return s.Name == secret && slices.Contains(s.ReadyUnits, "a")
	})
	live := &corev1.Secret{}
	err := w.Live.Get(ctx, client.ObjectKey{Namespace: p.namespace, Name: secret}, live)
	if _, there := live.Data["a"]; recorded && client.IgnoreNotFound(err) == nil && !there {
		return "a"
	}
	return ""
}

// fault lets a write happen, fail before or after it took effect, conflict, or be the last of its manager.
func (p *play) fault(do func() error) error {
	switch p.draw.IntN(14) {
	case 0:
		p.faults++
		return world.ErrNoAnswer
	case 1:
		p.faults++
		_ = do()
		return world.ErrNoAnswer
	case 2:
		p.faults++
		return apierrors.NewConflict(corev1.Resource("secrets"), "drawn", errors.New("the object has been modified"))
	case 3:
		p.faults++
		panic(crash{})
	case 4:
		p.faults++
		_ = do()
		panic(crash{})
	}
	return do()
}

// record is every state the Secrets of a namespace were in, as a watch saw it.
type record struct {
	stream watch.Interface
}

func watchAll(ctx context.Context, namespace string) *record {
	GinkgoHelper()
	stream, err := w.Live.Watch(ctx, &corev1.SecretList{}, client.InNamespace(namespace))
	Expect(err).NotTo(HaveOccurred())
	return &record{stream: stream}
}

// judge goes through every state and expects that a value, once there, was only changed or removed by the other writer.
func (r *record) judge(ctx context.Context, p *play) {
	GinkgoHelper()
	defer r.stream.Stop()
	end := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "end-of-play"}}
	Expect(w.Live.Create(ctx, end)).To(Succeed())
	states := map[string]*corev1.Secret{}
	for {
		select {
		case e, open := <-r.stream.ResultChan():
			Expect(open).To(BeTrue(), "the watch ended")
			secret, ok := e.Object.(*corev1.Secret)
			Expect(ok).To(BeTrue(), "%v", e.Type)
			if secret.Name == end.Name {
				p.pairs(states)
				return
			}
			before := states[secret.Name]
			states[secret.Name] = secret
			if e.Type == watch.Deleted {
				delete(states, secret.Name)
				continue
			}
			if before != nil && !p.theirs[secret.ResourceVersion] {
				Expect(replaced(before, secret)).To(BeEmpty(), "interleaving %d, Secret %s", p.seed, secret.Name)
			}
		case <-time.After(20 * time.Second):
			Fail("the watch does not come to the end of the play")
		}
	}
}

// replaced names what a Secret had and has no longer as it was.
func replaced(before, after *corev1.Secret) []string {
	var out []string
	if before.Type != after.Type {
		out = append(out, "its type")
	}
	for _, key := range slices.Sorted(maps.Keys(before.Data)) {
		was, is := before.Data[key], after.Data[key]
		switch _, there := after.Data[key]; {
		case !there:
			out = append(out, key+" (removed)")
		case key == "secrets.yml":
			out = append(out, fieldsReplaced(was, is)...)
		case string(was) != string(is):
			out = append(out, key)
		}
	}
	return out
}

func fieldsReplaced(was, is []byte) []string {
	var before, after map[string]map[string]any
	if yaml.Unmarshal(was, &before) != nil || yaml.Unmarshal(is, &after) != nil {
		return []string{"secrets.yml (does not parse)"}
	}
	var out []string
	for env, fields := range before {
		for field, value := range fields {
			if value != nil && value != "" && fmt.Sprint(after[env][field]) != fmt.Sprint(value) {
				out = append(out, env+"."+field)
			}
		}
	}
	return out
}

// pairs expects that a certificate set nobody else wrote to is of one piece.
func (p *play) pairs(states map[string]*corev1.Secret) {
	GinkgoHelper()
	ca, tls, chain := states["tls-ca"], states["tls"], states["tls-chain"]
	for _, s := range []*corev1.Secret{ca, tls, chain} {
		if s == nil || p.touched(s.Name) {
			return
		}
	}
	authority, leaf := certificate(ca.Data["cfssl_ca"]), certificate(tls.Data["tls.crt"])
	Expect(leaf.CheckSignatureFrom(authority)).To(Succeed(), "interleaving %d", p.seed)
	Expect(string(chain.Data["gitlab.example.com.crt"])).To(ContainSubstring(string(ca.Data["cfssl_ca"][:100])), "interleaving %d", p.seed)
}

// touched reports whether the other writer ever held a state of a Secret.
func (p *play) touched(secret string) bool {
	return slices.ContainsFunc(p.history[secret], func(o client.Object) bool { return o != nil && p.theirs[o.GetResourceVersion()] })
}
