package recipe

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/elliptic"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/ssh"
)

// SSHKind is a type of SSH host key.
type SSHKind string

// The host keys ssh-keygen -A makes: RSA 3072, ECDSA on P-256, and Ed25519.
const (
	SSHRSA     SSHKind = "rsa"
	SSHECDSA   SSHKind = "ecdsa"
	SSHEd25519 SSHKind = "ed25519"
)

// hostRSABits is the size ssh-keygen takes for RSA when it is told none.
const hostRSABits = 3072

// SSHKinds lists the kinds of a complete set of host keys, in the order they are made.
func SSHKinds() []SSHKind { return []SSHKind{SSHRSA, SSHECDSA, SSHEd25519} }

// SSHKeyNames returns the names a host key and its public half are stored under, as sshd looks for them.
func SSHKeyNames(kind SSHKind) (private, public string) {
	private = "ssh_host_" + string(kind) + "_key"
	return private, private + ".pub"
}

// SSHHostKey makes a host key without a passphrase and without a comment, in the format of OpenSSH, and its public half as
// ssh-keygen -y prints it. Both end with a newline.
func SSHHostKey(random io.Reader, kind SSHKind) (private, public []byte, err error) {
	key, err := newHostKey(random, kind)
	if err != nil {
		return nil, nil, err
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		return nil, nil, fmt.Errorf("writing a host key of type %s: %w", kind, err)
	}
	half, err := ssh.NewPublicKey(key.Public())
	if err != nil {
		return nil, nil, fmt.Errorf("writing the public half of a host key of type %s: %w", kind, err)
	}
	return armorOpenSSH(block.Bytes), ssh.MarshalAuthorizedKey(half), nil
}

func newHostKey(random io.Reader, kind SSHKind) (crypto.Signer, error) {
	switch kind {
	case SSHRSA:
		return newRSA(random, hostRSABits)
	case SSHECDSA:
		return newECDSA(random, elliptic.P256())
	case SSHEd25519:
		if random == nil {
			return nil, errors.New("making an Ed25519 key: no source of randomness")
		}
		_, key, err := ed25519.GenerateKey(random)
		if err != nil {
			return nil, fmt.Errorf("making an Ed25519 key: %w", err)
		}
		return key, nil
	}
	return nil, fmt.Errorf("a host key is of type rsa, ecdsa or ed25519, not %q", string(kind))
}

// armorOpenSSH writes the lines ssh-keygen writes: 70 characters each, where PEM has 64.
func armorOpenSSH(raw []byte) []byte {
	const width = 70
	var out bytes.Buffer
	out.WriteString("-----BEGIN " + pemOpenSSH + "-----\n")
	for text := base64.StdEncoding.AppendEncode(nil, raw); len(text) > 0; {
		line := text[:min(width, len(text))]
		text = text[len(line):]
		out.Write(line)
		out.WriteByte('\n')
	}
	out.WriteString("-----END " + pemOpenSSH + "-----\n")
	return out.Bytes()
}
