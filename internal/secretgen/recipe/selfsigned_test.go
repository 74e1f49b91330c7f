package recipe_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

func TestAnRSAKeyIsPKCS8OfTheDeclaredSize(t *testing.T) {
	for _, bits := range []int{2048, 2050, 3072} {
		parsed := must(x509.ParsePKCS8PrivateKey(der(t, "PRIVATE KEY", must(recipe.RSAKey(rand.Reader, bits))(t))))(t)
		key, ok := parsed.(*rsa.PrivateKey)
		if !ok || key.N.BitLen() != bits || key.E != 65537 || key.Validate() != nil {
			t.Errorf("no valid RSA key of %d bits", bits)
		}
	}
	if _, err := recipe.RSAKey(rand.Reader, 512); err == nil {
		t.Error("a key of 512 bits was made")
	}
}

func TestASelfSignedPairIsWhatOpenSSLMakes(t *testing.T) {
	now := today()
	cert, key, err := recipe.SelfSigned{CommonName: "gitlab-issuer", Bits: 2048, Days: 3650}.Make(rand.Reader, now)
	if err != nil {
		t.Fatal(err)
	}
	private := must(x509.ParsePKCS8PrivateKey(der(t, "PRIVATE KEY", key)))(t).(*rsa.PrivateKey)
	c := certificate(t, cert)
	if !private.PublicKey.Equal(c.PublicKey) || private.N.BitLen() != 2048 {
		t.Error("the key does not belong to the certificate, or has another size")
	}
	if err := c.CheckSignatureFrom(c); err != nil {
		t.Error(err)
	}
	if c.Subject.String() != "CN=gitlab-issuer" || c.Issuer.String() != "CN=gitlab-issuer" || c.SignatureAlgorithm != x509.SHA256WithRSA {
		t.Errorf("subject %s, issuer %s, signature %s", c.Subject, c.Issuer, c.SignatureAlgorithm)
	}
	if !c.IsCA || !c.BasicConstraintsValid || c.MaxPathLen != -1 || c.KeyUsage != 0 || len(c.ExtKeyUsage) > 0 || len(c.Extensions) != 3 {
		t.Error("want a CA without path length and usages, and three extensions")
	}
	for _, e := range c.Extensions {
		if isConstraints := e.Id.String() == "2.5.29.19"; e.Critical != isConstraints {
			t.Errorf("extension %s: critical is %v", e.Id, e.Critical)
		}
	}
	if len(c.SubjectKeyId) != 20 || !bytes.Equal(c.SubjectKeyId, c.AuthorityKeyId) {
		t.Error("the key ids differ, or are none")
	}
	if !c.NotBefore.Equal(now) || c.NotAfter.Sub(c.NotBefore) != 3650*24*time.Hour {
		t.Errorf("valid from %s to %s", c.NotBefore, c.NotAfter)
	}
	checkSerial(t, c)
}

func checkSerial(tb testing.TB, certs ...*x509.Certificate) {
	tb.Helper()
	seen := make(map[string]bool)
	for _, c := range certs {
		if bytes := c.SerialNumber.BitLen()/8 + 1; c.SerialNumber.Sign() < 1 || bytes > 20 || bytes < 15 || seen[c.SerialNumber.String()] {
			tb.Errorf("a serial number of %d bytes, sign %d, that is no random one", bytes, c.SerialNumber.Sign())
		}
		seen[c.SerialNumber.String()] = true
	}
}

func TestACertificateIsMadeForAKeyThatIsThere(t *testing.T) {
	key := must(rsa.GenerateKey(rand.Reader, 2048))(t)
	pkcs8 := block(t, "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(key))(t))
	pkcs1 := block(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))
	pair := recipe.SelfSigned{CommonName: "gitlab-issuer", Bits: 4096, Days: 10}
	for name, text := range map[string][]byte{
		"PKCS#8":                          pkcs8,
		"PKCS#1":                          pkcs1,
		"with text before it":             append([]byte("the key of the registry\n"), pkcs8...),
		"with carriage returns":           bytes.ReplaceAll(pkcs8, []byte("\n"), []byte("\r\n")),
		"without a newline at its end":    bytes.TrimSpace(pkcs1),
		"behind a certificate":            append(block(t, "CERTIFICATE", []byte{0x30, 0}), pkcs8...),
		"the first of two, as to OpenSSL": append(bytes.Clone(pkcs8), must(recipe.RSAKey(rand.Reader, 2048))(t)...),
	} {
		t.Run(name, func(t *testing.T) {
			c := certificate(t, must(pair.Certificate(rand.Reader, today(), text))(t))
			if !key.PublicKey.Equal(c.PublicKey) {
				t.Error("the certificate is for another key")
			}
			if err := c.CheckSignatureFrom(c); err != nil {
				t.Error(err)
			}
		})
	}
}

func block(tb testing.TB, kind string, der []byte) []byte {
	tb.Helper()
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func TestAKeyACertificateCannotBeMadeForIsATypedError(t *testing.T) {
	ec := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	good := der(t, "PRIVATE KEY", must(recipe.RSAKey(rand.Reader, 2048))(t))
	locked := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-256-CBC,00"}, Bytes: good})
	host, _ := hostKey(t, rand.Reader, recipe.SSHEd25519)
	for name, tc := range map[string]struct {
		key  []byte
		want error
	}{
		"an empty value":                 {nil, recipe.ErrNoKey},
		"text that is no PEM":            {[]byte("hunter2"), recipe.ErrNoKey},
		"a certificate":                  {block(t, "CERTIFICATE", good), recipe.ErrNoKey},
		"a public key":                   {block(t, "PUBLIC KEY", good), recipe.ErrNoKey},
		"a key behind a passphrase":      {block(t, "ENCRYPTED PRIVATE KEY", good), recipe.ErrEncrypted},
		"an old key behind a passphrase": {locked, recipe.ErrEncrypted},
		"a key that was cut off":         {block(t, "PRIVATE KEY", good[:len(good)/2]), recipe.ErrUnparsable},
		"a key with a byte turned over":  {block(t, "PRIVATE KEY", flipped(good)), recipe.ErrUnparsable},
		"PKCS#8 that says it is PKCS#1":  {block(t, "RSA PRIVATE KEY", good), recipe.ErrUnparsable},
		"an elliptic key":                {block(t, "EC PRIVATE KEY", must(x509.MarshalECPrivateKey(ec))(t)), recipe.ErrUnsupported},
		"an elliptic key in PKCS#8":      {block(t, "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(ec))(t)), recipe.ErrUnsupported},
		"an Ed25519 key":                 {block(t, "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(ed))(t)), recipe.ErrUnsupported},
		"a host key":                     {host, recipe.ErrUnsupported},
		"an RSA key too small to sign":   {block(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(tiny(t))), recipe.ErrUnsupported},
		"a key of a megabyte":            {block(t, "RSA PRIVATE KEY", make([]byte, 1<<20)), recipe.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			cert, err := recipe.SelfSigned{CommonName: "a", Days: 1}.Certificate(rand.Reader, today(), tc.key)
			checkUnreadable(t, cert, err, tc.want)
		})
	}
}

// flipped is a copy of a key with one bit of its modulus turned over.
func flipped(der []byte) []byte {
	other := bytes.Clone(der)
	other[60] ^= 1
	return other
}

// tiny is a sound RSA key of 64 bits, which the library parses and no longer makes.
func tiny(tb testing.TB) *rsa.PrivateKey {
	tb.Helper()
	p, q, one := big.NewInt(4294967291), big.NewInt(4294967279), big.NewInt(1)
	phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: 65537},
		D:         new(big.Int).ModInverse(big.NewInt(65537), phi), Primes: []*big.Int{p, q},
	}
	key.Precompute()
	return key
}

func checkUnreadable(tb testing.TB, value []byte, err, want error) {
	tb.Helper()
	if _, typed := errors.AsType[*recipe.UnreadableError](err); !typed || !errors.Is(err, want) || value != nil {
		tb.Errorf("got %v, want an unreadable value since %v", err, want)
	}
}

func TestACertificateOfThreeCenturiesNamesItsEnd(t *testing.T) {
	key := must(recipe.RSAKey(rand.Reader, 2048))(t)
	for name, tc := range map[string]struct {
		now  time.Time
		days int
		want time.Time
	}{
		"the last day of short dates":   {time.Date(2049, 12, 30, 12, 0, 0, 0, time.UTC), 1, time.Date(2049, 12, 31, 12, 0, 0, 0, time.UTC)},
		"the first day of long dates":   {time.Date(2049, 12, 30, 12, 0, 0, 0, time.UTC), 2, time.Date(2050, 1, 1, 12, 0, 0, 0, time.UTC)},
		"the longest the schema allows": {time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), 106751, time.Date(2318, 10, 10, 0, 0, 0, 0, time.UTC)},
		"never past the last date":      {time.Date(9800, 1, 1, 0, 0, 0, 0, time.UTC), 106751, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
		"a clock in another time zone":  {time.Date(2026, 7, 1, 1, 0, 0, 0, time.FixedZone("east", 3600)), 1, time.Date(2026, 7, 2, 0, 0, 0, 0, time.UTC)},
	} {
		t.Run(name, func(t *testing.T) {
			c := certificate(t, must(recipe.SelfSigned{CommonName: "a", Days: tc.days}.Certificate(rand.Reader, tc.now, key))(t))
			if !c.NotAfter.Equal(tc.want) || !c.NotBefore.Equal(tc.now) {
				t.Errorf("valid from %s to %s, want the end %s", c.NotBefore, c.NotAfter, tc.want)
			}
		})
	}
}

func TestAPairThatCannotBeSignedIsRefused(t *testing.T) {
	key := must(recipe.RSAKey(rand.Reader, 2048))(t)
	for name, pair := range map[string]recipe.SelfSigned{
		"no common name": {Bits: 2048, Days: 1},
		"no day":         {CommonName: "a", Bits: 2048},
	} {
		if _, err := pair.Certificate(rand.Reader, today(), key); err == nil {
			t.Errorf("%s: a certificate was made", name)
		}
		if _, _, err := pair.Make(rand.Reader, today()); err == nil {
			t.Errorf("%s: a pair was made", name)
		}
	}
	if _, err := (recipe.SelfSigned{CommonName: "a", Days: 1}).Certificate(&broken{}, today(), key); !errors.Is(err, errBroken) {
		t.Errorf("a serial number from a broken source: got %v", err)
	}
}
