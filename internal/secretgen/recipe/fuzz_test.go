package recipe_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

// FuzzExistingKeys: whatever is stored under a name, nothing panics, every error is one of the few written here and so
// holds no byte of the value, and what is derived reads back as what it is.
func FuzzExistingKeys(f *testing.F) {
	for _, kind := range recipe.SSHKinds() {
		private, public := hostKey(f, rand.Reader, kind)
		f.Add(private)
		f.Add(public)
	}
	set := gitlab()
	made := must(set.Make(rand.Reader, today()))(f)
	old, pkcs8, _ := oldDSA(f)
	for _, seed := range [][]byte{
		must(recipe.RSAKey(rand.Reader, 2048))(f), made.Key, made.CA, made.Chain, tokenKey(f),
		block(f, "DSA PRIVATE KEY", old), block(f, "PRIVATE KEY", pkcs8), block(f, "ENCRYPTED PRIVATE KEY", old),
		nil, []byte("-----BEGIN PRIVATE KEY-----"), []byte("-----BEGIN PRIVATE KEY-----\n\n-----END PRIVATE KEY-----\n"),
	} {
		f.Add(seed)
	}
	// Everything an error can say.
	sentences := make(map[string]bool)
	for _, what := range []string{"private key", "CA certificate", "certificate"} {
		for _, cause := range []error{recipe.ErrNoKey, recipe.ErrNoCertificate, recipe.ErrEncrypted, recipe.ErrUnparsable, recipe.ErrUnsupported} {
			sentences[fmt.Sprintf("the %s cannot be used: %v", what, cause)] = true
		}
	}
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, stored []byte) {
		public, err := recipe.SSHPublic(stored)
		if ok := sound(t, sentences, public, err); ok {
			if _, comment, _, rest, err := ssh.ParseAuthorizedKey(public); err != nil || comment != "" || len(rest) > 0 || public[len(public)-1] != '\n' {
				t.Error("the public half does not read back, or carries more")
			}
		}
		cert, err := recipe.SelfSigned{CommonName: "issuer", Days: 1}.Certificate(rand.Reader, now, stored)
		if ok := sound(t, sentences, cert, err); ok {
			if c := certificate(t, cert); c.CheckSignatureFrom(c) != nil {
				t.Error("the certificate does not verify")
			}
		}
		chain, err := recipe.Chain(stored, stored)
		if ok := sound(t, sentences, chain, err); ok && bytes.Contains(chain, []byte("PRIVATE KEY")) {
			t.Error("a private key went into the chain")
		}
	})
}

// sound checks one answer, and reports whether it is a value.
func sound(tb testing.TB, sentences map[string]bool, value []byte, err error) bool {
	tb.Helper()
	if err == nil {
		return true
	}
	if _, typed := errors.AsType[*recipe.UnreadableError](err); !typed || !sentences[err.Error()] || value != nil {
		tb.Errorf("an error of another kind, or with more in it: %T", err)
	}
	return false
}
