package secretgen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

func TestTheRecord(t *testing.T) {
	set := issuedSet(t)
	spec := v2alpha1.GitLabSecretsSpec{
		Secrets: []v2alpha1.SecretEntry{
			entry("a", persistent(key("k", 8)), persistent(key("l", 8)), key("plain", 8)), entry("rails", generatorOf("railsField")),
			entry("ssh", generatorOf("sshHostKey")),
		},
		Certificates: []v2alpha1.CertificateSet{certificateSet()},
	}
	whole := map[string]*Existing{
		"ca": {Data: map[string][]byte{"ca.crt": set.CA}}, "tls": {Data: map[string][]byte{"tls.crt": set.Certificate, "tls.key": set.Key}},
	}
	for name, c := range map[string]struct {
		existing map[string]*Existing
		ready    map[string][]string
		want     map[string][]string
	}{
		"nothing there is nothing on record": {want: map[string][]string{}},
		"a data-bearing key enters once it is there": {
			existing: map[string]*Existing{"a": {Data: map[string][]byte{"k": nil, "plain": nil}}},
			want:     map[string][]string{"a": {"k"}},
		},
		"a unit that went missing stays on record": {
			ready: map[string][]string{"a": {"k"}, "ssh": {"ssh_host_rsa_key"}, "tls": {"certificates"}},
			want:  map[string][]string{"a": {"k"}, "ssh": {"ssh_host_rsa_key"}, "tls": {"certificates"}},
		},
		"a unit of a declared Secret stays on record when its generator goes": {
			existing: map[string]*Existing{"a": {Data: map[string][]byte{"l": nil}}},
			ready:    map[string][]string{"a": {"former"}},
			want:     map[string][]string{"a": {"former", "l"}},
		},
		"a Secret that is no longer declared loses its record": {
			ready: map[string][]string{"gone": {"k"}},
			want:  map[string][]string{},
		},
		"a field enters when it has a value, and no sooner": {
			existing: map[string]*Existing{"rails": {Data: map[string][]byte{"secrets.yml": []byte("production: {f: x, g: []}\n")}}},
			want:     map[string][]string{"rails": {"secrets.yml/production.f"}},
		},
		"a host key without its .pub does not enter": {
			existing: map[string]*Existing{"ssh": {Data: map[string][]byte{"ssh_host_rsa_key": sshPair(t)[1], "ssh_host_ecdsa_key": nil, "ssh_host_ecdsa_key.pub": nil}}},
			want:     map[string][]string{"ssh": {"ssh_host_ecdsa_key"}},
		},
		"a certificate set without its chain does not enter": {existing: whole, want: map[string][]string{}},
		"a certificate set enters in all of its Secrets": {
			existing: map[string]*Existing{"ca": whole["ca"], "tls": whole["tls"], "chain": {Data: map[string][]byte{"chain.crt": set.Chain}}},
			want:     map[string][]string{"ca": {"certificates"}, "tls": {"certificates"}, "chain": {"certificates"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Record(spec, Decide(spec, c.existing, c.ready), c.ready)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Fatalf("want (-), got (+):\n%s", diff)
			}
		})
	}
}
