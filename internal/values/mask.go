package values

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// maskText stands for every value that is not printed.
const maskText = "[masked]"

// maxPrinted is how many characters of a value a message shows.
const maxPrinted = 80

// SensitiveKey reports whether a key looks as if its value were a secret. It rather masks too much than too little.
func SensitiveKey(key string) bool {
	lower := strings.ToLower(key)
	if slices.Contains(plainKeys(), lower) {
		return false
	}
	for _, word := range sensitiveWords() {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// plainKeys hold one of the sensitive words and are known to hold settings: masking those would blank plain words, such
// as the name of an algorithm, in every message.
func plainKeys() []string {
	return []string{"shared-secrets", "keyalgorithm", "keysize"}
}

func sensitiveWords() []string {
	return []string{"password", "passwd", "token", "secret", "key", "credential", "private"}
}

// Masked returns the printable form of a value: strings quoted, maps and lists as compact JSON, long ones shortened,
// and «[masked]» for texts and numbers under a sensitive key. Booleans, nulls and empty strings give nothing away and
// are printed.
func Masked(p Path, value any) string {
	return shorten(encode(mask(value, sensitivePath(p))))
}

// Printable is Masked for a value whose origin is known. A value from a Secret is masked whatever its key, and what the
// operator derives or overrides is printed whatever its key, since that can only be the name of a Secret, not its
// content.
func Printable(p Path, value any, o Origin) string {
	switch {
	case o.Sensitive:
		return maskText
	case o.Kind == Derived || o.Kind == Override:
		return shorten(encode(normal(value)))
	default:
		return Masked(p, value)
	}
}

func sensitivePath(p Path) bool {
	return slices.ContainsFunc(p, SensitiveKey)
}

// mask returns a copy of the value with everything secret in it replaced.
func mask(value any, hide bool) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, child := range v {
			out[key] = mask(child, hide || SensitiveKey(key))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			out[i] = mask(child, hide)
		}
		return out
	case nil, bool:
		return v
	case string:
		if hide && v != "" {
			return masked{}
		}
		return v
	default:
		if hide {
			return masked{}
		}
		return normal(v)
	}
}

// masked encodes as the mask without quotes when it stands alone.
type masked struct{}

// MarshalText lets a mask inside a list or map print as a string.
func (masked) MarshalText() ([]byte, error) { return []byte(maskText), nil }

func encode(value any) string {
	switch v := value.(type) {
	case masked:
		return maskText
	case string:
		return strconv.Quote(v)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return maskText
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func shorten(text string) string {
	runes := []rune(text)
	if len(runes) <= maxPrinted {
		return text
	}
	return string(runes[:maxPrinted]) + "… (" + strconv.Itoa(len(runes)) + " characters)"
}
