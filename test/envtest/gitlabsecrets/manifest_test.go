package gitlabsecrets_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// declaredByTheChart is what a full release declares: 28 entries, with RSA keys of 2048 bits where the chart asks for 4096,
// so that the suite is quick.
func declaredByTheChart() v2alpha1.GitLabSecretsSpec {
	encoded := func(g v2alpha1.Generator) v2alpha1.Generator {
		g.Encoding = v2alpha1.EncodingBase64
		return g
	}
	wrapped := random("secret", 32)
	wrapped.Wrap = v2alpha1.WrapJSONArray
	lower := random("secret", 128)
	lower.Charset, lower.Encoding = v2alpha1.CharsetLowerAlphanumeric, v2alpha1.EncodingBase64
	raw := func(key string, length int32, encoding v2alpha1.Encoding) v2alpha1.Generator {
		return v2alpha1.Generator{Type: v2alpha1.GeneratorBytes, Key: key, Length: length, Encoding: encoding}
	}
	return v2alpha1.GitLabSecretsSpec{
		Certificates: []v2alpha1.CertificateSet{certificates()},
		Secrets: []v2alpha1.SecretEntry{
			entry("initial-root-password", persistent(random("password", 64))),
			entry("shell-secret", random("secret", 64)),
			entry("gitaly-secret", random("token", 64)),
			entry("praefect-secret", random("token", 64)),
			entry("runner-secret", random("runner-registration-token", 64), static("runner-token", "")),
			entry("iam-secret", random("secret", 64)),
			entry("pages-secret", encoded(random("shared_secret", 32))),
			entry("kas-secret", encoded(random("kas_shared_secret", 32))),
			entry("kas-private-api", encoded(random("kas_private_api_secret", 32))),
			entry("kas-websocket", raw("kas_websocket_token_secret", 72, v2alpha1.EncodingBase64)),
			entry("workhorse-secret", encoded(random("shared_secret", 32))),
			entry("incoming-mail-token", encoded(random("authToken", 32))),
			entry("service-desk-token", encoded(random("authToken", 32))),
			entry("pages-cookie", encoded(random("cookie_secret", 64))),
			entry("pages-oauth", persistent(random("appid", 64)), persistent(random("appsecret", 64))),
			entry("registry-certificate", x509Pair()),
			entry("registry-http", lower),
			entry("registry-notification", wrapped),
			entry("rails-secret", rails(scalar("secret_key_base"), scalar("otp_key_base"), scalar("db_key_base"), scalar("encrypted_settings_key_base"),
				pem("openid_connect_signing_key"), list("active_record_encryption_primary_key"), list("active_record_encryption_deterministic_key"),
				scalar("active_record_encryption_key_derivation_salt"))),
			entry("host-keys", sshHostKeys()),
			entry("praefect-database", persistent(random("secret", 32))),
			entry("openbao-auth", random("token", 32)),
			entry("openbao-unseal", persistent(raw("key", 32, v2alpha1.EncodingRaw))),
			entry("ai-gateway-signing", rsaKey("key")),
			entry("ai-gateway-validation", rsaKey("key")),
			entry("ai-workflow-signing", rsaKey("key")),
			entry("ai-workflow-validation", rsaKey("key")),
			entry("knowledge-graph-jwt", raw("secret", 32, v2alpha1.EncodingBase64)),
		},
	}
}

var _ = Describe("The manifest of a full release", func() {
	It("becomes Ready, with every value in its declared form", func(ctx context.Context) {
		spec := declaredByTheChart()
		Expect(spec.Secrets).To(HaveLen(28))
		i := create(ctx)
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Spec = spec })
		begin := time.Now()
		resource := i.settle(ctx)
		AddReportEntry("ready after", time.Since(begin).Round(time.Millisecond).String())
		ready(resource)
		Expect(resource.Status.Secrets).To(HaveLen(31))
		for _, form := range []struct{ secret, key, pattern string }{
			{"initial-root-password", "password", `^[a-zA-Z0-9]{64}$`},
			{"runner-secret", "runner-token", `^$`},
			{"pages-secret", "shared_secret", `^[a-zA-Z0-9+/]{43}=$`},
			{"kas-websocket", "kas_websocket_token_secret", `^[a-zA-Z0-9+/]{96}$`},
			{"registry-notification", "secret", `^\["[a-zA-Z0-9]{32}"\]$`},
			{"registry-certificate", "registry-auth.key", `^-----BEGIN PRIVATE KEY-----\n`},
			{"host-keys", "ssh_host_rsa_key", `^-----BEGIN OPENSSH PRIVATE KEY-----\n`},
			{"host-keys", "ssh_host_ed25519_key.pub", `^ssh-ed25519 [^ ]+\n$`},
			{"ai-gateway-signing", "key", `^-----BEGIN PRIVATE KEY-----\n`},
			{"tls", "tls.key", `^-----BEGIN EC PRIVATE KEY-----\n`},
		} {
			value, there := i.secret(ctx, form.secret).Data[form.key]
			Expect(there).To(BeTrue(), form.secret)
			Expect(string(value)).To(MatchRegexp(form.pattern), "%s of Secret %s", form.key, form.secret)
		}
		Expect(i.secret(ctx, "openbao-unseal").Data["key"]).To(HaveLen(32))
		Expect(state(resource, "rails-secret").ReadyUnits).To(HaveLen(8))
		writes := i.counts.Writes.Load()
		i.pass(ctx)
		Expect(i.counts.Writes.Load()).To(Equal(writes))
	}, NodeTimeout(5*time.Minute))
})
