package values

import (
	"slices"
	"strconv"
	"strings"
)

// Path leads to a value: map keys, and below a list the index as a decimal string.
type Path []string

// String returns the path as a person writes it: global.hosts.domain, nodeSelector["kubernetes.io/os"], list[0].name.
// A key of digits alone prints like an index.
func (p Path) String() string { return p.under("") }

// under returns the path printed below a field, such as spec.chart.values.
func (p Path) under(field string) string {
	var b strings.Builder
	b.WriteString(field)
	for _, key := range p {
		switch {
		case isIndex(key):
			b.WriteString("[" + key + "]")
		case !isPlain(key):
			b.WriteString("[" + strconv.Quote(key) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		}
	}
	return b.String()
}

// child returns the path one key further, sharing nothing with p.
func (p Path) child(key string) Path {
	out := make(Path, len(p)+1)
	copy(out, p)
	out[len(p)] = key
	return out
}

func comparePaths(a, b Path) int { return slices.Compare(a, b) }

func isIndex(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool { return r < '0' || r > '9' })
}

func isPlain(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		letter := (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9')
		return !letter && r != '-' && r != '_'
	})
}

// index reads a path segment as the index of a list of the given length.
func index(key string, length int) (int, bool) {
	if !isIndex(key) {
		return 0, false
	}
	i, err := strconv.Atoi(key)
	return i, err == nil && i < length
}
