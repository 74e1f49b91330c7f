package certs

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"time"
)

// maxAuthorities is how many authorities a bundle holds. An authority that is made anew again and again, because
// somebody keeps deleting its Secret, must not fill the configuration until nobody can write it any more.
const maxAuthorities = 16

// Bundle returns the authorities to trust: the current one first, then those that were trusted before and have not
// expired, newest first as they came. Everything else that stood in the bundle is dropped.
func Bundle(trusted, current []byte, now time.Time) []byte {
	var out bytes.Buffer
	seen := map[string]bool{}
	add := func(c *x509.Certificate) {
		if len(seen) < maxAuthorities && !seen[string(c.Raw)] {
			seen[string(c.Raw)] = true
			out.Write(pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: c.Raw}))
		}
	}
	for _, c := range certificates(current) {
		add(c)
	}
	for _, c := range certificates(trusted) {
		if !now.After(c.NotAfter) {
			add(c)
		}
	}
	return out.Bytes()
}

const certificateBlock = "CERTIFICATE"

// certificates returns what of a text are certificates, in order.
func certificates(text []byte) []*x509.Certificate {
	var out []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != certificateBlock {
			continue
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			out = append(out, c)
		}
	}
	return out
}
