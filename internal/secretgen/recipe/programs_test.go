package recipe_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// program finds a program the values are checked with. Without it the test is skipped by the program's name; where CI is
// set it fails, since there nothing may go unchecked.
func program(tb testing.TB, name string) {
	tb.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		tb.Fatalf("%s is not installed, and in CI nothing is skipped", name)
	}
	tb.Skipf("%s is not installed", name)
}

// run runs a program in a folder and returns what it wrote to both outputs. Its input is closed, so it asks nobody.
func run(tb testing.TB, dir, name string, args ...string) string {
	tb.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("%s %s: %v", name, args[0], err) // its output may hold a value
	}
	return string(out)
}

// store writes values to a folder of their own, readable by the owner alone as ssh-keygen insists.
func store(tb testing.TB, files map[string][]byte) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func wants(tb testing.TB, text string, lines ...string) {
	tb.Helper()
	squeezed := strings.Join(strings.Fields(text), " ")
	for _, line := range lines {
		if !strings.Contains(squeezed, line) {
			tb.Errorf("openssl does not say %q", line)
		}
	}
}

func TestOpenSSLAcceptsAnRSAKey(t *testing.T) {
	program(t, "openssl")
	for _, bits := range []int{2048, 3072, 4096} {
		checkKey(t, must(recipe.RSAKey(rand.Reader, bits))(t), bits)
	}
}

func TestOpenSSLAcceptsTheLargestRSAKey(t *testing.T) {
	if testing.Short() || os.Getenv("SLOW_TESTS") == "" {
		t.Skip("SLOW_TESTS is not set; a key of 8192 bits takes a minute or two")
	}
	program(t, "openssl")
	checkKey(t, must(recipe.RSAKey(rand.Reader, 8192))(t), 8192)
}

func checkKey(t *testing.T, key []byte, bits int) {
	t.Helper()
	dir := store(t, map[string][]byte{"key": key})
	wants(t, run(t, dir, "openssl", "rsa", "-in", "key", "-check", "-noout"), "RSA key ok")
	wants(t, run(t, dir, "openssl", "rsa", "-in", "key", "-text", "-noout"), fmt.Sprintf("Private-Key: (%d bit, 2 primes)", bits), "publicExponent: 65537")
	run(t, dir, "openssl", "pkey", "-in", "key", "-out", "again")
	if again := must(os.ReadFile(filepath.Join(dir, "again")))(t); !bytes.Equal(again, key) {
		t.Errorf("openssl writes the key of %d bits another way", bits)
	}
}

func TestASelfSignedPairHasTheFormOfOpenSSLsOwn(t *testing.T) {
	program(t, "openssl")
	cert, key, err := recipe.SelfSigned{CommonName: "gitlab-issuer", Bits: 2048, Days: 3650}.Make(rand.Reader, today())
	if err != nil {
		t.Fatal(err)
	}
	dir := store(t, map[string][]byte{"cert": cert, "key": key})
	run(t, dir, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=gitlab-issuer", "-days", "3650", "-keyout", "peer.key", "-out", "peer")
	if diff := cmp.Diff(form(run(t, dir, "openssl", "x509", "-in", "peer", "-noout", "-text")), form(run(t, dir, "openssl", "x509", "-in", "cert", "-noout", "-text"))); diff != "" {
		t.Errorf("openssl's own (-), ours (+):\n%s", diff)
	}
	for _, name := range []string{"-subject_hash", "-issuer_hash"} {
		if ours, peers := run(t, dir, "openssl", "x509", "-in", "cert", "-noout", name), run(t, dir, "openssl", "x509", "-in", "peer", "-noout", name); ours != peers {
			t.Errorf("%s differs", name)
		}
	}
	wants(t, run(t, dir, "openssl", "verify", "-x509_strict", "-CAfile", "cert", "cert"), "cert: OK")
	sameModulus(t, dir)
}

// form lists the lines of a printed certificate, without what differs from one to the next: numbers, dates, keys and
// their ids. They are sorted: the order of extensions has no meaning, and Go's is another one than OpenSSL's.
func form(text string) []string {
	text = regexp.MustCompile(`(?m)^ *([0-9a-fA-F]{2}:)*[0-9a-fA-F]{2}:?$`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(?m)(Not Before|Not After ?): .*$`).ReplaceAllString(text, "$1")
	return slices.Sorted(strings.Lines(text))
}

func sameModulus(t *testing.T, dir string) {
	t.Helper()
	cert, key := run(t, dir, "openssl", "x509", "-in", "cert", "-noout", "-modulus"), run(t, dir, "openssl", "rsa", "-in", "key", "-noout", "-modulus")
	if cert != key || !strings.HasPrefix(cert, "Modulus=") {
		t.Error("the key and the certificate have different moduli")
	}
}

func TestOpenSSLSeesTheDerivedCertificateAsOneOfItsKey(t *testing.T) {
	program(t, "openssl")
	for name, args := range map[string][]string{"PKCS#8": {"genrsa", "-out", "key", "2048"}, "PKCS#1": {"genrsa", "-traditional", "-out", "key", "2048"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			run(t, dir, "openssl", args...)
			pair := recipe.SelfSigned{CommonName: "gitlab-issuer", Days: 106751}
			cert := must(pair.Certificate(rand.Reader, today(), must(os.ReadFile(filepath.Join(dir, "key")))(t)))(t)
			if err := os.WriteFile(filepath.Join(dir, "cert"), cert, 0o600); err != nil {
				t.Fatal(err)
			}
			sameModulus(t, dir)
			wants(t, run(t, dir, "openssl", "verify", "-CAfile", "cert", "cert"), "cert: OK")
			end := today().AddDate(0, 0, 106751).Format("2006 GMT")
			wants(t, run(t, dir, "openssl", "x509", "-in", "cert", "-noout", "-enddate"), end)
		})
	}
}

func TestOpenSSLVerifiesASet(t *testing.T) {
	program(t, "openssl")
	for name, tc := range map[string]struct {
		algorithm string
		size      int
		says      []string
	}{
		"RSA 2048": {"rsa", 2048, []string{"Public-Key: (2048 bit)", "sha256WithRSAEncryption", "Digital Signature, Key Encipherment X509v3"}},
		"RSA 3072": {"rsa", 3072, []string{"Public-Key: (3072 bit)", "sha384WithRSAEncryption", "Digital Signature, Key Encipherment X509v3"}},
		"P-256":    {"ecdsa", 256, []string{"NIST CURVE: P-256", "ecdsa-with-SHA256", "Digital Signature X509v3"}},
		"P-384":    {"ecdsa", 384, []string{"NIST CURVE: P-384", "ecdsa-with-SHA384", "Digital Signature X509v3"}},
		"P-521":    {"ecdsa", 521, []string{"NIST CURVE: P-521", "ecdsa-with-SHA512", "Digital Signature X509v3"}},
	} {
		t.Run(name, func(t *testing.T) {
			set := gitlab()
			set.Algorithm, set.KeySize = tc.algorithm, tc.size
			made := must(set.Make(rand.Reader, today()))(t)
			dir := store(t, map[string][]byte{"ca": made.CA, "cert": made.Certificate, "key": made.Key, "chain": made.Chain})
			wants(t, run(t, dir, "openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", "gitlab.example.com", "-CAfile", "ca", "cert"), "cert: OK")
			wants(t, run(t, dir, "openssl", "verify", "-CAfile", "chain", "cert"), "cert: OK")
			wants(t, run(t, dir, "openssl", "x509", "-in", "ca", "-noout", "-text"),
				"CA:TRUE", "X509v3 Key Usage: critical Certificate Sign, CRL Sign", "O = gitlab, OU = release, CN = GitLab Helm Chart")
			wants(t, run(t, dir, "openssl", "x509", "-in", "cert", "-noout", "-text"), append(tc.says,
				"CA:FALSE", "X509v3 Key Usage: critical Digital Signature", "TLS Web Server Authentication",
				"DNS:example.com, DNS:*.example.com", "X509v3 Authority Key Identifier")...)
			public := run(t, dir, "openssl", "x509", "-in", "cert", "-noout", "-pubkey")
			if public != run(t, dir, "openssl", "pkey", "-in", "key", "-pubout") {
				t.Error("the key does not belong to the certificate")
			}
			run(t, dir, "openssl", "x509", "-in", "cert", "-noout", "-checkend", strconv.Itoa(int((364 * 24 * time.Hour).Seconds())))
		})
	}
}

func TestOpenSSLVerifiesASetForALongDomain(t *testing.T) {
	program(t, "openssl")
	set := gitlab()
	set.Domain = strings.Repeat("a", 60) + "." + strings.Repeat("b", 60) + ".example.com"
	made := must(set.Make(rand.Reader, today()))(t)
	dir := store(t, map[string][]byte{"ca": made.CA, "cert": made.Certificate})
	wants(t, run(t, dir, "openssl", "verify", "-x509_strict", "-verify_hostname", set.Domain, "-CAfile", "ca", "cert"), "cert: OK")
}

func TestSSHKeygenReadsTheHostKeys(t *testing.T) {
	program(t, "ssh-keygen")
	for kind, size := range map[recipe.SSHKind]string{recipe.SSHRSA: "3072", recipe.SSHECDSA: "256", recipe.SSHEd25519: "256"} {
		t.Run(string(kind), func(t *testing.T) {
			private, public := hostKey(t, rand.Reader, kind)
			dir := store(t, map[string][]byte{"key": private, "key.pub": public})
			if got := run(t, dir, "ssh-keygen", "-y", "-f", "key"); got != string(public) {
				t.Error("ssh-keygen derives another public half")
			}
			got := strings.Fields(run(t, dir, "ssh-keygen", "-l", "-f", "key.pub"))
			if got[0] != size || strings.Join(got[2:], " ") != "no comment ("+strings.ToUpper(string(kind))+")" {
				t.Errorf("ssh-keygen sees %s bits and says %q", got[0], got[2:])
			}
			if got := strings.Fields(run(t, dir, "ssh-keygen", "-l", "-f", "key")); got[0] != size {
				t.Errorf("ssh-keygen sees a private key of %s bits", got[0])
			}
			// ssh-keygen writes the key anew; the same lines have to come out, but for the random check number at the front.
			run(t, dir, "ssh-keygen", "-q", "-p", "-P", "", "-N", "", "-f", "key")
			checkLines(t, must(os.ReadFile(filepath.Join(dir, "key")))(t))
			if again := must(os.ReadFile(filepath.Join(dir, "key")))(t); len(again) != len(private) {
				t.Errorf("ssh-keygen writes the key in %d bytes, and here it has %d", len(again), len(private))
			}
		})
	}
}

func TestSSHKeygenDerivesTheSamePublicHalf(t *testing.T) {
	program(t, "ssh-keygen")
	for name, args := range map[string][]string{
		"RSA":               {"-t", "rsa", "-b", "2048"},
		"RSA 1024":          {"-t", "rsa", "-b", "1024"},
		"RSA in PKCS#1":     {"-t", "rsa", "-b", "2048", "-m", "PEM"},
		"RSA in PKCS#8":     {"-t", "rsa", "-b", "2048", "-m", "PKCS8"},
		"P-256":             {"-t", "ecdsa", "-b", "256"},
		"P-384 in SEC1":     {"-t", "ecdsa", "-b", "384", "-m", "PEM"},
		"P-521 in PKCS#8":   {"-t", "ecdsa", "-b", "521", "-m", "PKCS8"},
		"Ed25519":           {"-t", "ed25519"},
		"DSA":               {"-t", "dsa"},
		"DSA in old format": {"-t", "dsa", "-m", "PEM"},
		"DSA in PKCS#8":     {"-t", "dsa", "-m", "PKCS8"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if args[1] == "dsa" && exec.Command("ssh-keygen", "-q", "-t", "dsa", "-N", "", "-f", filepath.Join(dir, "probe")).Run() != nil {
				t.Skip("this ssh-keygen makes and reads no DSA keys, as from OpenSSH 10")
			}
			run(t, dir, "ssh-keygen", append(args, "-q", "-N", "", "-C", "", "-f", "key")...)
			if got := must(recipe.SSHPublic(must(os.ReadFile(filepath.Join(dir, "key")))(t)))(t); string(got) != run(t, dir, "ssh-keygen", "-y", "-f", "key") {
				t.Error("ssh-keygen derives another public half")
			}
		})
	}
	t.Run("a key of a security token", func(t *testing.T) {
		key := tokenKey(t)
		if got := must(recipe.SSHPublic(key))(t); string(got) != run(t, store(t, map[string][]byte{"key": key}), "ssh-keygen", "-y", "-f", "key") {
			t.Error("ssh-keygen derives another public half")
		}
	})
}

func TestACommentOfAnExistingKeyIsLeftOut(t *testing.T) {
	program(t, "ssh-keygen")
	dir := t.TempDir()
	run(t, dir, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "root@host", "-f", "key")
	got := must(recipe.SSHPublic(must(os.ReadFile(filepath.Join(dir, "key")))(t)))(t)
	if want, _, _ := strings.Cut(run(t, dir, "ssh-keygen", "-y", "-f", "key"), " root@host"); string(got) != want+"\n" {
		t.Error("the public half differs in more than the comment")
	}
}
