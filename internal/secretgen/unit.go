package secretgen

import (
	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// UnitKind says how the values of a unit are made, and so what may be derived.
type UnitKind string

// The kinds of units.
const (
	// KindRandom is one key of drawn characters.
	KindRandom UnitKind = "random"
	// KindBytes is one key of drawn bytes.
	KindBytes UnitKind = "bytes"
	// KindStatic is one key with a declared value.
	KindStatic UnitKind = "static"
	// KindRSA is one key that holds an RSA private key.
	KindRSA UnitKind = "rsa"
	// KindX509 is a private key and the certificate signed by it.
	KindX509 UnitKind = "x509"
	// KindSSHHostKey is one SSH host key and its public half.
	KindSSHHostKey UnitKind = "sshHostKey"
	// KindRailsField is one field of a secrets.yml.
	KindRailsField UnitKind = "railsField"
	// KindCertificates is the set of CA, certificate, key and chain. It lies in three Secrets, and each of them has a
	// Decision of its own about the keys it holds.
	KindCertificates UnitKind = "certificates"
)

// certificatesName is the name of the unit of a certificate set, in each of its Secrets.
const certificatesName = "certificates"

// Unit is what is there, missing or reported as a whole.
type Unit struct {
	// Secret the unit lies in.
	Secret string
	// Name of the unit, unique in its Secret and stable, since status remembers it: "password", "tls.crt+tls.key",
	// "ssh_host_rsa_key", "secrets.yml/production.db_key_base", "certificates".
	Name string
	// Kind of the unit.
	Kind UnitKind
	// DataBearing says that a fresh value would not fit data kept elsewhere: once ready, the unit is never made again.
	DataBearing bool
	// Keys of the Secret the unit lies in.
	Keys []string
}

// Action is what becomes of a unit.
type Action int

const (
	// Keep leaves a unit that is there.
	Keep Action = iota
	// Generate makes a whole unit that is not there.
	Generate
	// Derive makes the part of a unit that follows from the rest of it.
	Derive
	// Report leaves a unit to a person.
	Report
)

// String is the word the documents use.
func (a Action) String() string {
	switch a {
	case Keep:
		return "Keep"
	case Generate:
		return "Generate"
	case Derive:
		return "Derive"
	case Report:
		return "Report"
	}
	return "unknown action"
}

// Existing is a live Secret; a nil pointer is a Secret that does not exist.
type Existing struct {
	Type      string
	Immutable bool
	Data      map[string][]byte
}

// has says whether a key is there, even with an empty value.
func (e *Existing) has(key string) bool {
	if e == nil {
		return false
	}
	_, ok := e.Data[key]
	return ok
}

// value is what a key holds, nothing where it is missing.
func (e *Existing) value(key string) []byte {
	if e == nil {
		return nil
	}
	return e.Data[key]
}

// frozen says that nothing can be added.
func (e *Existing) frozen() bool { return e != nil && e.Immutable }

// unit is a declared unit together with what it is made by.
type unit struct {
	Unit
	// owner tells apart the declarations that claim a key.
	owner     string
	generator v2alpha1.Generator
	ssh       recipe.SSHKind
	field     v2alpha1.RailsField
	set       *v2alpha1.CertificateSet
	// conflict says in words why no declaration of this unit is followed; empty when one is.
	conflict string
}
