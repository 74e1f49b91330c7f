package secretgen

import (
	"bytes"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

func TestWritesGoInOrderAndHoldWhatWasMade(t *testing.T) {
	value := ""
	spec := v2alpha1.GitLabSecretsSpec{
		Secrets: []v2alpha1.SecretEntry{
			entry("z", key("k", 12), v2alpha1.Generator{Type: v2alpha1.GeneratorStatic, Key: "empty", Value: &value}),
			entry("rails", generatorOf("railsField")), entry("nothing"),
		},
		Certificates: []v2alpha1.CertificateSet{certificateSet()},
	}
	plan := Decide(spec, map[string]*Existing{
		"z": {Data: map[string][]byte{"other": []byte("x")}}, "rails": {Data: map[string][]byte{"secrets.yml": []byte("# mine\nproduction: {}\n")}},
	}, nil)
	writes := plan.Writes(perform(t, plan))
	var got []string
	for _, w := range writes {
		line := w.String() + " " + w.Type
		if w.Create {
			line += " create"
		}
		got = append(got, line)
	}
	want := []string{
		"z: empty, k Opaque", "rails: secrets.yml Opaque", "nothing:  Opaque create",
		"ca: ca.crt Opaque create", "tls: tls.crt, tls.key kubernetes.io/tls create", "chain: chain.crt Opaque create",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("want (-), got (+):\n%s", diff)
	}
	if len(writes[0].Data["k"]) != 12 || writes[0].Data["empty"] == nil {
		t.Error("a value is not what was declared")
	}
	if text := string(writes[1].Data["secrets.yml"]); !strings.HasPrefix(text, "# mine\nproduction: {f: ") {
		t.Error("the comment of the secrets.yml is lost")
	}
	if !bytes.Equal(writes[5].Data["chain.crt"], slices.Concat(writes[3].Data["ca.crt"], writes[4].Data["tls.crt"])) {
		t.Error("the chain is not the CA and the certificate")
	}
}

func TestASecretIsWrittenOnlyWhenAllOfItIsMade(t *testing.T) {
	spec := v2alpha1.GitLabSecretsSpec{
		Secrets:      []v2alpha1.SecretEntry{entry("a", key("k", 8), key("l", 8)), entry("b", key("k", 8)), entry("rails", generatorOf("railsField"))},
		Certificates: []v2alpha1.CertificateSet{certificateSet()},
	}
	plan := Decide(spec, map[string]*Existing{"a": {}}, nil)
	for lost, want := range map[string][]string{
		"a/l":                            {"b", "rails", "ca", "tls", "chain"},
		"rails/secrets.yml/production.g": {"a", "b", "ca", "tls", "chain"},
		"tls/certificates":               {"a", "b", "rails"},
	} {
		made := perform(t, plan)
		if _, ok := made[lost]; !ok {
			t.Fatalf("there is no job %s", lost)
		}
		delete(made, lost)
		var got []string
		for _, w := range plan.Writes(made) {
			got = append(got, w.Secret)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("without %s, want (-), got (+):\n%s", lost, diff)
		}
	}
}

func TestOnlyRSAKeysAreHeavy(t *testing.T) {
	pem := generatorOf("railsField")
	pem.Fields = []v2alpha1.RailsField{{Path: "p", Shape: v2alpha1.ShapePEM, Bits: 1024}, {Path: "s", Shape: v2alpha1.ShapeScalar, Charset: v2alpha1.CharsetHex, Length: 1}}
	rsaSet := certificateSet()
	rsaSet.Authority.Algorithm, rsaSet.Authority.KeySize, rsaSet.TLSSecret = v2alpha1.CertificateRSA, 2048, "rsa"
	spec := v2alpha1.GitLabSecretsSpec{
		Secrets: []v2alpha1.SecretEntry{
			entry("a", key("k", 8), generatorOf("x509")), entry("b", generatorOf("sshHostKey")), entry("c", pem), entry("d", generatorOf("rsa")),
			entry("derived", generatorOf("x509")),
		},
		Certificates: []v2alpha1.CertificateSet{rsaSet},
	}
	pair := rsaPair(t)
	plan := Decide(spec, map[string]*Existing{"derived": {Data: map[string][]byte{"tls.key": pair[1]}}}, nil)
	got := map[string]bool{}
	for _, job := range plan.Work() {
		got[job.ID()] = job.Heavy()
	}
	want := map[string]bool{
		"a/k": false, "a/tls.crt+tls.key": true, "b/ssh_host_rsa_key": true, "b/ssh_host_ecdsa_key": false, "b/ssh_host_ed25519_key": false,
		"c/secrets.yml/production.p": true, "c/secrets.yml/production.s": false, "d/k": true, "derived/tls.crt+tls.key": false, "rsa/certificates": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("want (-), got (+):\n%s", diff)
	}
}

var errNoRandomness = errors.New("no randomness")

type dry struct{}

func (dry) Read([]byte) (int, error) { return 0, errNoRandomness }

func TestAJobSaysWhatItCouldNotMake(t *testing.T) {
	plan := Decide(v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{entry("a", key("k", 8))}}, nil, nil)
	_, err := plan.Work()[0].Make(dry{}, time.Unix(0, 0))
	if !errors.Is(err, errNoRandomness) || !strings.Contains(err.Error(), "a/k") {
		t.Fatalf("got %v", err)
	}
}

// TestDerivedPartsFit makes each derived part and compares it with the one its key was made with.
func TestDerivedPartsFit(t *testing.T) {
	ssh, set := sshPair(t), issuedSet(t)
	spec := v2alpha1.GitLabSecretsSpec{
		Secrets:      []v2alpha1.SecretEntry{entry("ssh", generatorOf("sshHostKey"))},
		Certificates: []v2alpha1.CertificateSet{certificateSet()},
	}
	plan := Decide(spec, map[string]*Existing{
		"ssh": {Immutable: false, Data: map[string][]byte{"ssh_host_ed25519_key": ssh[1]}},
		"ca":  {Data: map[string][]byte{"ca.crt": set.CA}}, "tls": {Data: map[string][]byte{"tls.crt": set.Certificate, "tls.key": set.Key}},
	}, map[string][]string{"ssh": {"ssh_host_ed25519_key", "ssh_host_rsa_key", "ssh_host_ecdsa_key"}, "tls": {"certificates"}})
	made := map[string]Made{}
	for _, job := range plan.Work() {
		m, err := job.Make(rand.Reader, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		made[job.ID()] = m
	}
	writes := plan.Writes(made)
	if len(writes) != 2 || !bytes.Equal(writes[0].Data["ssh_host_ed25519_key.pub"], ssh[0]) || !bytes.Equal(writes[1].Data["chain.crt"], set.Chain) {
		t.Fatalf("a derived part is not the one it was made with: %v", writes)
	}
}
