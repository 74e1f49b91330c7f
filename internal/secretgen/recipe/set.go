package recipe

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	// backdate is how long before now a set is valid already, so that a client whose clock is behind accepts it; the
	// lifetime counts from there, as it does for cfssl.
	backdate = 5 * time.Minute
	// longestCommonName is what X.520 allows.
	longestCommonName = 64
)

// Set is a CA and a certificate for a domain and everything directly below it, as cfssl makes them.
type Set struct {
	// CommonName, Organization and OrganizationalUnit are the subject of the CA; the last two may be empty.
	CommonName, Organization, OrganizationalUnit string
	// Algorithm of both keys, rsa or ecdsa, and KeySize in bits: an RSA size, or 256, 384 or 521.
	Algorithm string
	KeySize   int
	// Domain the certificate is for. "*.example.com" means the same as "example.com".
	Domain string
	// CADays and CertDays are how long the two are valid. The certificate never outlives its CA.
	CADays, CertDays int
}

// SetPEM is a made set, each part as it is stored.
type SetPEM struct {
	// CA is the certificate of the authority, Certificate the one for the domain, Chain both in this order.
	CA, Certificate, Chain []byte
	// Key belongs to Certificate: PKCS#1 "RSA PRIVATE KEY" or SEC1 "EC PRIVATE KEY". The key of the CA is not kept.
	Key []byte
}

// Make makes both keys and certificates. The CA has a critical CA:TRUE and may sign certificates and revocation lists; the
// certificate is for a TLS server and names domain and *.domain. Both hold key ids and random serial numbers; they are
// signed with SHA-256, SHA-384 (P-384, RSA from 3072) or SHA-512 (P-521, RSA from 4096), by the size of the key.
//
// The common name of the certificate is the domain. It is left out where it cannot stand: a domain of more than 64
// characters, or one that would make the subject equal to that of the CA. The alternative names are critical then.
func (s Set) Make(random io.Reader, now time.Time) (SetPEM, error) {
	domain, err := s.domain()
	if err != nil {
		return SetPEM{}, err
	}
	caKey, err := s.newKey(random)
	if err != nil {
		return SetPEM{}, fmt.Errorf("the key of the CA: %w", err)
	}
	key, err := s.newKey(random)
	if err != nil {
		return SetPEM{}, fmt.Errorf("the key of the certificate: %w", err)
	}
	authority, err := s.authority(now, caKey)
	if err != nil {
		return SetPEM{}, err
	}
	leaf, err := s.leaf(now, domain, authority, key)
	if err != nil {
		return SetPEM{}, err
	}
	var made SetPEM
	if made.CA, err = issue(random, authority, authority, caKey.Public(), caKey); err != nil {
		return SetPEM{}, err
	}
	if made.Certificate, err = issue(random, leaf, authority, key.Public(), caKey); err != nil {
		return SetPEM{}, err
	}
	if made.Key, err = traditional(key); err != nil {
		return SetPEM{}, err
	}
	if made.Chain, err = Chain(made.CA, made.Certificate); err != nil {
		return SetPEM{}, err
	}
	return made, nil
}

// domain is the declared domain without a wildcard before it and a dot behind it, checked with the rest of the set.
func (s Set) domain() (string, error) {
	domain := strings.TrimSuffix(strings.TrimPrefix(s.Domain, "*."), ".")
	switch {
	case domain == "" || strings.Contains(domain, "*"):
		return "", fmt.Errorf("a certificate set needs a domain such as example.com, and has %q", s.Domain)
	case s.CommonName == "":
		return "", errors.New("a certificate set needs a common name for its CA")
	case s.CADays < 1 || s.CertDays < 1:
		return "", errors.New("a certificate is valid for at least 1 day")
	}
	return domain, nil
}

func (s Set) newKey(random io.Reader) (crypto.Signer, error) {
	switch s.Algorithm {
	case "rsa":
		return newRSA(random, s.KeySize)
	case "ecdsa":
		curves := map[int]elliptic.Curve{256: elliptic.P256(), 384: elliptic.P384(), 521: elliptic.P521()}
		curve, known := curves[s.KeySize]
		if !known {
			return nil, fmt.Errorf("an ECDSA key has 256, 384 or 521 bits, not %d", s.KeySize)
		}
		return newECDSA(random, curve)
	}
	return nil, fmt.Errorf("the key algorithm is rsa or ecdsa, not %q", s.Algorithm)
}

func newECDSA(random io.Reader, curve elliptic.Curve) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(curve, random)
	if err != nil {
		return nil, fmt.Errorf("making an ECDSA key on %s: %w", curve.Params().Name, err)
	}
	return key, nil
}

func (s Set) authority(now time.Time, key crypto.Signer) (*x509.Certificate, error) {
	id, err := keyID(key.Public())
	if err != nil {
		return nil, err
	}
	start := now.Add(-backdate)
	return &x509.Certificate{
		Subject: pkix.Name{
			CommonName: s.CommonName, Organization: present(s.Organization), OrganizationalUnit: present(s.OrganizationalUnit),
		},
		NotBefore:             start,
		NotAfter:              after(start, s.CADays),
		SignatureAlgorithm:    s.signature(),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		SubjectKeyId:          id,
	}, nil
}

func (s Set) leaf(now time.Time, domain string, authority *x509.Certificate, key crypto.Signer) (*x509.Certificate, error) {
	id, err := keyID(key.Public())
	if err != nil {
		return nil, err
	}
	start := now.Add(-backdate)
	end := after(start, s.CertDays)
	if end.After(authority.NotAfter) {
		end = authority.NotAfter
	}
	usage := x509.KeyUsageDigitalSignature
	if s.Algorithm == "rsa" {
		usage |= x509.KeyUsageKeyEncipherment
	}
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: s.leafName(domain)},
		NotBefore:             start,
		NotAfter:              end,
		SignatureAlgorithm:    s.signature(),
		KeyUsage:              usage,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              []string{domain, "*." + domain},
		SubjectKeyId:          id,
	}, nil
}

// leafName is the common name of the certificate, or empty where it cannot stand. A subject equal to that of the CA would
// make the certificate look as if it had signed itself, and verification would look no further.
func (s Set) leafName(domain string) string {
	alike := domain == s.CommonName && s.Organization == "" && s.OrganizationalUnit == ""
	if alike || len(domain) > longestCommonName {
		return ""
	}
	return domain
}

// signature is the algorithm both certificates are signed with.
func (s Set) signature() x509.SignatureAlgorithm {
	if s.Algorithm == "rsa" {
		switch {
		case s.KeySize >= 4096:
			return x509.SHA512WithRSA
		case s.KeySize >= 3072:
			return x509.SHA384WithRSA
		}
		return x509.SHA256WithRSA
	}
	switch s.KeySize {
	case 521:
		return x509.ECDSAWithSHA512
	case 384:
		return x509.ECDSAWithSHA384
	}
	return x509.ECDSAWithSHA256
}

// present is a list of one name, or none where the name is empty: an empty one would be written as an empty attribute.
func present(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// traditional writes a key in the format of its own algorithm, as cfssl does.
func traditional(key crypto.Signer) ([]byte, error) {
	switch k := key.(type) {
	case *rsa.PrivateKey:
		return armor(pemPKCS1, x509.MarshalPKCS1PrivateKey(k)), nil
	case *ecdsa.PrivateKey:
		der, err := x509.MarshalECPrivateKey(k)
		if err != nil {
			return nil, fmt.Errorf("writing an ECDSA key: %w", err)
		}
		return armor(pemSEC1, der), nil
	}
	return nil, errors.New("writing a key that is neither RSA nor ECDSA")
}
