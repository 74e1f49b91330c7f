package recipe

import (
	"encoding/asn1"
	"encoding/pem"
	"math/big"

	"golang.org/x/crypto/ssh"
)

// keyTypeDSA is what SSH calls a DSA key. The library's constant is marked as deprecated, which the keys of old machines
// do not heed.
const keyTypeDSA = "ssh-dss"

// dsaKey is the old format of a DSA key.
type dsaKey struct {
	Version       int
	P, Q, G, Y, X *big.Int
}

// dsaHalf is the public half of a DSA key in PKCS#8 or its old format. No such key is made, but one that is there may lack
// its public half. SSH knows one size of DSA; the library's parser refuses any other.
func dsaHalf(block *pem.Block) (ssh.PublicKey, bool) {
	key, ok := parseDSA(block)
	if !ok {
		return nil, false
	}
	half, err := ssh.ParsePublicKey(ssh.Marshal(struct {
		Name       string
		P, Q, G, Y *big.Int
	}{keyTypeDSA, key.P, key.Q, key.G, key.Y}))
	return half, err == nil
}

// parseDSA reads the numbers of a DSA key whose sizes are those of SSH, so that computing with them is quick.
func parseDSA(block *pem.Block) (dsaKey, bool) {
	var key dsaKey
	if block.Type == pemDSA {
		rest, err := asn1.Unmarshal(block.Bytes, &key)
		return key, err == nil && len(rest) == 0 && key.plausible() && key.Y.Cmp(key.public()) == 0
	}
	var frame pkcs8Frame
	if _, err := asn1.Unmarshal(block.Bytes, &frame); err != nil || frame.Algorithm.Algorithm.String() != oidDSA {
		return key, false
	}
	var numbers struct{ P, Q, G *big.Int }
	if _, err := asn1.Unmarshal(frame.Algorithm.Parameters.FullBytes, &numbers); err != nil {
		return key, false
	}
	key.P, key.Q, key.G = numbers.P, numbers.Q, numbers.G
	if _, err := asn1.Unmarshal(frame.Key, &key.X); err != nil || !key.plausible() {
		return key, false
	}
	key.Y = key.public()
	return key, true
}

// plausible checks sizes and ranges before anything is computed.
func (k dsaKey) plausible() bool {
	return k.P.BitLen() == 1024 && k.Q.BitLen() == 160 && k.G.Sign() > 0 && k.G.Cmp(k.P) < 0 &&
		k.X.Sign() > 0 && k.X.Cmp(k.Q) < 0 && k.P.Sign() > 0 && k.P.Bit(0) == 1
}

// public computes the public number of a plausible key.
func (k dsaKey) public() *big.Int { return new(big.Int).Exp(k.G, k.X, k.P) }
