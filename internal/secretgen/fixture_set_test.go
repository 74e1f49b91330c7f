package secretgen

import (
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

func certificateSet() v2alpha1.CertificateSet {
	return v2alpha1.CertificateSet{
		Authority: v2alpha1.CertificateAuthority{CommonName: "ca", Algorithm: v2alpha1.CertificateECDSA, KeySize: 256},
		Domain:    "example.com", CADays: 2, CertDays: 1,
		TLSSecret: "tls", CASecret: "ca", CAKey: "ca.crt", ChainSecret: "chain", ChainKey: "chain.crt",
	}
}

// setFixture builds a certificate set. The Secret of the column is the one the state is about: the chain's where the chain
// is missing, else the first that lacks something.
func setFixture(t *testing.T, state string, wasReady bool, secret string) scene {
	t.Helper()
	set := certificateSet()
	issued := issuedSet(t)
	junk := []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
	values := map[string][]byte{"ca.crt": issued.CA, "tls.crt": issued.Certificate, "tls.key": issued.Key, "chain.crt": issued.Chain}
	about := "chain"
	drop := func(keys ...string) {
		for _, key := range keys {
			delete(values, key)
		}
	}
	switch state {
	case "absent":
		drop("ca.crt", "tls.crt", "tls.key", "chain.crt")
	case "chain missing":
		drop("chain.crt")
	case "chain missing, CA empty":
		drop("chain.crt")
		values["ca.crt"] = nil
	case "chain missing, certificate empty":
		drop("chain.crt")
		values["tls.crt"] = nil
	case "chain missing, CA unparsable":
		drop("chain.crt")
		values["ca.crt"] = junk
	case "CA missing":
		drop("ca.crt")
		about = "ca"
	case "certificate missing":
		drop("tls.crt")
		about = "tls"
	case "private key missing":
		drop("tls.key")
		about = "tls"
	case "only the CA":
		drop("tls.crt", "tls.key", "chain.crt")
	case "only the chain":
		drop("ca.crt", "tls.crt", "tls.key")
		about = "tls"
	case "only an empty certificate and key":
		drop("ca.crt", "chain.crt")
		values["tls.crt"], values["tls.key"] = nil, nil
	case "present but empty":
		values = map[string][]byte{"ca.crt": nil, "tls.crt": nil, "tls.key": nil, "chain.crt": nil}
	case "unparsable":
		values = map[string][]byte{"ca.crt": junk, "tls.crt": junk, "tls.key": junk, "chain.crt": junk}
	}
	f := scene{secret: about, unit: certificatesName, existing: map[string]*Existing{}, ready: map[string][]string{}}
	f.spec.Certificates = []v2alpha1.CertificateSet{set}
	if wasReady {
		f.ready["tls"] = []string{certificatesName}
	}
	for name, keys := range map[string][]string{"ca": {"ca.crt"}, "tls": {"tls.crt", "tls.key"}, "chain": {"chain.crt"}} {
		declared := "Opaque"
		if name == "tls" {
			declared = "kubernetes.io/tls"
		}
		have := &Existing{Type: declared, Data: map[string][]byte{}}
		for _, key := range keys {
			if value, ok := values[key]; ok {
				have.Data[key] = value
			}
		}
		if name == about {
			have.Type, have.Immutable = typeOf(secret, declared), secret == sImmutable
		}
		if len(have.Data) > 0 || (name == about && secret != sMissing) {
			f.existing[name] = have
		}
		if name == about && secret == sMissing {
			delete(f.existing, name)
		}
	}
	return f
}

var rsaPair, sshPair, issuedSet = pairs(), sshPairs(), sets()

func once[T any](produce func() (T, error)) func(*testing.T) T {
	made := sync.OnceValues(produce)
	return func(t *testing.T) T {
		t.Helper()
		value, err := made()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func pairs() func(*testing.T) [2][]byte {
	return once(func() ([2][]byte, error) {
		cert, key, err := recipe.SelfSigned{CommonName: "c", Bits: 1024, Days: 1}.Make(rand.Reader, time.Unix(0, 0))
		return [2][]byte{cert, key}, err
	})
}

func sshPairs() func(*testing.T) [2][]byte {
	return once(func() ([2][]byte, error) {
		private, public, err := recipe.SSHHostKey(rand.Reader, recipe.SSHEd25519)
		return [2][]byte{public, private}, err
	})
}

func sets() func(*testing.T) recipe.SetPEM {
	return once(func() (recipe.SetPEM, error) {
		return recipe.Set{CommonName: "ca", Algorithm: "ecdsa", KeySize: 256, Domain: "example.com", CADays: 2, CertDays: 1}.Make(rand.Reader, time.Unix(0, 0))
	})
}
