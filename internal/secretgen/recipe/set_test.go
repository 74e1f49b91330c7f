package recipe_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// gitlab is the set the chart declares, with a key that is quick to make.
func gitlab() recipe.Set {
	return recipe.Set{
		CommonName: "GitLab Helm Chart", Organization: "gitlab", OrganizationalUnit: "release",
		Algorithm: "ecdsa", KeySize: 256, Domain: "example.com", CADays: 1825, CertDays: 365,
	}
}

func TestASetVerifiesWithItsKeyType(t *testing.T) {
	for name, tc := range map[string]struct {
		algorithm string
		size      int
		signature x509.SignatureAlgorithm
		usage     x509.KeyUsage
		kind      string
	}{
		"RSA 2048": {"rsa", 2048, x509.SHA256WithRSA, x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment, "RSA PRIVATE KEY"},
		"RSA 3072": {"rsa", 3072, x509.SHA384WithRSA, x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment, "RSA PRIVATE KEY"},
		"RSA 4096": {"rsa", 4096, x509.SHA512WithRSA, x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment, "RSA PRIVATE KEY"},
		"P-256":    {"ecdsa", 256, x509.ECDSAWithSHA256, x509.KeyUsageDigitalSignature, "EC PRIVATE KEY"},
		"P-384":    {"ecdsa", 384, x509.ECDSAWithSHA384, x509.KeyUsageDigitalSignature, "EC PRIVATE KEY"},
		"P-521":    {"ecdsa", 521, x509.ECDSAWithSHA512, x509.KeyUsageDigitalSignature, "EC PRIVATE KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			set := gitlab()
			set.Algorithm, set.KeySize = tc.algorithm, tc.size
			made := must(set.Make(rand.Reader, today()))(t)
			ca, leaf := certificate(t, made.CA), certificate(t, made.Certificate)
			for _, c := range []*x509.Certificate{ca, leaf} {
				if c.SignatureAlgorithm != tc.signature {
					t.Errorf("%s is signed with %s, want %s", c.Subject, c.SignatureAlgorithm, tc.signature)
				}
			}
			if leaf.KeyUsage != tc.usage {
				t.Errorf("key usage %b, want %b", leaf.KeyUsage, tc.usage)
			}
			if !privateKey(t, tc.kind, made.Key).Public().(interface{ Equal(crypto.PublicKey) bool }).Equal(leaf.PublicKey) {
				t.Error("the key does not belong to the certificate")
			}
			checkServes(t, ca, leaf, "example.com", "gitlab.example.com")
		})
	}
}

func privateKey(tb testing.TB, kind string, value []byte) crypto.Signer {
	tb.Helper()
	if kind == "RSA PRIVATE KEY" {
		return must(x509.ParsePKCS1PrivateKey(der(tb, kind, value)))(tb)
	}
	return must(x509.ParseECPrivateKey(der(tb, kind, value)))(tb)
}

// checkServes verifies the certificate as a client that trusts the CA alone does.
func checkServes(tb testing.TB, ca, leaf *x509.Certificate, hosts ...string) {
	tb.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	for _, host := range hosts {
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: leaf.NotBefore.Add(time.Minute)}); err != nil {
			tb.Errorf("%s: %v", host, err)
		}
	}
}

func TestTheCAIsARealOneAndTheCertificateIsNone(t *testing.T) {
	now := today()
	made := must(gitlab().Make(rand.Reader, now))(t)
	ca, leaf := certificate(t, made.CA), certificate(t, made.Certificate)
	if !ca.IsCA || ca.MaxPathLen != -1 || ca.KeyUsage != x509.KeyUsageCertSign|x509.KeyUsageCRLSign || len(ca.ExtKeyUsage) > 0 {
		t.Error("the CA may not sign certificates and revocation lists, or may do more")
	}
	if leaf.IsCA || !leaf.BasicConstraintsValid || !slices.Equal(leaf.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}) {
		t.Error("the certificate is for something else than a server")
	}
	subjects := []string{ca.Subject.String(), leaf.Subject.String(), leaf.Issuer.String()}
	if diff := cmp.Diff([]string{"CN=GitLab Helm Chart,OU=release,O=gitlab", "CN=example.com", ca.Subject.String()}, subjects); diff != "" {
		t.Errorf("subjects, want (-), got (+):\n%s", diff)
	}
	if len(ca.SubjectKeyId) != 20 || !bytes.Equal(leaf.AuthorityKeyId, ca.SubjectKeyId) || bytes.Equal(leaf.SubjectKeyId, ca.SubjectKeyId) {
		t.Error("the key ids do not lead from the certificate to the CA")
	}
	for _, e := range append(slices.Clone(ca.Extensions), leaf.Extensions...) {
		want := e.Id.String() == "2.5.29.19" || e.Id.String() == "2.5.29.15"
		if e.Critical != want {
			t.Errorf("extension %s: critical is %v", e.Id, e.Critical)
		}
	}
	checkSerial(t, ca, leaf)
	for c, days := range map[*x509.Certificate]int{ca: 1825, leaf: 365} {
		if !c.NotBefore.Equal(now.Add(-5*time.Minute)) || c.NotAfter.Sub(c.NotBefore) != time.Duration(days)*24*time.Hour {
			t.Errorf("%s is valid from %s to %s, want %d days from five minutes ago", c.Subject, c.NotBefore, c.NotAfter, days)
		}
	}
}

func TestEveryNameOfADomainIsServed(t *testing.T) {
	label := strings.Repeat("a", 60)
	long := label + "." + label + ".example.com"
	for name, tc := range map[string]struct {
		set        func(*recipe.Set)
		names      []string
		commonName string
	}{
		"a domain":                         {func(s *recipe.Set) {}, []string{"example.com", "*.example.com"}, "example.com"},
		"a wildcard means its domain":      {func(s *recipe.Set) { s.Domain = "*.example.com" }, []string{"example.com", "*.example.com"}, "example.com"},
		"a dot at the end is dropped":      {func(s *recipe.Set) { s.Domain = "example.com." }, []string{"example.com", "*.example.com"}, "example.com"},
		"a domain of exactly 64":           {func(s *recipe.Set) { s.Domain = long[len(long)-64:] }, []string{long[len(long)-64:], "*." + long[len(long)-64:]}, long[len(long)-64:]},
		"a long domain has no common name": {func(s *recipe.Set) { s.Domain = long }, []string{long, "*." + long}, ""},
		"nor has one named as its CA is": {func(s *recipe.Set) {
			s.CommonName, s.Organization, s.OrganizationalUnit = "example.com", "", ""
		}, []string{"example.com", "*.example.com"}, ""},
		"the same name in an organization": {func(s *recipe.Set) { s.CommonName = "example.com" }, []string{"example.com", "*.example.com"}, "example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			set := gitlab()
			tc.set(&set)
			made := must(set.Make(rand.Reader, today()))(t)
			ca, leaf := certificate(t, made.CA), certificate(t, made.Certificate)
			if diff := cmp.Diff(tc.names, leaf.DNSNames); diff != "" || leaf.Subject.CommonName != tc.commonName {
				t.Errorf("common name %q, want %q; names, want (-), got (+):\n%s", leaf.Subject.CommonName, tc.commonName, diff)
			}
			checkServes(t, ca, leaf, tc.names[0], "gitlab."+tc.names[0])
			for _, e := range leaf.Extensions {
				if e.Id.String() == "2.5.29.17" && e.Critical != (tc.commonName == "") {
					t.Error("the alternative names are critical exactly when there is no subject")
				}
			}
		})
	}
}

func TestACertificateNeverOutlivesItsCA(t *testing.T) {
	for name, tc := range map[string]struct {
		now          time.Time
		ca, cert     int
		caEnd, lives time.Time
	}{
		"the longest set":        {time.Date(2026, 7, 1, 0, 5, 0, 0, time.UTC), 106751, 106751, time.Date(2318, 10, 10, 0, 0, 0, 0, time.UTC), time.Date(2318, 10, 10, 0, 0, 0, 0, time.UTC)},
		"a CA that ends earlier": {time.Date(2026, 7, 1, 0, 5, 0, 0, time.UTC), 1, 2, time.Date(2026, 7, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 7, 2, 0, 0, 0, 0, time.UTC)},
	} {
		t.Run(name, func(t *testing.T) {
			set := gitlab()
			set.CADays, set.CertDays = tc.ca, tc.cert
			made := must(set.Make(rand.Reader, tc.now))(t)
			ca, leaf := certificate(t, made.CA), certificate(t, made.Certificate)
			if !ca.NotAfter.Equal(tc.caEnd) || !leaf.NotAfter.Equal(tc.lives) {
				t.Errorf("the CA ends %s and the certificate %s", ca.NotAfter, leaf.NotAfter)
			}
		})
	}
}

func TestASetThatMeansNothingIsRefused(t *testing.T) {
	for name, change := range map[string]func(*recipe.Set){
		"no domain":                    func(s *recipe.Set) { s.Domain = "" },
		"a wildcard alone":             func(s *recipe.Set) { s.Domain = "*." },
		"a wildcard in the middle":     func(s *recipe.Set) { s.Domain = "a.*.example.com" },
		"a domain no certificate has":  func(s *recipe.Set) { s.Domain = "bücher.example" },
		"no common name":               func(s *recipe.Set) { s.CommonName = "" },
		"a CA without a day":           func(s *recipe.Set) { s.CADays = 0 },
		"a certificate without a day":  func(s *recipe.Set) { s.CertDays = 0 },
		"another algorithm":            func(s *recipe.Set) { s.Algorithm = "ed25519" },
		"a curve nobody knows":         func(s *recipe.Set) { s.KeySize = 255 },
		"an RSA key far too small":     func(s *recipe.Set) { s.Algorithm, s.KeySize = "rsa", 512 },
		"a curve's size asked of none": func(s *recipe.Set) { s.Algorithm = "" },
	} {
		set := gitlab()
		change(&set)
		if made, err := set.Make(rand.Reader, today()); err == nil || made.Key != nil {
			t.Errorf("%s: a set was made", name)
		}
	}
	if _, err := gitlab().Make(&broken{left: 30}, today()); !errors.Is(err, errBroken) {
		t.Errorf("serial numbers from a broken source: got %v", err)
	}
}

func TestAChainIsTheCAAndThenTheCertificate(t *testing.T) {
	made := must(gitlab().Make(rand.Reader, today()))(t)
	want := string(made.CA) + string(made.Certificate)
	for name, tc := range map[string]struct {
		ca, cert []byte
		want     string
	}{
		"as they are stored":           {made.CA, made.Certificate, want},
		"without newlines at the end":  {bytes.TrimSpace(made.CA), bytes.TrimSpace(made.Certificate), want},
		"with carriage returns":        {bytes.ReplaceAll(made.CA, []byte("\n"), []byte("\r\n")), made.Certificate, want},
		"a key beside one stays there": {made.CA, slices.Concat(made.Key, made.Certificate, made.Key), want},
		"text beside one stays there":  {append([]byte("Bag Attributes\n"), made.CA...), made.Certificate, want},
		"every certificate goes along": {made.CA, slices.Concat(made.Certificate, made.CA), want + string(made.CA)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := must(recipe.Chain(tc.ca, tc.cert))(t); string(got) != tc.want {
				t.Error("the chain is not the CA and then the certificate")
			}
		})
	}
	if string(made.Chain) != want {
		t.Error("a set is made with another chain than the derived one")
	}
}

func TestAChainNeedsTwoCertificates(t *testing.T) {
	made := must(gitlab().Make(rand.Reader, today()))(t)
	cut := block(t, "CERTIFICATE", der(t, "CERTIFICATE", made.CA)[:50])
	more := block(t, "CERTIFICATE", append(der(t, "CERTIFICATE", made.CA), 0))
	for name, tc := range map[string]struct {
		value []byte
		want  error
	}{
		"an empty value":            {nil, recipe.ErrNoCertificate},
		"text that is no PEM":       {[]byte("hunter2"), recipe.ErrNoCertificate},
		"a private key":             {made.Key, recipe.ErrNoCertificate},
		"a certificate cut off":     {cut, recipe.ErrUnparsable},
		"one with bytes behind it":  {more, recipe.ErrUnparsable},
		"a good one and a bad one":  {append(bytes.Clone(made.CA), cut...), recipe.ErrUnparsable},
		"a string in place of one":  {block(t, "CERTIFICATE", []byte{0x13, 1, 'a'}), recipe.ErrUnparsable},
		"an empty block of its own": {block(t, "CERTIFICATE", nil), recipe.ErrUnparsable},
	} {
		t.Run(name, func(t *testing.T) {
			chain, err := recipe.Chain(tc.value, made.Certificate)
			checkUnreadable(t, chain, err, tc.want)
			chain, err = recipe.Chain(made.CA, tc.value)
			checkUnreadable(t, chain, err, tc.want)
		})
	}
}
