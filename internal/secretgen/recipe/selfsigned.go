package recipe

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"time"
)

// SelfSigned is an RSA key and a certificate signed by it, as openssl req -x509 -newkey rsa: -nodes -subj /CN= makes them.
type SelfSigned struct {
	// CommonName is subject and issuer.
	CommonName string
	// Bits is the size of the key.
	Bits int
	// Days the certificate is valid from now on.
	Days int
}

// Make makes the key and its certificate, both as one PEM block: "CERTIFICATE" and PKCS#8 "PRIVATE KEY". The certificate
// has the key ids of subject and issuer, a critical CA:TRUE, a SHA-256 signature, no key usage and a random positive
// serial number of at most 20 bytes.
func (s SelfSigned) Make(random io.Reader, now time.Time) (cert, key []byte, err error) {
	private, err := newRSA(random, s.Bits)
	if err != nil {
		return nil, nil, err
	}
	if cert, err = s.sign(random, now, private); err != nil {
		return nil, nil, err
	}
	if key, err = pkcs8(private); err != nil {
		return nil, nil, err
	}
	return cert, key, nil
}

// Certificate makes the certificate for an RSA key that is there already, in PKCS#8 or PKCS#1 PEM; Bits has no part in
// it. A key that cannot be used is an *UnreadableError.
func (s SelfSigned) Certificate(random io.Reader, now time.Time, key []byte) ([]byte, error) {
	private, err := readRSA(key)
	if err != nil {
		return nil, err
	}
	return s.sign(random, now, private)
}

func (s SelfSigned) sign(random io.Reader, now time.Time, key *rsa.PrivateKey) ([]byte, error) {
	if s.CommonName == "" || s.Days < 1 {
		return nil, errors.New("a certificate needs a common name and at least 1 day")
	}
	id, err := keyID(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject:               utf8Name(s.CommonName),
		NotBefore:             now,
		NotAfter:              after(now, s.Days),
		SignatureAlgorithm:    x509.SHA256WithRSA,
		BasicConstraintsValid: true,
		IsCA:                  true,
		SubjectKeyId:          id,
		AuthorityKeyId:        id,
	}
	return issue(random, template, template, &key.PublicKey, key)
}

// utf8Name is a subject of one common name, written as UTF-8 text as openssl does; Go's own choice is PrintableString.
func utf8Name(common string) pkix.Name {
	return pkix.Name{ExtraNames: []pkix.AttributeTypeAndValue{{
		Type:  asn1.ObjectIdentifier{2, 5, 4, 3},
		Value: asn1.RawValue{Tag: asn1.TagUTF8String, Bytes: []byte(common)},
	}}}
}

// issue signs a template whose serial number is left to be drawn, and returns one PEM block.
func issue(random io.Reader, template, parent *x509.Certificate, public crypto.PublicKey, signer crypto.Signer) ([]byte, error) {
	der, err := x509.CreateCertificate(random, template, parent, public, signer)
	if err != nil {
		return nil, fmt.Errorf("signing a certificate: %w", err)
	}
	return armor(pemCertificate, der), nil
}

// keyID is the SHA-1 of the public key's bits, the key id OpenSSL and cfssl write (RFC 5280, 4.2.1.2, method 1). It names
// a key and protects nothing.
func keyID(public crypto.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("writing a public key: %w", err)
	}
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(der, &info); err != nil {
		return nil, fmt.Errorf("reading a public key: %w", err)
	}
	sum := sha1.Sum(info.Key.Bytes)
	return sum[:], nil
}

// after is so many days later, and at most the last second a certificate can name. A day has 86400 seconds here, as it
// has for openssl and cfssl.
func after(start time.Time, days int) time.Time {
	last := time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	end := time.Unix(start.Unix()+int64(days)*86400, 0).UTC()
	if end.After(last) {
		return last
	}
	return end
}
