package recipe

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/pem"
	"errors"

	"golang.org/x/crypto/ssh"
)

// SSHPublic derives the public half of a host key that is there already, without a comment and with a newline at its end.
// It takes the private keys ssh-keygen -y reads without a passphrase: the format of OpenSSH (RSA, ECDSA, Ed25519, DSA and
// keys held by a security token), PKCS#1, PKCS#8, SEC1 and the old one of DSA; RSA from 1024 bits, DSA of 1024; and
// Ed25519 in PKCS#8, which ssh-keygen reads from OpenSSH 9.6 on. A key that cannot be used is an *UnreadableError.
func SSHPublic(private []byte) ([]byte, error) {
	block, err := privateBlock(private)
	if err != nil {
		return nil, err
	}
	switch block.Type {
	case pemPKCS8, pemPKCS1, pemSEC1, pemDSA, pemOpenSSH:
	default:
		return nil, badKey(ErrUnsupported)
	}
	if half, ok := dsaHalf(block); ok {
		return ssh.MarshalAuthorizedKey(half), nil
	}
	key, err := ssh.ParseRawPrivateKey(pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes}))
	if err == nil {
		return publicHalf(key)
	}
	if _, encrypted := errors.AsType[*ssh.PassphraseMissingError](err); encrypted {
		return nil, badKey(ErrEncrypted)
	}
	if half, ok := openSSHHalf(block); ok {
		return ssh.MarshalAuthorizedKey(half), nil
	}
	if block.Type == pemPKCS8 && foreign(block.Bytes, oidRSA, oidEC, oidEd25519, oidDSA) {
		return nil, badKey(ErrUnsupported)
	}
	return nil, badKey(ErrUnparsable) // the parser's own words may quote the key
}

// publicHalf writes the public half of a parsed key.
func publicHalf(key any) ([]byte, error) {
	if pair, ok := key.(*ed25519.PrivateKey); ok {
		// Its two halves are stored side by side, and only this tells whether they belong together.
		if !bytes.Equal(ed25519.NewKeyFromSeed(pair.Seed()), *pair) {
			return nil, badKey(ErrUnparsable)
		}
	}
	if pair, ok := key.(*rsa.PrivateKey); ok && pair.N.BitLen() < smallestRSA {
		return nil, badKey(ErrUnsupported)
	}
	signer, ok := key.(interface{ Public() crypto.PublicKey })
	if !ok {
		return nil, badKey(ErrUnsupported)
	}
	half, err := ssh.NewPublicKey(signer.Public())
	if err != nil {
		return nil, badKey(ErrUnsupported) // a curve SSH has no name for, a key that only agrees on secrets
	}
	return ssh.MarshalAuthorizedKey(half), nil
}

// openSSHHalf takes the public half out of an OpenSSH key of a type the library does not parse: DSA, and keys whose
// private part is a handle of a security token. The file holds that half twice; both have to be the same.
func openSSHHalf(block *pem.Block) (ssh.PublicKey, bool) {
	const magic = "openssh-key-v1\x00"
	var file struct {
		Cipher, KDF, KDFOptions string
		Keys                    uint32
		Public, Private         []byte
	}
	body, ok := bytes.CutPrefix(block.Bytes, []byte(magic))
	if !ok || block.Type != pemOpenSSH || ssh.Unmarshal(body, &file) != nil || file.Cipher != "none" || file.Keys != 1 {
		return nil, false
	}
	var private struct {
		Check, Again uint32
		Key          []byte `ssh:"rest"`
	}
	if ssh.Unmarshal(file.Private, &private) != nil || private.Check != private.Again {
		return nil, false
	}
	half, err := ssh.ParsePublicKey(file.Public)
	if err != nil || !bytes.HasPrefix(private.Key, file.Public) {
		return nil, false
	}
	return half, true
}
