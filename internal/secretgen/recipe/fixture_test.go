package recipe_test

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// today is the clock of these tests. It is the real one to the second, so that openssl verify agrees.
func today() time.Time { return time.Now().UTC().Truncate(time.Second) }

// cycle reads every byte value in turn, for ever.
type cycle struct{ next byte }

func (c *cycle) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.next
		c.next++
	}
	return len(p), nil
}

// broken fails after so many bytes.
type broken struct{ left int }

var errBroken = errors.New("the source of randomness is broken")

func (b *broken) Read(p []byte) (int, error) {
	if b.left < len(p) {
		return 0, errBroken
	}
	b.left -= len(p)
	return len(p), nil
}

// der is the content of a value that has to be exactly one PEM block of that type, with a newline at its end.
func der(tb testing.TB, kind string, value []byte) []byte {
	tb.Helper()
	block, rest := pem.Decode(value)
	switch {
	case block == nil:
		tb.Fatalf("no PEM block; want %s", kind)
	case block.Type != kind || len(block.Headers) > 0 || len(rest) > 0:
		tb.Fatalf("a block %q with %d headers and %d bytes behind it; want %q alone", block.Type, len(block.Headers), len(rest), kind)
	case value[len(value)-1] != '\n':
		tb.Fatalf("%s does not end with a newline", kind)
	}
	return block.Bytes
}

func certificate(tb testing.TB, value []byte) *x509.Certificate {
	tb.Helper()
	c, err := x509.ParseCertificate(der(tb, "CERTIFICATE", value))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func must[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return value
	}
}

// hostKey makes one host key.
func hostKey(tb testing.TB, random io.Reader, kind recipe.SSHKind) (private, public []byte) {
	tb.Helper()
	private, public, err := recipe.SSHHostKey(random, kind)
	if err != nil {
		tb.Fatal(err)
	}
	return private, public
}

// tokenKey is an OpenSSH key whose private part is a handle of a security token. Only the hardware makes one, and its
// file is the same as any other.
func tokenKey(tb testing.TB) []byte {
	tb.Helper()
	_, line := hostKey(tb, rand.Reader, recipe.SSHEd25519)
	half, _, _, _, err := ssh.ParseAuthorizedKey(line)
	if err != nil {
		tb.Fatal(err)
	}
	var plain struct {
		Name string
		Key  []byte
	}
	if err := ssh.Unmarshal(half.Marshal(), &plain); err != nil {
		tb.Fatal(err)
	}
	public := ssh.Marshal(struct {
		Name        string
		Key         []byte
		Application string
	}{ssh.KeyAlgoSKED25519, plain.Key, "ssh:"})
	private := append(ssh.Marshal(struct{ Check, Again uint32 }{7, 7}), public...)
	private = append(private, ssh.Marshal(struct {
		Flags                     byte
		Handle, Reserved, Comment string
	}{1, "handle", "", ""})...)
	for i := byte(1); len(private)%8 != 0; i++ {
		private = append(private, i)
	}
	file := append([]byte("openssh-key-v1\x00"), ssh.Marshal(struct {
		Cipher, KDF, Options string
		Keys                 uint32
		Public, Private      []byte
	}{"none", "none", "", 1, public, private})...)
	return pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: file})
}
