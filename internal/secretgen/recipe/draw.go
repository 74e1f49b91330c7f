package recipe

import (
	"fmt"
	"io"
)

// The characters behind the names of the definition, in the order the definition gives them.
const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// characters resolves the name of a character set: alphanumeric, hex or lowerAlphanumeric.
func characters(charset string) (string, error) {
	switch charset {
	case "alphanumeric":
		return lower + upper + digits, nil
	case "lowerAlphanumeric":
		return lower + digits, nil
	case "hex":
		return digits + "abcdef", nil
	}
	return "", fmt.Errorf("there is no character set %q; use alphanumeric, hex or lowerAlphanumeric", charset)
}

// Characters draws exactly length characters of the named set: alphanumeric (a-z, A-Z, 0-9), hex (0-9, a-f) or
// lowerAlphanumeric (a-z, 0-9). Every character of the set is equally likely: a byte that would favour the first ones
// is thrown away and drawn again. It fails on an unknown name, a length below 1 and a source that fails.
func Characters(random io.Reader, charset string, length int) ([]byte, error) {
	set, err := characters(charset)
	if err != nil {
		return nil, err
	}
	if length < 1 {
		return nil, fmt.Errorf("a value has at least 1 character, and %d were asked for", length)
	}
	drawn := make([]byte, 0, length)
	fair := 256 - 256%len(set) // bytes from here on would come round to the first characters once more than to the others
	for len(drawn) < length {
		raw, err := Bytes(random, length-len(drawn))
		if err != nil {
			return nil, err
		}
		for _, b := range raw {
			if int(b) < fair {
				drawn = append(drawn, set[int(b)%len(set)])
			}
		}
	}
	return drawn, nil
}

// Bytes draws exactly length bytes. It fails on a length below 1 and on a source that fails or ends early.
func Bytes(random io.Reader, length int) ([]byte, error) {
	if length < 1 {
		return nil, fmt.Errorf("a value has at least 1 byte, and %d were asked for", length)
	}
	drawn := make([]byte, length)
	if _, err := io.ReadFull(random, drawn); err != nil {
		return nil, fmt.Errorf("reading %d random bytes: %w", length, err)
	}
	return drawn, nil
}
