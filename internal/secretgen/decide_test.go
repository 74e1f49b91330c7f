package secretgen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

func entry(name string, generators ...v2alpha1.Generator) v2alpha1.SecretEntry {
	return v2alpha1.SecretEntry{Name: name, Generators: generators}
}

func key(name string, length int32) v2alpha1.Generator {
	return v2alpha1.Generator{Type: v2alpha1.GeneratorRandom, Key: name, Charset: v2alpha1.CharsetHex, Length: length}
}

func persistent(g v2alpha1.Generator) v2alpha1.Generator {
	g.Persistent = true
	return g
}

// outcomes writes a plan as "secret/unit Action Reason".
func outcomes(p Plan) []string {
	var all []string
	for _, s := range p.Secrets {
		for _, d := range s.Decisions {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s/%s %s %s", s.Name, d.Unit.Name, d.Action, d.Reason)))
		}
	}
	return all
}

func TestEntriesAndRecordsWorkTogether(t *testing.T) {
	withValue := key("k", 8)
	encoded := key("k", 8)
	encoded.Encoding, encoded.Wrap = v2alpha1.EncodingNone, v2alpha1.WrapNone
	rails, staging := generatorOf("railsField"), generatorOf("railsField")
	staging.Env = "staging"
	pair := generatorOf("x509")
	samePair := pair
	samePair.CertKey = pair.KeyKey
	for name, c := range map[string]struct {
		secrets  []v2alpha1.SecretEntry
		sets     []v2alpha1.CertificateSet
		existing map[string]*Existing
		ready    map[string][]string
		want     []string
	}{
		"entries that name one Secret merge, in the order of the first": {
			secrets: []v2alpha1.SecretEntry{entry("a", key("k", 8)), entry("b", key("k", 8)), entry("a", key("l", 8))},
			want:    []string{"a/k Generate", "a/l Generate", "b/k Generate"},
		},
		"a key declared twice in the same way is one unit": {
			secrets: []v2alpha1.SecretEntry{entry("a", withValue), entry("a", encoded)},
			want:    []string{"a/k Generate"},
		},
		"a key with two generators is reported and neither makes it": {
			secrets:  []v2alpha1.SecretEntry{entry("a", key("k", 8)), entry("a", key("k", 9), key("l", 8))},
			existing: map[string]*Existing{"a": {}},
			want:     []string{"a/k Report ConflictingGenerators", "a/l Generate"},
		},
		"a key with two generators is reported even where it is there": {
			secrets:  []v2alpha1.SecretEntry{entry("a", key("k", 8), key("k", 9))},
			existing: map[string]*Existing{"a": {Data: map[string][]byte{"k": []byte("v")}}},
			want:     []string{"a/k Report ConflictingGenerators"},
		},
		"a generator that is persistent is another one than one that is not": {
			secrets: []v2alpha1.SecretEntry{entry("a", key("k", 8), persistent(key("k", 8)))},
			want:    []string{"a/k Report ConflictingGenerators"},
		},
		"a pair that shares a key with another unit conflicts as a whole": {
			secrets: []v2alpha1.SecretEntry{entry("a", pair, key("tls.key", 8))},
			want:    []string{"a/tls.crt+tls.key Report ConflictingGenerators", "a/tls.key Report ConflictingGenerators"},
		},
		"a pair in one key conflicts with itself": {
			secrets: []v2alpha1.SecretEntry{entry("a", samePair)},
			want:    []string{"a/tls.key+tls.key Report ConflictingGenerators"},
		},
		"host keys declared twice are one set of pairs": {
			secrets: []v2alpha1.SecretEntry{entry("a", generatorOf("sshHostKey"), persistent(generatorOf("sshHostKey")))},
			want:    []string{"a/ssh_host_rsa_key Generate", "a/ssh_host_ecdsa_key Generate", "a/ssh_host_ed25519_key Generate"},
		},
		"a secrets.yml declared for two environments is a conflict": {
			secrets: []v2alpha1.SecretEntry{entry("a", rails), entry("a", staging)},
			want: []string{
				"a/secrets.yml/production.f Report ConflictingGenerators", "a/secrets.yml/production.g Report ConflictingGenerators",
				"a/secrets.yml/staging.f Report ConflictingGenerators", "a/secrets.yml/staging.g Report ConflictingGenerators",
			},
		},
		"a certificate set that shares a key conflicts in all of its Secrets": {
			secrets: []v2alpha1.SecretEntry{entry("ca", key("ca.crt", 8))},
			sets:    []v2alpha1.CertificateSet{certificateSet()},
			want: []string{
				"ca/ca.crt Report ConflictingGenerators", "ca/certificates Report ConflictingGenerators",
				"tls/certificates Report ConflictingGenerators", "chain/certificates Report ConflictingGenerators",
			},
		},
		"a missing Secret with a reported unit gets nothing": {
			secrets: []v2alpha1.SecretEntry{entry("a", persistent(key("k", 8)), key("l", 8)), entry("b", key("k", 8))},
			ready:   map[string][]string{"a": {"k"}},
			want:    []string{"a/k Report ReadyUnitMissing", "a/l Report SecretHeldBack", "b/k Generate"},
		},
		"an existing Secret with a reported unit gets the others": {
			secrets:  []v2alpha1.SecretEntry{entry("a", persistent(key("k", 8)), key("l", 8))},
			existing: map[string]*Existing{"a": {}},
			ready:    map[string][]string{"a": {"k"}},
			want:     []string{"a/k Report ReadyUnitMissing", "a/l Generate"},
		},
		"a certificate set waits for a Secret that is held back, in all of its Secrets": {
			secrets:  []v2alpha1.SecretEntry{entry("ca", persistent(key("k", 8)))},
			sets:     []v2alpha1.CertificateSet{certificateSet()},
			existing: map[string]*Existing{"tls": {}},
			ready:    map[string][]string{"ca": {"k"}},
			want: []string{
				"ca/k Report ReadyUnitMissing", "ca/certificates Report SecretHeldBack",
				"tls/certificates Report SecretHeldBack", "chain/certificates Report SecretHeldBack",
			},
		},
		"a unit that is not data-bearing is made again whatever is on record": {
			secrets: []v2alpha1.SecretEntry{entry("a", key("k", 8))},
			ready:   map[string][]string{"a": {"k"}},
			want:    []string{"a/k Generate"},
		},
		"one pair of host keys is reported and another one made": {
			secrets:  []v2alpha1.SecretEntry{entry("a", generatorOf("sshHostKey"))},
			existing: map[string]*Existing{"a": {}},
			ready:    map[string][]string{"a": {"ssh_host_rsa_key"}},
			want:     []string{"a/ssh_host_rsa_key Report ReadyUnitMissing", "a/ssh_host_ecdsa_key Generate", "a/ssh_host_ed25519_key Generate"},
		},
		"one field is reported and another one filled": {
			secrets:  []v2alpha1.SecretEntry{entry("a", rails)},
			existing: map[string]*Existing{"a": {Data: map[string][]byte{"secrets.yml": []byte("production: {f: ''}\n")}}},
			ready:    map[string][]string{"a": {"secrets.yml/production.f"}},
			want:     []string{"a/secrets.yml/production.f Report ReadyUnitMissing", "a/secrets.yml/production.g Generate"},
		},
		"the record of any Secret of a certificate set guards it": {
			sets:  []v2alpha1.CertificateSet{certificateSet()},
			ready: map[string][]string{"chain": {"certificates"}},
			want: []string{
				"ca/certificates Report ReadyUnitMissing", "tls/certificates Report ReadyUnitMissing", "chain/certificates Report ReadyUnitMissing",
			},
		},
		"a record of another unit guards nothing": {
			secrets: []v2alpha1.SecretEntry{entry("a", persistent(key("k", 8)))},
			ready:   map[string][]string{"a": {"l"}, "b": {"k"}},
			want:    []string{"a/k Generate"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan := Decide(v2alpha1.GitLabSecretsSpec{Secrets: c.secrets, Certificates: c.sets}, c.existing, c.ready)
			if diff := cmp.Diff(c.want, outcomes(plan)); diff != "" {
				t.Fatalf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestASecretIsReadyWhenItIsThereAndWhole(t *testing.T) {
	spec := v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{
		{Name: "a", Type: "example.com/one", Generators: []v2alpha1.Generator{key("k", 8)}}, {Name: "a", Type: "example.com/two"}, {Name: "none"},
	}}
	missing := Decide(spec, nil, nil)
	if missing.Ready() || missing.Secrets[0].Ready || missing.Secrets[1].Ready {
		t.Error("a Secret that is missing is ready")
	}
	if s := missing.Secrets[0]; s.Type != "example.com/one" || !cmp.Equal(s.OtherTypes, []string{"example.com/two"}) {
		t.Errorf("created with type %s, not %v", s.Type, s.OtherTypes)
	}
	there := Decide(spec, map[string]*Existing{"a": {Data: map[string][]byte{"k": nil}}, "none": {}}, nil)
	if !there.Ready() {
		t.Error("an empty value counts as there")
	}
	if s := there.Secrets[0]; !s.TypeDiffers || s.ExistingType != "Opaque" {
		t.Errorf("type differs: %t, it has type %s", s.TypeDiffers, s.ExistingType)
	}
	if there.Secrets[1].TypeDiffers {
		t.Error("a Secret without a type is Opaque")
	}
}

func TestAReportIsToldOnce(t *testing.T) {
	rails := generatorOf("railsField")
	spec := v2alpha1.GitLabSecretsSpec{
		Secrets:      []v2alpha1.SecretEntry{entry("rails", rails), entry("held", persistent(key("k", 8)), key("l", 8))},
		Certificates: []v2alpha1.CertificateSet{certificateSet()},
	}
	plan := Decide(spec, map[string]*Existing{
		"rails": {Data: map[string][]byte{"secrets.yml": []byte("[")}}, "ca": {Data: map[string][]byte{"ca.crt": nil}},
	}, map[string][]string{"held": {"k"}})
	var got []string
	for _, r := range plan.Reports() {
		got = append(got, fmt.Sprintf("%s %v %v", r.Reason, r.Secrets, r.Units))
		if !strings.HasPrefix(r.String(), string(r.Reason)+": ") {
			t.Errorf("the report %q does not name its reason", r)
		}
	}
	want := []string{
		"SecretsYmlNotYAML [rails] [secrets.yml/production.f secrets.yml/production.g]",
		"ReadyUnitMissing [held] [k]",
		"CertificateSetPartial [ca tls chain] [certificates]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("want (-), got (+):\n%s", diff)
	}
}

// TestALostFileIsToldOnce: of a secrets.yml that is gone as a whole, or empty, one sentence speaks for all its fields.
func TestALostFileIsToldOnce(t *testing.T) {
	spec := v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{entry("rails", generatorOf("railsField"))}}
	ready := map[string][]string{"rails": {"secrets.yml/production.f", "secrets.yml/production.g"}}
	for want, existing := range map[string]*Existing{
		"Secret rails lacks secrets.yml. ":        nil,
		"Secret rails has an empty secrets.yml. ": {Data: map[string][]byte{"secrets.yml": {}}},
	} {
		reports := Decide(spec, map[string]*Existing{"rails": existing}, ready).Reports()
		if len(reports) != 1 || reports[0].Reason != ReasonReadyUnitMissing || !strings.HasPrefix(reports[0].Message, want) || !slices.Equal(reports[0].Units, ready["rails"]) {
			t.Errorf("want one report «%s», got %+v", want, reports)
		}
	}
}

// TestMessagesHelp holds each message to what a person needs: the Secret, what is missing, and what to do.
func TestMessagesHelp(t *testing.T) {
	for _, r := range rows() {
		if r.action != Report {
			continue
		}
		for _, record := range r.record {
			f := fixture(t, r.units[0], r.states[0], record == before, r.secret[len(r.secret)-1])
			d := find(t, Decide(f.spec, f.existing, f.ready), f.secret, f.unit)
			helps := false
			for _, word := range []string{"Restore ", "restore ", "Create it again", "Correct it"} {
				helps = helps || strings.Contains(d.Message, word)
			}
			if !helps || !strings.Contains(d.Message, "Secret") || strings.Contains(d.Message, "%!") {
				t.Errorf("%s, %s: %s", r.states[0], record, d.Message)
			}
			if d.Reason != ReasonSecretImmutable && d.Reason == r.reason && r.units[0] != "railsField" &&
				strings.Contains(d.Message, "GitLabSecrets") != (record == before) {
				t.Errorf("deleting the GitLabSecrets helps a unit that was ready, and only that: %s, %s: %s", r.states[0], record, d.Message)
			}
		}
	}
}

// TestNoMessageHoldsAValue puts one word into every place a value may stand and looks for it in all that can be printed.
func TestNoMessageHoldsAValue(t *testing.T) {
	const hidden = "hunter2hunter2"
	for _, text := range []string{
		"production: {f: *" + hidden + "}", "production:\n  f: " + hidden + "\n  f: " + hidden + "\n", hidden, "production: " + hidden,
		"production: {f: !" + hidden + " '' }", "production: {}\n? # " + hidden + "\n", "%" + hidden,
		"-----BEGIN PRIVATE KEY-----\n" + hidden + "\n-----END PRIVATE KEY-----\n", "x: &" + hidden + "\nproduction: {f: *" + hidden + "}\n",
	} {
		value := hidden
		spec := v2alpha1.GitLabSecretsSpec{Certificates: []v2alpha1.CertificateSet{certificateSet()}, Secrets: []v2alpha1.SecretEntry{
			entry("rails", generatorOf("railsField")), entry("x509", generatorOf("x509")), entry("ssh", generatorOf("sshHostKey")),
			entry("static", v2alpha1.Generator{Type: v2alpha1.GeneratorStatic, Key: "k", Value: &value}),
		}}
		plan := Decide(spec, map[string]*Existing{
			"rails": {Data: map[string][]byte{"secrets.yml": []byte(text)}}, "x509": {Data: map[string][]byte{"tls.key": []byte(text)}},
			"ssh": {Data: map[string][]byte{"ssh_host_rsa_key": []byte(text)}},
			"ca":  {Data: map[string][]byte{"ca.crt": []byte(text)}}, "tls": {Data: map[string][]byte{"tls.crt": []byte(text), "tls.key": nil}},
		}, nil)
		made := perform(t, plan)
		writes := plan.Writes(made)
		for _, d := range plan.Reports() {
			if strings.Contains(d.Message, hidden) {
				t.Errorf("a message holds a value: %s", d.Reason)
			}
		}
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			if out := fmt.Sprintf(format+format, made, writes); strings.Contains(out, hidden) {
				t.Errorf("printing with %s shows a value", format)
			}
		}
	}
}
