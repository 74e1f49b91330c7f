package schema

import (
	"net/netip"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// asHelmChecks gives a compiler the formats of the library version Helm validates with, where the two differ, and turns
// off the checks of encoded content, which Helm does not make.
func asHelmChecks(compiler *jsonschema.Compiler) {
	compiler.Formats["hostname"] = text(isHostname)
	compiler.Formats["ipv6"] = text(isIPv6)
	compiler.Formats["email"] = text(isEmail)
	compiler.Formats["duration"] = text(isDuration)
	compiler.Formats["period"] = text(isPeriod)
	compiler.Formats["semver"] = text(isSemver)
	for _, unknownToHelm := range []string{"ip-address", "uriref"} {
		compiler.Formats[unknownToHelm] = func(any) bool { return true }
	}
	for encoding := range jsonschema.Decoders {
		compiler.Decoders[encoding] = func(string) ([]byte, error) { return nil, nil }
	}
	for mediaType := range jsonschema.MediaTypes {
		compiler.MediaTypes[mediaType] = func([]byte) error { return nil }
	}
}

// text lifts a check of strings: other types are not a format's business.
func text(check func(string) bool) func(any) bool {
	return func(v any) bool {
		s, ok := v.(string)
		return !ok || check(s)
	}
}

func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if len(label) < 1 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.ContainsFunc(label, func(r rune) bool { return r != '-' && !isAlphanumeric(r) }) {
			return false
		}
	}
	return true
}

func isAlphanumeric(r rune) bool {
	return (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9')
}

func isIPv6(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && strings.Contains(s, ":") && address.Zone() == ""
}

func isIPv4(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && address.Is4()
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || len(s) > 254 || at > 64 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if len(local) > 1 && local[0] == '"' && local[len(local)-1] == '"' {
		if strings.ContainsAny(local[1:len(local)-1], `\"`) {
			return false
		}
	} else if !isPlainLocalPart(local) {
		return false
	}
	if inner, ok := strings.CutPrefix(domain, "["); ok && strings.HasSuffix(inner, "]") {
		inner = strings.TrimSuffix(inner, "]")
		if six, ok := strings.CutPrefix(inner, "IPv6:"); ok {
			return isIPv6(six)
		}
		return isIPv4(inner)
	}
	return isHostname(domain)
}

func isPlainLocalPart(local string) bool {
	return !strings.HasPrefix(local, ".") && !strings.HasSuffix(local, ".") && !strings.Contains(local, "..") &&
		!strings.ContainsFunc(local, func(r rune) bool {
			return !isAlphanumeric(r) && !strings.ContainsRune(".!#$%&'*+-/=?^_`{|}~", r)
		})
}

func isDuration(s string) bool {
	return s != "P" && !strings.HasSuffix(s, "T") &&
		regexp.MustCompile(`^P([0-9]+W|([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+S)?)?)$`).MatchString(s)
}

func isPeriod(s string) bool {
	start, end, ok := strings.Cut(s, "/")
	isDateTime := jsonschema.Formats["date-time"]
	switch {
	case !ok:
		return false
	case strings.HasPrefix(start, "P"):
		return isDuration(start) && isDateTime(end)
	case strings.HasPrefix(end, "P"):
		return isDateTime(start) && isDuration(end)
	default:
		return isDateTime(start) && isDateTime(end)
	}
}

func isSemver(s string) bool {
	_, err := semver.StrictNewVersion(s)
	return err == nil
}
