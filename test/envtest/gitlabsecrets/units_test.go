package gitlabsecrets_test

import (
	"bytes"
	"context"
	"crypto/x509"
	encodingpem "encoding/pem"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

var _ = Describe("A unit of several keys", func() {
	It("is made whole: a pair of a key and a certificate, and three pairs of SSH host keys", func(ctx context.Context) {
		i := create(ctx, entry("registry", x509Pair()), entry("host-keys", sshHostKeys()))
		ready(i.settle(ctx))
		registry := i.secret(ctx, "registry")
		c := certificate(registry.Data["registry-auth.crt"])
		Expect(c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature)).To(Succeed())
		Expect(c.NotAfter.Sub(c.NotBefore).Round(time.Hour)).To(Equal(3650 * 24 * time.Hour))
		Expect(keys(i.secret(ctx, "host-keys"))).To(Equal([]string{
			"ssh_host_ecdsa_key", "ssh_host_ecdsa_key.pub", "ssh_host_ed25519_key", "ssh_host_ed25519_key.pub", "ssh_host_rsa_key", "ssh_host_rsa_key.pub",
		}))
	})

	It("gets back a missing .pub, chain and x509 certificate from the key that is there", func(ctx context.Context) {
		i := create(ctx, entry("registry", x509Pair()), entry("host-keys", sshHostKeys()))
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Spec.Certificates = []v2alpha1.CertificateSet{certificates()} })
		i.settle(ctx)
		registry, hosts, chain := i.secret(ctx, "registry"), i.secret(ctx, "host-keys"), i.secret(ctx, "tls-chain")
		i.drop(ctx, "registry", "registry-auth.crt")
		i.drop(ctx, "host-keys", "ssh_host_ed25519_key.pub", "ssh_host_rsa_key.pub")
		i.drop(ctx, "tls-chain", "gitlab.example.com.crt")
		ready(i.settle(ctx))

		after := i.secret(ctx, "registry")
		Expect(after.Data["registry-auth.key"]).To(Equal(registry.Data["registry-auth.key"]))
		Expect(certificate(after.Data["registry-auth.crt"]).PublicKey).To(Equal(certificate(registry.Data["registry-auth.crt"]).PublicKey))
		Expect(i.secret(ctx, "host-keys").Data).To(Equal(hosts.Data))
		Expect(i.secret(ctx, "tls-chain").Data).To(Equal(chain.Data))
	})

	It("that lost a part no other part gives is reported, and nothing of it is touched", func(ctx context.Context) {
		i := create(ctx, entry("registry", x509Pair()), entry("host-keys", sshHostKeys()))
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Spec.Certificates = []v2alpha1.CertificateSet{certificates()} })
		i.settle(ctx)
		i.drop(ctx, "registry", "registry-auth.key")
		i.drop(ctx, "host-keys", "ssh_host_ecdsa_key")
		i.drop(ctx, "tls-ca", "cfssl_ca")
		before := []*corev1.Secret{i.secret(ctx, "registry"), i.secret(ctx, "host-keys"), i.secret(ctx, "tls-ca"), i.secret(ctx, "tls")}
		resource := i.settle(ctx)
		message := says(resource, metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		for _, secret := range []string{"registry", "host-keys", "tls-ca"} {
			Expect(unitsReported(resource, secret)).To(HaveLen(1), secret)
			Expect(message).To(ContainSubstring(secret))
		}
		for _, s := range before {
			Expect(i.secret(ctx, s.Name).Data).To(Equal(s.Data), s.Name)
		}
		count := len(i.told.all(v2alpha1.EventUnitReported))
		Expect(count).To(BeNumerically(">=", 3))
		i.pass(ctx)
		i.restart()
		i.pass(ctx)
		Expect(i.told.all(v2alpha1.EventUnitReported)).To(HaveLen(count), "each is told once, also over a restart")
	})

	It("is mended by deleting the part that remains", func(ctx context.Context) {
		i := create(ctx, entry("registry", x509Pair()))
		i.store(ctx, "registry", map[string]string{"registry-auth.crt": "a lone certificate"})
		says(i.settle(ctx), metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		i.drop(ctx, "registry", "registry-auth.crt")
		ready(i.settle(ctx))
		Expect(keys(i.secret(ctx, "registry"))).To(Equal([]string{"registry-auth.crt", "registry-auth.key"}))
	})

	It("is added whole to a Secret that is there and lacks it", func(ctx context.Context) {
		i := create(ctx, entry("mixed", x509Pair(), rsaKey("signing"), v2alpha1.Generator{Type: v2alpha1.GeneratorBytes, Key: "raw", Length: 32, Encoding: v2alpha1.EncodingRaw}))
		i.store(ctx, "mixed", map[string]string{"own": "value"})
		ready(i.settle(ctx))
		after := i.secret(ctx, "mixed")
		Expect(keys(after)).To(Equal([]string{"own", "raw", "registry-auth.crt", "registry-auth.key", "signing"}))
		Expect(after.Data["raw"]).To(HaveLen(32))
	})
})

var _ = Describe("The certificate set", func() {
	declare := func(ctx context.Context) *instance {
		GinkgoHelper()
		i := create(ctx)
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Spec.Certificates = []v2alpha1.CertificateSet{certificates()} })
		return i
	}

	It("is issued whole: a CA, a certificate it signed for the domain and its wildcard, and their chain", func(ctx context.Context) {
		i := declare(ctx)
		ready(i.settle(ctx))
		tls, ca, chain := i.secret(ctx, "tls"), i.secret(ctx, "tls-ca"), i.secret(ctx, "tls-chain")
		Expect(tls.Type).To(Equal(corev1.SecretTypeTLS))
		Expect(keys(ca)).To(Equal([]string{"cfssl_ca"}), "the key of the CA is not kept")
		leaf, authority := certificate(tls.Data["tls.crt"]), certificate(ca.Data["cfssl_ca"])
		roots := x509.NewCertPool()
		roots.AddCert(authority)
		for _, host := range []string{"example.com", "gitlab.example.com"} {
			_, err := leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots})
			Expect(err).NotTo(HaveOccurred(), host)
		}
		Expect(authority.NotAfter.Sub(authority.NotBefore).Round(24 * time.Hour)).To(Equal(1825 * 24 * time.Hour))
		Expect(leaf.NotAfter.Sub(leaf.NotBefore).Round(24 * time.Hour)).To(Equal(365 * 24 * time.Hour))
		text := chain.Data["gitlab.example.com.crt"]
		first, rest := encodingpem.Decode(text)
		Expect(first.Bytes).To(Equal(authority.Raw))
		second, _ := encodingpem.Decode(rest)
		Expect(second.Bytes).To(Equal(leaf.Raw))
	})

	It("is issued into Secrets that are there and hold none of its keys", func(ctx context.Context) {
		i := prepare(ctx)
		i.store(ctx, "tls-ca", map[string]string{"own": "value"})
		i.declare(ctx)
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Spec.Certificates = []v2alpha1.CertificateSet{certificates()} })
		ready(i.settle(ctx))
		Expect(keys(i.secret(ctx, "tls-ca"))).To(Equal([]string{"cfssl_ca", "own"}))
	})

	It("is never reissued: a set of another kind of key is kept", func(ctx context.Context) {
		i := declare(ctx)
		i.settle(ctx)
		before := i.secret(ctx, "tls").Data
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) {
			s.Spec.Certificates[0].Authority.KeySize, s.Spec.Certificates[0].CertDays = 384, 30
		})
		ready(i.settle(ctx))
		Expect(i.secret(ctx, "tls").Data).To(Equal(before))
	})

	It("is reported when it was ready and is gone as a whole", func(ctx context.Context) {
		i := declare(ctx)
		i.settle(ctx)
		for _, secret := range []string{"tls", "tls-ca", "tls-chain"} {
			i.remove(ctx, secret)
		}
		says(i.settle(ctx), metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		Expect(i.secret(ctx, "tls")).To(BeNil())
	})
})

var _ = Describe("A secrets.yml", func() {
	const mine = `# ours
production:
  db_key_base: ours
  other: &kept [1, 2]
  empty: ""
  nothing:
  keys:
    - first
    - second
test:
  db_key_base: theirs
`
	It("is made with every declared field in its shape", func(ctx context.Context) {
		i := create(ctx, entry("rails", rails(scalar("db_key_base"), pem("signing_key"), list("keys"))))
		resource := i.settle(ctx)
		ready(resource)
		text := string(i.secret(ctx, "rails").Data["secrets.yml"])
		Expect(text).To(HavePrefix("production:\n"))
		Expect(text).To(MatchRegexp(`(?m)^  db_key_base: ['"]?[0-9a-f]{128}['"]?$`))
		Expect(text).To(MatchRegexp(`(?m)^  signing_key: \|\n    -----BEGIN PRIVATE KEY-----$`))
		Expect(text).To(MatchRegexp(`(?m)^  keys:\n    - ['"]?[a-zA-Z0-9]{32}['"]?$`))
		Expect(state(resource, "rails").ReadyUnits).To(HaveLen(3))
	})

	It("gets its absent, null and empty fields, and keeps every other field, environment and list", func(ctx context.Context) {
		i := create(ctx, entry("rails", rails(scalar("db_key_base"), scalar("empty"), scalar("nothing"), scalar("absent"), list("keys"))))
		i.store(ctx, "rails", map[string]string{"secrets.yml": mine, "own": "value"})
		ready(i.settle(ctx))
		after := i.secret(ctx, "rails")
		text := string(after.Data["secrets.yml"])
		for _, kept := range []string{"# ours", "db_key_base: ours", "other: &kept", "- first\n", "- second\n", "test:\n", "db_key_base: theirs"} {
			Expect(text).To(ContainSubstring(kept))
		}
		for _, field := range []string{"empty", "nothing", "absent"} {
			Expect(text).To(MatchRegexp(`(?m)^  `+field+`: ['"]?[0-9a-f]{128}['"]?$`), field)
		}
		i.pass(ctx)
		Expect(i.secret(ctx, "rails").ResourceVersion).To(Equal(after.ResourceVersion), "it is rewritten only when a field is added")
	})

	It("that does not parse is reported and left as it is", func(ctx context.Context) {
		i := create(ctx, entry("rails", rails(scalar("db_key_base"))))
		i.store(ctx, "rails", map[string]string{"secrets.yml": "production: [secretvalue\n"})
		resource := i.settle(ctx)
		message := says(resource, metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		Expect(message).NotTo(ContainSubstring("secretvalue"))
		Expect(string(i.secret(ctx, "rails").Data["secrets.yml"])).To(Equal("production: [secretvalue\n"))
	})

	It("whose field was ready is reported when the field is absent, null or empty, while others are filled", func(ctx context.Context) {
		for _, lost := range []string{"", "  db_key_base:\n", "  db_key_base: \"\"\n"} {
			i := create(ctx, entry("rails", rails(scalar("db_key_base"))))
			i.settle(ctx)
			text := []byte("production:\n  own: value\n" + lost)
			s := i.secret(ctx, "rails")
			s.Data["secrets.yml"] = text
			Expect(w.Live.Update(ctx, s)).To(Succeed())
			i.edit(ctx, func(s *v2alpha1.GitLabSecrets) {
				s.Spec.Secrets[0].Generators[0].Fields = append(s.Spec.Secrets[0].Generators[0].Fields, scalar("later"))
			})
			resource := i.settle(ctx)
			says(resource, metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
			Expect(unitsReported(resource, "rails")).To(ConsistOf(ContainSubstring("db_key_base")))
			after := i.secret(ctx, "rails").Data["secrets.yml"]
			Expect(bytes.Contains(after, []byte("db_key_base: '"))).To(BeFalse())
			Expect(string(after)).To(MatchRegexp(`(?m)^  later: ['"]?[0-9a-f]{128}['"]?$`))
		}
	})
})
