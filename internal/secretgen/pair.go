package secretgen

import (
	"bytes"
	"io"
	"time"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// pair decides about a private key and what follows from it: an x509 certificate, or the .pub of an SSH host key.
func (d decider) pair(u unit) Decision {
	have := d.existing[u.Secret]
	private, public := u.pairKeys()
	switch hasPrivate, hasPublic := have.has(private), have.has(public); {
	case hasPrivate && hasPublic:
		return u.keep()
	case hasPrivate:
		return d.derived(u, have, private, public)
	case hasPublic:
		return u.report(loneHalf(u, private, public, d.wasReady(u)))
	case d.wasReady(u):
		return u.report(readyMissing(u.Unit))
	case have.frozen():
		return u.report(immutable(u.Unit))
	}
	return u.generate(u.Keys...)
}

// derived decides about a private key without its other part, which is made from it, whether the pair was ready or not.
func (d decider) derived(u unit, have *Existing, private, public string) Decision {
	value := have.value(private)
	if len(value) == 0 {
		return u.report(emptyKey(u, private, public, d.wasReady(u)))
	}
	if err := u.tryDerive(value); err != nil {
		return u.report(unreadableKey(u, private, public, d.wasReady(u), err))
	}
	if have.frozen() {
		return u.report(immutable(u.Unit))
	}
	return Decision{Unit: u.Unit, Action: Derive, Keys: []string{public}, job: u.fromPrivate(value)}
}

// pairKeys are the key of the private part and that of the part that follows from it.
func (u unit) pairKeys() (private, public string) {
	if u.Kind == KindX509 {
		return u.generator.KeyKey, u.generator.CertKey
	}
	return recipe.SSHKeyNames(u.ssh)
}

// tryDerive finds out whether the part can be derived by deriving it once: then no key can be found fit here and unfit
// when the time has come. What a certificate would hold beside the key does not matter, so it is made from fixed bytes.
func (u unit) tryDerive(private []byte) error {
	if u.Kind == KindSSHHostKey {
		_, err := recipe.SSHPublic(private)
		return err
	}
	_, err := recipe.SelfSigned{CommonName: "trial", Days: 1}.Certificate(fixed{}, time.Unix(0, 0), private)
	return err
}

// fixed is a source of ones, for a certificate nobody sees.
type fixed struct{}

func (fixed) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte{1}, len(p))), nil }

// fromPrivate is the job that makes the part that follows from a private key.
func (u unit) fromPrivate(private []byte) Job {
	_, public := u.pairKeys()
	return u.job(false, func(random io.Reader, now time.Time) (Made, error) {
		if u.Kind == KindSSHHostKey {
			value, err := recipe.SSHPublic(private)
			return u.made(public, value), err
		}
		value, err := u.selfSigned().Certificate(random, now, private)
		return u.made(public, value), err
	})
}
