package recipe

import (
	"encoding/asn1"
	"encoding/pem"
	"slices"
)

// Chain derives the chain of a set: the certificates of the CA and then those of the domain, one PEM block after the
// other. Only certificates are taken over, so a private key or a comment that stands beside one stays where it is: a
// chain is handed to every client. A value without a certificate is an *UnreadableError.
func Chain(ca, certificate []byte) ([]byte, error) {
	first, err := certificates("CA certificate", ca)
	if err != nil {
		return nil, err
	}
	second, err := certificates("certificate", certificate)
	if err != nil {
		return nil, err
	}
	return slices.Concat(first, second), nil
}

// certificates keeps the certificates of a PEM text. What is in them is not judged: an existing certificate is kept
// whatever it says, and only its frame is checked.
func certificates(what string, text []byte) ([]byte, error) {
	var kept []byte
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			break
		}
		if text = rest; block.Type != pemCertificate {
			continue
		}
		var frame asn1.RawValue
		left, err := asn1.Unmarshal(block.Bytes, &frame)
		if err != nil || len(left) > 0 || frame.Class != asn1.ClassUniversal || frame.Tag != asn1.TagSequence {
			return nil, &UnreadableError{What: what, Cause: ErrUnparsable}
		}
		kept = append(kept, armor(pemCertificate, block.Bytes)...)
	}
	if kept == nil {
		return nil, &UnreadableError{What: what, Cause: ErrNoCertificate}
	}
	return kept, nil
}
