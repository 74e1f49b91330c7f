package recipe_test

import (
	"bytes"
	"crypto/dsa" //nolint:staticcheck // host keys of this type are no longer made, and an old one keeps its public half
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"math/big"
	mathrand "math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

func TestTheHostKeysAreThoseOfAnEmptyMachine(t *testing.T) {
	var names []string
	for _, kind := range recipe.SSHKinds() {
		private, public := recipe.SSHKeyNames(kind)
		names = append(names, private, public)
	}
	want := []string{
		"ssh_host_rsa_key", "ssh_host_rsa_key.pub", "ssh_host_ecdsa_key", "ssh_host_ecdsa_key.pub",
		"ssh_host_ed25519_key", "ssh_host_ed25519_key.pub",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestAHostKeyIsWrittenAsOpenSSHWritesIt(t *testing.T) {
	for kind, want := range map[recipe.SSHKind]string{
		recipe.SSHRSA: "ssh-rsa", recipe.SSHECDSA: "ecdsa-sha2-nistp256", recipe.SSHEd25519: "ssh-ed25519",
	} {
		t.Run(want, func(t *testing.T) {
			private, public := hostKey(t, rand.Reader, kind)
			key := must(ssh.ParseRawPrivateKey(private))(t)
			if pair, ok := key.(*rsa.PrivateKey); ok && pair.N.BitLen() != 3072 {
				t.Errorf("an RSA key of %d bits", pair.N.BitLen())
			}
			half := must(ssh.NewPublicKey(must(ssh.NewSignerFromKey(key))(t).PublicKey().(ssh.CryptoPublicKey).CryptoPublicKey()))(t)
			if half.Type() != want || string(ssh.MarshalAuthorizedKey(half)) != string(public) {
				t.Errorf("the public half is of type %s, or another one", half.Type())
			}
			if fields := strings.Fields(string(public)); len(fields) != 2 || string(public) != fields[0]+" "+fields[1]+"\n" {
				t.Error("the public half has a comment, or no newline at its end")
			}
			checkLines(t, private)
			if derived := must(recipe.SSHPublic(private))(t); !bytes.Equal(derived, public) {
				t.Error("the derived half is another one")
			}
		})
	}
}

// checkLines holds the frame to what ssh-keygen writes: 70 characters a line, and a newline at the end.
func checkLines(tb testing.TB, private []byte) {
	tb.Helper()
	lines := strings.Split(string(private), "\n")
	last := len(lines) - 1
	if lines[0] != "-----BEGIN OPENSSH PRIVATE KEY-----" || lines[last-1] != "-----END OPENSSH PRIVATE KEY-----" || lines[last] != "" {
		tb.Fatal("the frame is another one")
	}
	for i, line := range lines[1 : last-1] {
		if len(line) > 70 || len(line) == 0 || len(line) < 70 && i < last-3 {
			tb.Errorf("line %d has %d characters", i+1, len(line))
		}
	}
}

func TestAHostKeyComesFromItsSource(t *testing.T) {
	one, _ := hostKey(t, mathrand.NewChaCha8([32]byte{1}), recipe.SSHEd25519)
	two, _ := hostKey(t, mathrand.NewChaCha8([32]byte{1}), recipe.SSHEd25519)
	if !bytes.Equal(must(recipe.SSHPublic(one))(t), must(recipe.SSHPublic(two))(t)) {
		t.Error("the same source gave two keys")
	}
	if _, _, err := recipe.SSHHostKey(&broken{}, recipe.SSHEd25519); !errors.Is(err, errBroken) {
		t.Errorf("a broken source: got %v", err)
	}
	if _, _, err := recipe.SSHHostKey(rand.Reader, "dsa"); err == nil {
		t.Error("a host key of an unknown type was made")
	}
	if _, _, err := recipe.SSHHostKey(nil, recipe.SSHEd25519); err == nil {
		t.Error("a key was made from no source")
	}
}

func TestRSAAndECDSAKeysComeFromTheSystemWhateverSourceIsPassed(t *testing.T) {
	for _, kind := range []recipe.SSHKind{recipe.SSHRSA, recipe.SSHECDSA} {
		one, _ := hostKey(t, &broken{}, kind)
		two, _ := hostKey(t, &broken{}, kind)
		if bytes.Equal(must(recipe.SSHPublic(one))(t), must(recipe.SSHPublic(two))(t)) {
			t.Errorf("two keys of type %s are the same", kind)
		}
	}
}

// oldDSA is a DSA key in its old format and in PKCS#8.
func oldDSA(tb testing.TB) (old, pkcs8 []byte, half *dsa.PublicKey) {
	tb.Helper()
	var key dsa.PrivateKey
	if err := errors.Join(dsa.GenerateParameters(&key.Parameters, rand.Reader, dsa.L1024N160), dsa.GenerateKey(&key, rand.Reader)); err != nil {
		tb.Fatal(err)
	}
	old = must(asn1.Marshal(struct {
		Version       int
		P, Q, G, Y, X *big.Int
	}{0, key.P, key.Q, key.G, key.Y, key.X}))(tb)
	parameters := must(asn1.Marshal(struct{ P, Q, G *big.Int }{key.P, key.Q, key.G}))(tb)
	type algorithm struct {
		ID         asn1.ObjectIdentifier
		Parameters asn1.RawValue
	}
	pkcs8 = must(asn1.Marshal(struct {
		Version   int
		Algorithm algorithm
		Key       []byte
	}{0, algorithm{asn1.ObjectIdentifier{1, 2, 840, 10040, 4, 1}, asn1.RawValue{FullBytes: parameters}}, must(asn1.Marshal(key.X))(tb)}))(tb)
	return old, pkcs8, &key.PublicKey
}

func TestThePublicHalfOfEveryFormatIsDerived(t *testing.T) {
	r := must(rsa.GenerateKey(rand.Reader, 2048))(t)
	e := must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))(t)
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	old, pkcs8, d := oldDSA(t)
	openSSH := func(key any) []byte {
		return pem.EncodeToMemory(must(ssh.MarshalPrivateKey(key, "root@somewhere"))(t))
	}
	sec1 := block(t, "EC PRIVATE KEY", must(x509.MarshalECPrivateKey(e))(t))
	for name, tc := range map[string]struct {
		private []byte
		public  any
	}{
		"RSA in the format of OpenSSH":     {openSSH(r), r.Public()},
		"RSA in PKCS#1":                    {block(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(r)), r.Public()},
		"RSA in PKCS#8":                    {block(t, "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(r))(t)), r.Public()},
		"ECDSA in the format of OpenSSH":   {openSSH(e), e.Public()},
		"ECDSA in SEC1":                    {sec1, e.Public()},
		"ECDSA behind its parameters":      {append(block(t, "EC PARAMETERS", []byte{6, 0}), sec1...), e.Public()},
		"ECDSA in PKCS#8":                  {block(t, "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(e))(t)), e.Public()},
		"Ed25519 in the format of OpenSSH": {openSSH(ed), ed.Public()},
		"Ed25519 in PKCS#8":                {block(t, "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(ed))(t)), ed.Public()},
		"DSA in its old format":            {block(t, "DSA PRIVATE KEY", old), d},
		"DSA in PKCS#8":                    {block(t, "PRIVATE KEY", pkcs8), d},
		"with carriage returns":            {bytes.ReplaceAll(openSSH(ed), []byte("\n"), []byte("\r\n")), ed.Public()},
		"without a newline at its end":     {bytes.TrimSpace(openSSH(ed)), ed.Public()},
	} {
		t.Run(name, func(t *testing.T) {
			want := ssh.MarshalAuthorizedKey(must(ssh.NewPublicKey(tc.public))(t))
			if got := must(recipe.SSHPublic(tc.private))(t); !bytes.Equal(got, want) {
				t.Error("the public half is another one, or carries a comment")
			}
		})
	}
}

func TestAKeyOfASecurityTokenHasAPublicHalf(t *testing.T) {
	if got := must(recipe.SSHPublic(tokenKey(t)))(t); !strings.HasPrefix(string(got), "sk-ssh-ed25519@openssh.com AAAA") || strings.Count(string(got), " ") != 1 {
		t.Error("the public half is another one, or carries a comment")
	}
}

func TestAKeyWithoutAPublicHalfIsATypedError(t *testing.T) {
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	_, other, _ := ed25519.GenerateKey(rand.Reader)
	plain, _ := hostKey(t, rand.Reader, recipe.SSHEd25519)
	raw := must(pemBytes(plain))(t)
	mixed := ed25519.PrivateKey(append(bytes.Clone(ed[:32]), other[32:]...))
	p224 := must(ecdsa.GenerateKey(elliptic.P224(), rand.Reader))(t)
	old, pkcs8, _ := oldDSA(t)
	token := must(pemBytes(tokenKey(t)))(t)
	for name, tc := range map[string]struct {
		private []byte
		want    error
	}{
		"an empty value":                           {nil, recipe.ErrNoKey},
		"text that is no PEM":                      {[]byte("hunter2"), recipe.ErrNoKey},
		"a public half":                            {must(recipe.SSHPublic(plain))(t), recipe.ErrNoKey},
		"a key behind a passphrase":                {pem.EncodeToMemory(must(ssh.MarshalPrivateKeyWithPassphrase(ed, "", []byte("hunter2")))(t)), recipe.ErrEncrypted},
		"PKCS#8 behind a passphrase":               {block(t, "ENCRYPTED PRIVATE KEY", raw), recipe.ErrEncrypted},
		"a key that was cut off":                   {block(t, "OPENSSH PRIVATE KEY", raw[:len(raw)/2]), recipe.ErrUnparsable},
		"a key with nothing in it":                 {block(t, "OPENSSH PRIVATE KEY", nil), recipe.ErrUnparsable},
		"two halves that do not belong together":   {pem.EncodeToMemory(must(ssh.MarshalPrivateKey(mixed, ""))(t)), recipe.ErrUnparsable},
		"a token's key whose halves differ":        {block(t, "OPENSSH PRIVATE KEY", flippedAt(token, 80)), recipe.ErrUnparsable},
		"an old DSA key whose halves differ":       {block(t, "DSA PRIVATE KEY", flippedAt(old, len(old)-1)), recipe.ErrUnsupported},
		"a DSA key in PKCS#8 with odd numbers":     {block(t, "PRIVATE KEY", flippedAt(pkcs8, 40)[:len(pkcs8)-1]), recipe.ErrUnparsable},
		"a curve SSH has no name for":              {block(t, "EC PRIVATE KEY", must(x509.MarshalECPrivateKey(p224))(t)), recipe.ErrUnsupported},
		"a key that only agrees on secrets":        {block(t, "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(must(ecdh.X25519().GenerateKey(rand.Reader))(t)))(t)), recipe.ErrUnsupported},
		"an RSA key too small for ssh-keygen":      {block(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(tiny(t))), recipe.ErrUnsupported},
		"a block of a type of its own":             {block(t, "hunter2 PRIVATE KEY", raw), recipe.ErrUnsupported},
		"a key of a megabyte":                      {block(t, "OPENSSH PRIVATE KEY", make([]byte, 1<<20)), recipe.ErrUnsupported},
		"an algorithm of PKCS#8 nobody here knows": {block(t, "PRIVATE KEY", []byte{0x30, 0x0e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x71, 4, 2, 4, 0}), recipe.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			public, err := recipe.SSHPublic(tc.private)
			checkUnreadable(t, public, err, tc.want)
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Error("the error quotes the value")
			}
		})
	}
}

func pemBytes(text []byte) ([]byte, error) {
	found, _ := pem.Decode(text)
	if found == nil {
		return nil, errors.New("no PEM block")
	}
	return found.Bytes, nil
}

func flippedAt(value []byte, at int) []byte {
	other := bytes.Clone(value)
	other[at] ^= 1
	return other
}
