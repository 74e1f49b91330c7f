package recipe

import (
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// longestKey bounds what is parsed, in bytes of a PEM block: a key of RSA 16384, the largest any tool makes, has
	// 10 KB, and checking one of a megabyte would hold a core for minutes.
	longestKey = 16 << 10
	// smallestRSA is the smallest RSA key that signs, and that ssh-keygen reads.
	smallestRSA = 1024
)

// RSAKey makes an RSA private key of so many bits as a PKCS#8 PEM block ("PRIVATE KEY"), which is what openssl genrsa of
// OpenSSL 3 writes. The public exponent is 65537.
func RSAKey(random io.Reader, bits int) ([]byte, error) {
	key, err := newRSA(random, bits)
	if err != nil {
		return nil, err
	}
	return pkcs8(key)
}

func newRSA(random io.Reader, bits int) (*rsa.PrivateKey, error) {
	key, err := rsa.GenerateKey(random, bits)
	if err != nil {
		return nil, fmt.Errorf("making an RSA key of %d bits: %w", bits, err)
	}
	return key, nil
}

func pkcs8(key *rsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("writing an RSA key: %w", err)
	}
	return armor(pemPKCS8, der), nil
}

// privateBlock finds the first private key in a PEM text, as OpenSSL does: text and blocks of another kind before it,
// such as EC PARAMETERS or a certificate, are passed over.
func privateBlock(text []byte) (*pem.Block, error) {
	for {
		block, rest := pem.Decode(text)
		switch {
		case block == nil:
			return nil, badKey(ErrNoKey)
		case !strings.HasSuffix(block.Type, pemPKCS8):
			text = rest
		case block.Type == "ENCRYPTED PRIVATE KEY", strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED"):
			return nil, badKey(ErrEncrypted)
		case len(block.Bytes) > longestKey:
			return nil, badKey(ErrUnsupported)
		default:
			return block, nil
		}
	}
}

// readRSA reads the RSA key a certificate is made for, in PKCS#8 or PKCS#1.
func readRSA(text []byte) (*rsa.PrivateKey, error) {
	block, err := privateBlock(text)
	if err != nil {
		return nil, err
	}
	var parsed any
	switch block.Type {
	case pemPKCS8:
		if foreign(block.Bytes, oidRSA) {
			return nil, badKey(ErrUnsupported)
		}
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case pemPKCS1:
		parsed, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		return nil, badKey(ErrUnsupported)
	}
	if err != nil {
		return nil, badKey(ErrUnparsable) // the parser's own words may quote the key
	}
	key, isRSA := parsed.(*rsa.PrivateKey)
	if !isRSA || key.N.BitLen() < smallestRSA {
		return nil, badKey(ErrUnsupported)
	}
	return key, nil
}

// The algorithms of PKCS#8 keys this package knows.
const (
	oidRSA     = "1.2.840.113549.1.1.1"
	oidEC      = "1.2.840.10045.2.1"
	oidEd25519 = "1.3.101.112"
	oidDSA     = "1.2.840.10040.4.1"
)

// pkcs8Frame is the outside of a PKCS#8 key.
type pkcs8Frame struct {
	Version   int
	Algorithm pkix.AlgorithmIdentifier
	Key       []byte
}

// foreign reports whether der is a PKCS#8 key of an algorithm that is none of these.
func foreign(der []byte, known ...string) bool {
	var frame pkcs8Frame
	_, err := asn1.Unmarshal(der, &frame)
	return err == nil && !slices.Contains(known, frame.Algorithm.Algorithm.String())
}
