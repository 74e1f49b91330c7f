package secretgen

import (
	"fmt"
	"io"
	"time"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// Job makes what is missing of one unit. Jobs are independent of each other and may run in parallel.
type Job struct {
	id    string
	heavy bool
	run   func(random io.Reader, now time.Time) (Made, error)
}

// ID names the unit with its Secret; it is unique in a plan.
func (j Job) ID() string { return j.id }

// Heavy says that the job makes an RSA key, which takes a core for up to many seconds.
func (j Job) Heavy() bool { return j.heavy }

// Make runs the job. random is crypto/rand.Reader in production. No error holds a byte of a value.
func (j Job) Make(random io.Reader, now time.Time) (Made, error) {
	made, err := j.run(random, now)
	if err != nil {
		return Made{}, fmt.Errorf("making %s: %w", j.id, err)
	}
	return made, nil
}

// Made is what a Job made. It shows nothing of it when it is printed.
type Made struct {
	values map[place][]byte
	field  v2alpha1.RailsField
}

// String keeps the values out of logs and messages.
func (m Made) String() string { return fmt.Sprintf("%d made values", len(m.values)) }

// GoString keeps the values out of what %#v prints.
func (m Made) GoString() string { return m.String() }

// Work lists the jobs of a plan, in its order: one for each unit that is generated or derived.
func (p Plan) Work() []Job {
	var jobs []Job
	seen := map[string]bool{}
	for _, s := range p.Secrets {
		for _, d := range s.Decisions {
			if d.job.run == nil || seen[d.job.id] {
				continue
			}
			seen[d.job.id] = true
			jobs = append(jobs, d.job)
		}
	}
	return jobs
}

func (u unit) job(heavy bool, run func(random io.Reader, now time.Time) (Made, error)) Job {
	return Job{id: u.Secret + "/" + u.Name, heavy: heavy, run: run}
}

func (u unit) made(key string, value []byte) Made {
	return Made{values: map[place][]byte{{u.Secret, key}: value}}
}

func (u unit) selfSigned() recipe.SelfSigned {
	return recipe.SelfSigned{CommonName: u.generator.CommonName, Bits: int(u.generator.Bits), Days: int(u.generator.Days)}
}

// fresh is the job that makes a whole unit, of every kind but a certificate set.
func (u unit) fresh() Job {
	switch u.Kind {
	case KindX509:
		return u.job(true, func(random io.Reader, now time.Time) (Made, error) {
			certificate, key, err := u.selfSigned().Make(random, now)
			private, public := u.pairKeys()
			return Made{values: map[place][]byte{{u.Secret, private}: key, {u.Secret, public}: certificate}}, err
		})
	case KindSSHHostKey:
		return u.job(u.ssh == recipe.SSHRSA, func(random io.Reader, _ time.Time) (Made, error) {
			key, half, err := recipe.SSHHostKey(random, u.ssh)
			private, public := u.pairKeys()
			return Made{values: map[place][]byte{{u.Secret, private}: key, {u.Secret, public}: half}}, err
		})
	case KindRailsField:
		return u.job(u.field.Shape == v2alpha1.ShapePEM, func(random io.Reader, _ time.Time) (Made, error) {
			value, err := u.fieldValue(random)
			return Made{values: map[place][]byte{{u.Secret, u.Name}: value}, field: u.field}, err
		})
	case KindRandom, KindBytes, KindStatic, KindRSA, KindCertificates:
	}
	return u.job(u.Kind == KindRSA, func(random io.Reader, _ time.Time) (Made, error) {
		value, err := u.keyValue(random)
		return u.made(u.Keys[0], value), err
	})
}

func (u unit) fieldValue(random io.Reader) ([]byte, error) {
	if u.field.Shape == v2alpha1.ShapePEM {
		return recipe.RSAKey(random, int(u.field.Bits))
	}
	return recipe.Characters(random, string(u.field.Charset), int(u.field.Length))
}

func (u unit) keyValue(random io.Reader) ([]byte, error) {
	g := u.generator
	switch u.Kind {
	case KindRandom:
		value, err := recipe.Characters(random, string(g.Charset), int(g.Length))
		return recipe.Encode(value, string(g.Encoding), string(g.Wrap)), err
	case KindBytes:
		value, err := recipe.Bytes(random, int(g.Length))
		return recipe.Encode(value, string(g.Encoding), string(v2alpha1.WrapNone)), err
	case KindRSA:
		return recipe.RSAKey(random, int(g.Bits))
	case KindStatic:
		if g.Value == nil {
			return []byte{}, nil
		}
		return []byte(*g.Value), nil
	case KindX509, KindSSHHostKey, KindRailsField, KindCertificates:
	}
	return nil, fmt.Errorf("there is no recipe for a unit of kind %s", u.Kind)
}
