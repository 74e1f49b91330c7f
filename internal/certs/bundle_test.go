package certs_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	mathrand "math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/certs"
)

// today is the clock of these tests.
var today = time.Date(2031, 5, 4, 12, 0, 0, 0, time.UTC)

// authorityUntil makes a certificate authority that expires at the given time, as PEM.
func authorityUntil(tb testing.TB, name string, until time.Time) []byte {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		tb.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
}

// names lists the authorities of a bundle in order, and fails on anything the API server would not read as one.
func names(t *testing.T, bundle []byte) []string {
	t.Helper()
	out := []string{}
	for len(bytes.TrimSpace(bundle)) > 0 {
		block, rest := pem.Decode(bundle)
		if block == nil || block.Type != "CERTIFICATE" || len(block.Headers) > 0 {
			t.Fatalf("the bundle holds what is no certificate: %q", bundle)
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		out, bundle = append(out, c.Subject.CommonName), rest
	}
	return out
}

func TestBundle(t *testing.T) {
	now := authorityUntil(t, "now", today.Add(time.Hour))
	before := authorityUntil(t, "before", today.Add(time.Minute))
	longAgo := authorityUntil(t, "long ago", today.Add(-time.Minute))
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("no certificate")})
	renamed := bytes.ReplaceAll(before, []byte("CERTIFICATE"), []byte("SOMETHING"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	cases := map[string]struct {
		trusted, current []byte
		want             []string
	}{
		"a configuration without a bundle gets the current authority":   {current: now, want: []string{"now"}},
		"the old authority stays behind the current one":                {trusted: before, current: now, want: []string{"now", "before"}},
		"the current one comes first wherever it stood":                 {trusted: join(before, now), current: now, want: []string{"now", "before"}},
		"an expired authority leaves":                                   {trusted: join(longAgo, before), current: now, want: []string{"now", "before"}},
		"an authority that stood twice stands once":                     {trusted: join(before, before, now, now), current: now, want: []string{"now", "before"}},
		"a key, a block of another type and plain text leave":           {trusted: join([]byte("# ours\n"), key, renamed, before, []byte("\n\n")), current: now, want: []string{"now", "before"}},
		"an authority without a line break at its end is read the same": {trusted: bytes.TrimSpace(before), current: bytes.TrimSpace(now), want: []string{"now", "before"}},
		"no authority at all trusts nobody":                             {current: []byte("junk"), want: []string{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, names(t, certs.Bundle(c.trusted, c.current, today))); diff != "" {
				t.Errorf("authorities (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever stood in a bundle and however often the authority is rotated: the current one is first, nothing stands twice,
// every one that has not expired is still trusted up to the limit, and a second look changes nothing.
func TestBundleKeepsItsPromisesOverRandomRotations(t *testing.T) {
	random := mathrand.New(mathrand.NewPCG(7, 7)) // The same rotations every time, not a secret.
	var authorities [][]byte
	var ends []time.Time
	for i := range 12 {
		ends = append(ends, today.Add(time.Duration(i*7%12)*time.Hour))
		authorities = append(authorities, authorityUntil(t, strconv.Itoa(i), ends[i]))
	}
	for range 200 {
		clock := today
		var bundle []byte
		valid := map[string]time.Time{}
		for range 1 + random.IntN(10) {
			clock = clock.Add(time.Duration(random.IntN(120)) * time.Minute)
			i := random.IntN(len(authorities))
			if random.IntN(3) == 0 {
				bundle = append(append([]byte("junk\n"), bundle...), bundle...)
			}
			bundle = certs.Bundle(bundle, authorities[i], clock)
			valid[strconv.Itoa(i)] = ends[i]
			got := names(t, bundle)
			if got[0] != strconv.Itoa(i) {
				t.Fatalf("%s is first, not %d", got[0], i)
			}
			want := map[string]bool{got[0]: true}
			for name, end := range valid {
				want[name] = want[name] || !clock.After(end)
				if !want[name] {
					delete(valid, name)
					delete(want, name)
				}
			}
			seen := map[string]bool{}
			for _, name := range got {
				if seen[name] {
					t.Fatalf("%s stands twice: %v", name, got)
				}
				seen[name] = true
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Fatalf("authorities (-want +got):\n%s", diff)
			}
			if !bytes.Equal(bundle, certs.Bundle(bundle, authorities[i], clock)) {
				t.Fatal("a second look changes the bundle")
			}
		}
	}
}

func TestABundleDoesNotGrowWithoutAnEnd(t *testing.T) {
	var bundle []byte
	for i := range 40 {
		bundle = certs.Bundle(bundle, authorityUntil(t, strconv.Itoa(i), today.Add(time.Hour)), today)
	}
	got := names(t, bundle)
	if len(got) != 16 || got[0] != "39" || got[1] != "38" {
		t.Errorf("%d authorities, the first are %v: want the 16 newest", len(got), got[:2])
	}
}
