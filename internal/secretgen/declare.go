package secretgen

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// secret is a declared Secret with its entries merged.
type secret struct {
	name  string
	types []string
	units []unit
}

// declare lists what a spec declares: its Secrets in their order, then CA, TLS and chain of the certificate set. A key
// claimed by two declarations that differ in anything is a conflict of all units that hold it.
func declare(spec v2alpha1.GitLabSecretsSpec) []*secret {
	d := &declaration{byName: map[string]*secret{}, claims: map[claim][]string{}}
	for _, entry := range spec.Secrets {
		d.enter(entry.Name, entry.Type)
		for _, generator := range entry.Generators {
			for _, u := range unitsOf(entry.Name, generator) {
				d.add(u)
			}
		}
	}
	for i := range spec.Certificates {
		for _, part := range partsOf(&spec.Certificates[i], i) {
			secretType := corev1.SecretTypeOpaque
			if slices.Contains(part.Keys, corev1.TLSCertKey) {
				secretType = corev1.SecretTypeTLS
			}
			d.enter(part.Secret, string(secretType))
			d.add(part)
		}
	}
	d.settle()
	return d.secrets
}

type claim struct{ secret, key string }

type declaration struct {
	secrets []*secret
	byName  map[string]*secret
	claims  map[claim][]string
}

func (d *declaration) enter(name, secretType string) {
	s, ok := d.byName[name]
	if !ok {
		s = &secret{name: name}
		d.byName[name] = s
		d.secrets = append(d.secrets, s)
	}
	secretType = cmp.Or(secretType, string(corev1.SecretTypeOpaque))
	if !slices.Contains(s.types, secretType) {
		s.types = append(s.types, secretType)
	}
}

// add enters a unit once, and what it claims each time.
func (d *declaration) add(u unit) {
	for i, key := range u.Keys {
		owner := u.owner
		if slices.Contains(u.Keys[:i], key) {
			owner += " again"
		}
		at := claim{u.Secret, key}
		if !slices.Contains(d.claims[at], owner) {
			d.claims[at] = append(d.claims[at], owner)
		}
	}
	s := d.byName[u.Secret]
	if !slices.ContainsFunc(s.units, func(have unit) bool { return have.Name == u.Name }) {
		s.units = append(s.units, u)
	}
}

// settle marks the units whose keys are claimed more than once.
func (d *declaration) settle() {
	for _, s := range d.secrets {
		for i := range s.units {
			for _, key := range s.units[i].Keys {
				if len(d.claims[claim{s.name, key}]) > 1 {
					s.units[i].conflict = fmt.Sprintf("key %s of Secret %s is declared %d times, each time in another way",
						key, s.name, len(d.claims[claim{s.name, key}]))
				}
			}
		}
	}
}

// unitsOf lists the units of a generator.
func unitsOf(name string, g v2alpha1.Generator) []unit {
	base := unit{Unit: Unit{Secret: name, Kind: UnitKind(g.Type), DataBearing: g.Persistent}, owner: identity(g), generator: g}
	switch g.Type {
	case v2alpha1.GeneratorRandom, v2alpha1.GeneratorBytes, v2alpha1.GeneratorStatic, v2alpha1.GeneratorRSA:
		base.Name, base.Keys = g.Key, []string{g.Key}
		return []unit{base}
	case v2alpha1.GeneratorX509:
		base.Name, base.Keys = g.CertKey+"+"+g.KeyKey, []string{g.CertKey, g.KeyKey}
		return []unit{base}
	case v2alpha1.GeneratorSSHHostKeys:
		var pairs []unit
		for _, kind := range recipe.SSHKinds() {
			private, public := recipe.SSHKeyNames(kind)
			pair := base
			pair.Kind, pair.DataBearing, pair.ssh = KindSSHHostKey, true, kind
			pair.Name, pair.Keys = private, []string{private, public}
			pairs = append(pairs, pair)
		}
		return pairs
	case v2alpha1.GeneratorRailsSecrets:
		var fields []unit
		for _, f := range g.Fields {
			field := base
			field.Kind, field.DataBearing, field.field = KindRailsField, true, f
			field.Name, field.Keys = g.Key+"/"+g.Env+"."+f.Path, []string{g.Key}
			fields = append(fields, field)
		}
		return fields
	}
	return nil
}

// partsOf lists what a certificate set has in each of its Secrets.
func partsOf(set *v2alpha1.CertificateSet, index int) []unit {
	part := func(secret string, keys ...string) unit {
		return unit{
			Unit:  Unit{Secret: secret, Name: certificatesName, Kind: KindCertificates, DataBearing: true, Keys: keys},
			owner: fmt.Sprintf("certificates %d in %s", index, strings.Join(keys, " and ")),
			set:   set,
		}
	}
	return []unit{
		part(set.CASecret, set.CAKey),
		part(set.TLSSecret, corev1.TLSCertKey, corev1.TLSPrivateKeyKey),
		part(set.ChainSecret, set.ChainKey),
	}
}

// identity is the same for two generators that do the same: defaults are filled in, and what is data-bearing by nature
// needs no flag.
func identity(g v2alpha1.Generator) string {
	switch g.Type {
	case v2alpha1.GeneratorRandom:
		g.Encoding = cmp.Or(g.Encoding, v2alpha1.EncodingNone)
		g.Wrap = cmp.Or(g.Wrap, v2alpha1.WrapNone)
	case v2alpha1.GeneratorBytes:
		g.Encoding = cmp.Or(g.Encoding, v2alpha1.EncodingRaw)
	case v2alpha1.GeneratorSSHHostKeys, v2alpha1.GeneratorRailsSecrets:
		g.Persistent = false
		g.Fields = slices.SortedFunc(slices.Values(g.Fields), func(a, b v2alpha1.RailsField) int { return cmp.Compare(a.Path, b.Path) })
	case v2alpha1.GeneratorStatic, v2alpha1.GeneratorRSA, v2alpha1.GeneratorX509:
	}
	text, err := json.Marshal(g)
	if err != nil {
		return fmt.Sprintf("%s %s", g.Type, g.Key) // a generator is plain data, which always has a JSON form
	}
	return string(text)
}
