// Package recipe makes the values a GitLabSecrets declares: characters, bytes, keys, certificates and host keys, each as
// the bytes that are stored.
//
// Floor 0, pure: the source of randomness and the clock are passed in, and nothing is kept. The one idea is that each
// recipe is a function from its declared sizes to finished bytes, so that whoever decides what is missing never looks
// inside a key, and whoever writes a Secret never makes one.
//
// What random is used for: Characters, Bytes, Ed25519 keys and the serial numbers of certificates read from it. RSA and
// ECDSA keys, and ECDSA signatures, come from the system's own source whatever is passed, since Go ignores another
// reader there (unless it runs with GODEBUG=cryptocustomrand=1); so a test cannot fix them, and a weak reader cannot
// weaken them. In production both are crypto/rand.
//
// No error of this package holds a byte of a value, nor an error of a parser, since those quote what they stumble over.
package recipe

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
)

// The encodings and wraps Encode knows by name. Every other name leaves the value as it is.
const (
	encodingBase64 = "base64"
	wrapJSONArray  = "jsonArray"
)

// Encode writes a drawn value as it is stored: encoding "base64" is standard base64 on one line without a newline at its
// end, and wrap "jsonArray" then makes that text the only string of a JSON array. Any other encoding or wrap, such as
// "none" and "raw", changes nothing; the definition of GitLabSecrets refuses names that mean nothing.
//
// A JSON string is text: bytes that are no UTF-8 do not survive jsonArray unless they are encoded first.
func Encode(value []byte, encoding, wrap string) []byte {
	encoded := bytes.Clone(value)
	if encoding == encodingBase64 {
		encoded = base64.StdEncoding.AppendEncode(nil, value)
	}
	if wrap != wrapJSONArray {
		return encoded
	}
	wrapped, err := json.Marshal([]string{string(encoded)})
	if err != nil {
		panic(fmt.Sprintf("a list of one string has no JSON form: %T", err)) // encoding/json has no such case
	}
	return wrapped
}

// The PEM types this package writes or reads.
const (
	pemCertificate = "CERTIFICATE"
	pemPKCS8       = "PRIVATE KEY"
	pemPKCS1       = "RSA PRIVATE KEY"
	pemSEC1        = "EC PRIVATE KEY"
	pemDSA         = "DSA PRIVATE KEY"
	pemOpenSSH     = "OPENSSH PRIVATE KEY"
)

// armor is one PEM block with a newline at its end.
func armor(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
