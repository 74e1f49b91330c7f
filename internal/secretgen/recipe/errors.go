package recipe

import "errors"

// Why a stored value cannot be used, for errors.Is.
var (
	// ErrNoKey is a value without a private key in PEM, an empty one included.
	ErrNoKey = errors.New("it holds no private key in PEM")
	// ErrNoCertificate is a value without a certificate in PEM, an empty one included.
	ErrNoCertificate = errors.New("it holds no certificate in PEM")
	// ErrEncrypted is a private key behind a passphrase.
	ErrEncrypted = errors.New("it is protected by a passphrase")
	// ErrUnparsable is a value that has the right frame and does not parse, or contradicts itself.
	ErrUnparsable = errors.New("it does not parse")
	// ErrUnsupported is a key that may be fine and is of a type or a size the asked part cannot be derived from.
	ErrUnsupported = errors.New("its type or size does not fit")
)

// UnreadableError says that a stored value cannot be used to derive another. It never holds a byte of the value.
type UnreadableError struct {
	// What names the value in words: "private key", "CA certificate", "certificate".
	What string
	// Cause is one of the Err values of this package.
	Cause error
}

// Error names the value and says what is wrong with it.
func (e *UnreadableError) Error() string {
	return "the " + e.What + " cannot be used: " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *UnreadableError) Unwrap() error { return e.Cause }

// badKey is an UnreadableError about a private key.
func badKey(cause error) error { return &UnreadableError{What: "private key", Cause: cause} }
