package pki

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"os"
	"testing"
	"time"
)

func TestEnsureKeepsASetThatLastsAndReplacesOneThatDoesNot(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	files, err := Ensure(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	first := read(t, files.ServerCert)
	account := read(t, files.ServiceAccountKey)

	again(t, dir, now)
	if !bytes.Equal(first, read(t, files.ServerCert)) {
		t.Error("a good set was made anew")
	}
	again(t, dir, now.Add(lifetime-margin/2))
	if bytes.Equal(first, read(t, files.ServerCert)) {
		t.Error("a set that ends soon was kept")
	}
	if err := os.Remove(files.ServerKey); err != nil {
		t.Fatal(err)
	}
	again(t, dir, now)
	if _, err := tls.LoadX509KeyPair(files.ServerCert, files.ServerKey); err != nil {
		t.Errorf("a set that was cut short is made anew: %v", err)
	}
	if !bytes.Equal(account, read(t, files.ServiceAccountKey)) {
		t.Error("the key for service accounts was made anew: tokens given out would end")
	}
}

func TestCertificatesServeTheirNamesAndComeFromOneAuthority(t *testing.T) {
	files, err := Ensure(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(read(t, files.CA))
	server := parse(t, files.ServerCert, files.ServerKey)
	for _, name := range []string{"127.0.0.1", "localhost", ServiceIP} {
		if _, err := server.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	admin := parse(t, files.AdminCert, files.AdminKey)
	usage := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := admin.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: usage}); err != nil {
		t.Errorf("admin: %v", err)
	}
	if got := admin.Subject.Organization; len(got) != 1 || got[0] != "system:masters" {
		t.Errorf("admin: want the group system:masters, got %v", got)
	}
}

func again(t *testing.T, dir string, now time.Time) {
	t.Helper()
	if _, err := Ensure(dir, now); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parse(t *testing.T, cert, key string) *x509.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}
