package chart

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkName refuses names that could mean a place outside the chart, on any system. Names use forward slashes.
func checkName(name string, limit int) error {
	switch {
	case name == "":
		return problem(ErrUnsafeName, "it holds a file without a name")
	case len(name) > limit:
		return problem(ErrTooLarge, "it holds a file whose name is longer than %d bytes", limit)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return problem(ErrUnsafeName, "it holds a file whose name is not readable text: %q", name)
	case strings.HasPrefix(name, "/") || hasDrive(name):
		return problem(ErrUnsafeName, "it holds the absolute path %q; paths must lie inside the chart folder", name)
	}
	for element := range strings.SplitSeq(name, "/") {
		switch element {
		case "", ".", "..":
			return problem(ErrUnsafeName, "it holds the path %q; empty parts, \".\" and \"..\" are refused", name)
		}
	}
	return nil
}

func hasDrive(name string) bool {
	if len(name) < 2 || name[1] != ':' {
		return false
	}
	c := name[0] | 0x20
	return c >= 'a' && c <= 'z'
}

// archiveName returns the name of an archive's entry below the chart folder. Archives made on Windows may separate with
// backslashes. Every entry lies in a base folder whose own name does not matter.
func archiveName(raw string, limit int) (string, error) {
	name := strings.ReplaceAll(raw, `\`, "/")
	if err := checkName(name, limit); err != nil {
		return "", err
	}
	_, rest, found := strings.Cut(name, "/")
	if !found {
		return "", problem(ErrUnsafeName, "it holds %q outside a chart folder; a chart archive has one folder with everything in it", name)
	}
	if err := checkName(rest, limit); err != nil {
		return "", err
	}
	return rest, nil
}
