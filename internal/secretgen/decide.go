package secretgen

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// Decide says what becomes of every unit a spec declares. existing holds the live Secrets by name, without an entry or
// with nil for one that does not exist; ready holds the record of each Secret from status.
//
// A present key keeps its value, even empty. What is missing is generated unless generating it could lose data or leave
// halves that do not fit; then it is reported. The same input always gives the same plan.
func Decide(spec v2alpha1.GitLabSecretsSpec, existing map[string]*Existing, ready map[string][]string) Plan {
	declared := declare(spec)
	d := decider{existing: existing, ready: ready, files: map[claim]*railsFile{}, sets: map[*v2alpha1.CertificateSet]*setDecision{}}
	d.readFiles(declared)
	d.judgeSets(declared)
	var plan Plan
	for _, s := range declared {
		plan.Secrets = append(plan.Secrets, d.secret(s))
	}
	plan.holdBack()
	for i := range plan.Secrets {
		s := &plan.Secrets[i]
		s.Ready = s.Exists && !slices.ContainsFunc(s.Decisions, func(d Decision) bool { return d.Action != Keep })
	}
	return plan
}

type decider struct {
	existing map[string]*Existing
	ready    map[string][]string
	files    map[claim]*railsFile
	sets     map[*v2alpha1.CertificateSet]*setDecision
}

func (d decider) secret(s *secret) SecretPlan {
	plan := SecretPlan{Name: s.name, Type: s.types[0], OtherTypes: s.types[1:]}
	if have := d.existing[s.name]; have != nil {
		plan.Exists = true
		plan.ExistingType = cmp.Or(have.Type, string(corev1.SecretTypeOpaque))
		plan.TypeDiffers = plan.ExistingType != plan.Type
	}
	for _, u := range s.units {
		plan.Decisions = append(plan.Decisions, d.unit(u))
	}
	return plan
}

// wasReady says whether the record has a data-bearing unit.
func (d decider) wasReady(u unit) bool {
	return u.DataBearing && slices.Contains(d.ready[u.Secret], u.Name)
}

func (d decider) unit(u unit) Decision {
	if u.Kind == KindCertificates {
		return d.sets[u.set].decision(u)
	}
	if u.conflict != "" {
		return u.report(conflicting(u.conflict))
	}
	switch u.Kind {
	case KindX509, KindSSHHostKey:
		return d.pair(u)
	case KindRailsField:
		return d.files[claim{u.Secret, u.Keys[0]}].decision(u, d.wasReady(u))
	case KindRandom, KindBytes, KindStatic, KindRSA, KindCertificates:
	}
	return d.key(u)
}

// key decides about a unit of one key.
func (d decider) key(u unit) Decision {
	have := d.existing[u.Secret]
	switch {
	case have.has(u.Keys[0]):
		return u.keep()
	case d.wasReady(u):
		return u.report(readyMissing(u.Unit))
	case have.frozen():
		return u.report(immutable(u.Unit))
	}
	return u.generate(u.Keys...)
}

func (u unit) keep() Decision { return Decision{Unit: u.Unit, Action: Keep} }

func (u unit) report(reason Reason, message string) Decision {
	return Decision{Unit: u.Unit, Action: Report, Reason: reason, Message: message}
}

func (u unit) generate(keys ...string) Decision {
	return Decision{Unit: u.Unit, Action: Generate, Keys: keys, job: u.fresh()}
}

// holdBack turns what would be made in a missing Secret into reports when another unit of that Secret is reported: such a
// Secret is not created, not even with its other keys. A certificate set is held back in all of its Secrets.
func (p Plan) holdBack() {
	for changed := true; changed; {
		changed = false
		for i := range p.Secrets {
			if s := &p.Secrets[i]; !s.Exists && slices.ContainsFunc(s.Decisions, isReport) {
				changed = p.hold(s) || changed
			}
		}
	}
}

func isReport(d Decision) bool { return d.Action == Report }

// hold reports what is left to make in a Secret, and says whether there was anything.
func (p Plan) hold(s *SecretPlan) bool {
	held := false
	for i := range s.Decisions {
		d := &s.Decisions[i]
		if d.Action != Generate && d.Action != Derive {
			continue
		}
		held = true
		job := d.job.id
		d.holdBack(s.Name)
		for j := range p.Secrets {
			for k := range p.Secrets[j].Decisions {
				if other := &p.Secrets[j].Decisions[k]; other.Unit.Kind == KindCertificates && other.job.id == job {
					other.holdBack(s.Name)
				}
			}
		}
	}
	return held
}

func (d *Decision) holdBack(secret string) {
	reason, message := heldBack(secret)
	*d = Decision{Unit: d.Unit, Action: Report, Reason: reason, Message: message}
}
