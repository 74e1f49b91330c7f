package gitlabsecrets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/secretgen"
)

// A certificate set that is written in part can only be mended by a person, so its writes are tried this often within
// the pass that holds the values, with pauses that double.
const (
	setAttempts = 5
	setPause    = 50 * time.Millisecond
)

// change is what one Secret gets: keys it lacks, and labels.
type change struct {
	name, kind string
	create     bool
	data       map[string][]byte
	keys       []string
	labels     map[string]string
}

// make returns what is made for every unit that can be made. What takes long is asked of the forge; while that is
// unfinished nothing is written.
func (r *Reconciler) make(p *pass) (map[string]secretgen.Made, outcome.Outcome) {
	var heavy, light []secretgen.Job
	for _, job := range p.plan.Work() {
		if job.Heavy() {
			heavy = append(heavy, job)
		} else {
			light = append(light, job)
		}
	}
	made, unfinished, err := r.Forge.Collect(p.resource, heavy)
	if err != nil {
		return nil, failed(err)
	}
	if unfinished > 0 {
		return nil, outcome.Wait{
			Reason: v2alpha1.ReasonProgressing, After: interval,
			Message: fmt.Sprintf("%d of %d keys that take long are being made", unfinished, len(heavy)),
		}
	}
	for _, job := range light {
		if made[job.ID()], err = job.Make(r.Random, p.now); err != nil {
			return nil, failed(fmt.Errorf("make %s: %w", job.ID(), err))
		}
	}
	return made, outcome.Continue{}
}

// changes lists what has to be written: the values made, in the order secretgen gives, then labels alone.
func (p *pass) changes(made map[string]secretgen.Made) []change {
	var out []change
	written := map[string]bool{}
	for _, w := range p.plan.Writes(made) {
		c := change{name: w.Secret, kind: w.Type, create: w.Create, data: w.Data, keys: w.Keys, labels: p.labels(w.Secret)}
		if c.create {
			c.labels = p.given()
		}
		out = append(out, c)
		written[w.Secret] = true
	}
	for _, name := range slices.Sorted(maps.Keys(p.live)) {
		if labels := p.labels(name); !written[name] && len(labels) > 0 {
			out = append(out, change{name: name, labels: labels})
		}
	}
	return out
}

// write makes the changes. One that fails stops no other, but for the certificate set, which is written whole: its
// writes are tried dry first, and the first that fails ends them.
func (r *Reconciler) write(ctx context.Context, p *pass, changes []change) failures {
	var out failures
	var set []change
	for _, c := range changes {
		if p.ofSet(c) {
			set = append(set, c)
			continue
		}
		if err := r.put(ctx, p, c); err != nil {
			out.add(c, p.live[c.name], err)
		}
	}
	for _, c := range set {
		if err := r.send(ctx, p, c, true); err != nil {
			out.add(c, p.live[c.name], err)
			return out
		}
	}
	for _, c := range set {
		if err := r.insist(ctx, p, c); err != nil {
			out.add(c, p.live[c.name], err)
			return out
		}
	}
	return out
}

// ofSet reports whether a change writes values of the certificate set.
func (p *pass) ofSet(c change) bool {
	return len(c.data) > 0 && slices.ContainsFunc(p.resource.Spec.Certificates, func(set v2alpha1.CertificateSet) bool {
		return slices.Contains(certificateSecrets(set), c.name)
	})
}

// insist puts a change of the certificate set until it is there, the API server refuses it or somebody else's value is.
func (r *Reconciler) insist(ctx context.Context, p *pass, c change) error {
	for attempt := 0; ; attempt++ {
		err := r.put(ctx, p, c)
		if err == nil || classOf(c, err) == refused {
			return err
		}
		if held(p.live[c.name], c) == foreign {
			return &takenError{secret: c.name}
		}
		if attempt == setAttempts-1 || !pause(ctx, setPause<<attempt) {
			return err
		}
		c.create = p.live[c.name] == nil
	}
}

// put makes a change and remembers what the API server answered as the state of the Secret. Where the answer is an error
// it looks what is there: a write may have taken effect all the same.
func (r *Reconciler) put(ctx context.Context, p *pass, c change) error {
	err := r.send(ctx, p, c, false)
	if err != nil {
		if r.look(ctx, p, c.name) != nil || len(c.data) == 0 || held(p.live[c.name], c) != whole {
			return err
		}
	}
	if len(c.keys) > 0 {
		r.tellGenerated(p, c)
	}
	return nil
}

// holding says how much of a change a Secret holds.
type holding int

const (
	// lacking says that a value is missing, and nothing is in its place.
	lacking holding = iota
	// whole says that every value is there.
	whole
	// foreign says that another value is in the place of one.
	foreign
)

func held(secret *corev1.Secret, c change) holding {
	if secret == nil {
		return lacking
	}
	out := whole
	for key, value := range c.data {
		has, there := secret.Data[key]
		if there && !bytes.Equal(has, value) {
			return foreign
		}
		if !there {
			out = lacking
		}
	}
	return out
}

// send creates the Secret, or adds keys and labels to the one that was decided on: the patch names the version that was
// read, and the API server refuses it when the Secret has another one by now.
func (r *Reconciler) send(ctx context.Context, p *pass, c change, dry bool) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: p.resource.Namespace, Name: c.name}}
	var err error
	if c.create {
		secret.Labels, secret.Type, secret.Data = c.labels, corev1.SecretType(c.kind), c.data
		options := []client.CreateOption{client.FieldOwner(Manager)}
		if dry {
			options = append(options, client.DryRunAll)
		}
		err = r.Client.Create(ctx, secret, options...)
	} else {
		var body []byte
		if body, err = patch(p.live[c.name], c); err != nil {
			return fmt.Errorf("write the patch of Secret %s: %w", c.name, err)
		}
		options := []client.PatchOption{client.FieldOwner(Manager)}
		if dry {
			options = append(options, client.DryRunAll)
		}
		err = r.Client.Patch(ctx, secret, client.RawPatch(types.MergePatchType, body), options...)
	}
	if err != nil {
		return fmt.Errorf("write Secret %s: %w", c.name, err)
	}
	if !dry {
		p.live[c.name] = secret
	}
	return nil
}

// errGone says that a Secret to add to went away within the pass.
var errGone = errors.New("the Secret is not there any more")

// patch is the merge patch of a change. It can add to a Secret and nothing else.
func patch(secret *corev1.Secret, c change) ([]byte, error) {
	if secret == nil {
		return nil, errGone
	}
	metadata := map[string]any{"resourceVersion": secret.ResourceVersion, "uid": secret.UID}
	if len(c.labels) > 0 {
		metadata["labels"] = c.labels
	}
	body := map[string]any{"metadata": metadata}
	if len(c.data) > 0 {
		body["data"] = c.data
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode it: %w", err)
	}
	return text, nil
}

// pause waits, and reports whether there is time to go on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// named lists keys for a sentence.
func named(keys []string) string {
	if len(keys) == 1 {
		return "key " + keys[0]
	}
	return "keys " + strings.Join(keys, ", ")
}
