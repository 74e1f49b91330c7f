package tableset

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// PathError says that a path in a tables image cannot be published in a ConfigMap.
type PathError struct{ Path string }

// Error names the path and what one has to look like.
func (e *PathError) Error() string {
	return fmt.Sprintf("the tables image has a file at %q, which no ConfigMap can hold: a path is relative, does not start with .. and has at most %d characters",
		e.Path, validation.DNS1123SubdomainMaxLength)
}

// Key returns the ConfigMap key of a path: db/merge_requests.yaml becomes db__merge_requests.yaml. A byte a key may not
// have becomes ___ and two hexadecimal digits, and so does an underscore beside a slash, another underscore or such a
// byte; so no two paths share a key and Path turns every key back. A path no volume can restore is a *PathError.
func Key(path string) (string, error) {
	if !fs.ValidPath(path) || path == "." || strings.HasPrefix(path, "..") {
		return "", &PathError{Path: path}
	}
	var key strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case keeps(c), c == '_' && (i == 0 || keeps(path[i-1])) && (i+1 == len(path) || keeps(path[i+1])):
			key.WriteByte(c)
		case c == '/':
			key.WriteString("__")
		default:
			fmt.Fprintf(&key, "___%02X", c)
		}
	}
	if len(validation.IsConfigMapKey(key.String())) > 0 {
		return "", &PathError{Path: path}
	}
	return key.String(), nil
}

// Path returns the path a key stands for, and false for a key that Key never made.
func Path(key string) (string, bool) {
	var path strings.Builder
	for rest := key; rest != ""; {
		switch {
		// A slash before an escaped byte makes five underscores, so three that more follow are a slash and the next token.
		case strings.HasPrefix(rest, "___") && !strings.HasPrefix(rest, "____"):
			c, err := strconv.ParseUint(rest[3:min(5, len(rest))], 16, 8)
			if err != nil {
				return "", false
			}
			path.WriteByte(byte(c))
			rest = rest[min(5, len(rest)):]
		case strings.HasPrefix(rest, "__"):
			path.WriteByte('/')
			rest = rest[2:]
		default:
			path.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	// Only one spelling of a path is a key of ours; comparing rules out every other.
	again, err := Key(path.String())
	return path.String(), err == nil && again == key
}

// keeps reports whether a byte of a path stands for itself wherever it is.
func keeps(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.'
}
