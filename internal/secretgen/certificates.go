package secretgen

import (
	"errors"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// place is one key of a certificate set and the Secret it lies in.
type place struct{ secret, key string }

func (p place) String() string { return p.key + " of Secret " + p.secret }

// places are the four keys of a set: CA, certificate, private key, chain.
func places(set *v2alpha1.CertificateSet) [4]place {
	return [4]place{
		{set.CASecret, set.CAKey},
		{set.TLSSecret, corev1.TLSCertKey},
		{set.TLSSecret, corev1.TLSPrivateKeyKey},
		{set.ChainSecret, set.ChainKey},
	}
}

// setDecision is what becomes of a certificate set as a whole. Each of its Secrets takes its own part from it.
type setDecision struct {
	action  Action
	reason  Reason
	message string
	job     Job
}

// decision is the part of one Secret: deriving the chain keeps the two others.
func (s *setDecision) decision(u unit) Decision {
	switch {
	case s.action == Generate, s.action == Derive && slices.Equal(u.Keys, []string{u.set.ChainKey}) && u.Secret == u.set.ChainSecret:
		return Decision{Unit: u.Unit, Action: s.action, Keys: u.Keys, job: s.job}
	case s.action == Report:
		return u.report(s.reason, s.message)
	}
	return u.keep()
}

// judgeSets decides about each certificate set once.
func (d decider) judgeSets(declared []*secret) {
	for _, s := range declared {
		for _, u := range s.units {
			if u.Kind != KindCertificates {
				continue
			}
			if d.sets[u.set] == nil {
				decided := d.set(u.set, d.setWasReady(u.set))
				d.sets[u.set] = &decided
			}
			if u.conflict != "" {
				decided := reportSet(conflicting(u.conflict))
				d.sets[u.set] = &decided
			}
		}
	}
}

// setWasReady asks the record of all three Secrets: one of them may have been renamed since.
func (d decider) setWasReady(set *v2alpha1.CertificateSet) bool {
	return slices.ContainsFunc([]string{set.CASecret, set.TLSSecret, set.ChainSecret}, func(secret string) bool {
		return slices.Contains(d.ready[secret], certificatesName)
	})
}

func (d decider) set(set *v2alpha1.CertificateSet, wasReady bool) setDecision {
	at := places(set)
	var there, empty, missing []place
	for _, p := range at {
		switch have := d.existing[p.secret]; {
		case !have.has(p.key):
			missing = append(missing, p)
		case len(have.value(p.key)) == 0:
			there, empty = append(there, p), append(empty, p)
		default:
			there = append(there, p)
		}
	}
	switch {
	case len(missing) == 0:
		return setDecision{action: Keep}
	case len(there) == 0:
		return d.wholeSet(set, wasReady)
	case slices.Equal(missing, at[3:]):
		return d.chain(set, wasReady)
	}
	return reportSet(partialSet(there, empty, missing, wasReady))
}

// wholeSet decides about a set none of whose keys is there.
func (d decider) wholeSet(set *v2alpha1.CertificateSet, wasReady bool) setDecision {
	if wasReady {
		return reportSet(readyMissingSet(set))
	}
	for _, p := range places(set) {
		if d.existing[p.secret].frozen() {
			return reportSet(immutableSet(p.secret))
		}
	}
	return setDecision{action: Generate, job: freshSet(set)}
}

// chain decides about a set that lacks nothing but its chain, which is made from the two certificates.
func (d decider) chain(set *v2alpha1.CertificateSet, wasReady bool) setDecision {
	at := places(set)
	ca, certificate := d.existing[at[0].secret].value(at[0].key), d.existing[at[1].secret].value(at[1].key)
	for i, value := range [][]byte{ca, certificate} {
		if len(value) == 0 {
			return reportSet(emptyCertificate(at[i], at[3], wasReady))
		}
	}
	if _, err := recipe.Chain(ca, certificate); err != nil {
		return reportSet(unreadableCertificate(at[3], wasReady, err))
	}
	if d.existing[at[3].secret].frozen() {
		return reportSet(immutableSet(at[3].secret))
	}
	return setDecision{action: Derive, job: Job{id: setID(set), run: func(io.Reader, time.Time) (Made, error) {
		value, err := recipe.Chain(ca, certificate)
		return Made{values: map[place][]byte{at[3]: value}}, err
	}}}
}

func reportSet(reason Reason, message string) setDecision {
	return setDecision{action: Report, reason: reason, message: message}
}

func setID(set *v2alpha1.CertificateSet) string { return set.TLSSecret + "/" + certificatesName }

// freshSet is the job that issues a whole set.
func freshSet(set *v2alpha1.CertificateSet) Job {
	return Job{id: setID(set), heavy: set.Authority.Algorithm == v2alpha1.CertificateRSA, run: func(random io.Reader, now time.Time) (Made, error) {
		issued, err := recipe.Set{
			CommonName: set.Authority.CommonName, Organization: set.Authority.Organization,
			OrganizationalUnit: set.Authority.OrganizationalUnit, Algorithm: string(set.Authority.Algorithm),
			KeySize: int(set.Authority.KeySize), Domain: set.Domain, CADays: int(set.CADays), CertDays: int(set.CertDays),
		}.Make(random, now)
		at := places(set)
		return Made{values: map[place][]byte{
			at[0]: issued.CA, at[1]: issued.Certificate, at[2]: issued.Key, at[3]: issued.Chain,
		}}, err
	}}
}

// cause is what a recipe says about a value it cannot use; it never quotes the value.
func cause(err error) string {
	if unreadable, ok := errors.AsType[*recipe.UnreadableError](err); ok {
		return unreadable.Error()
	}
	return "it cannot be used"
}
