package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// errBadList is a list of versions with a line that cannot be meant.
var errBadList = errors.New("the list of versions cannot be read")

// wanted is a chart version and, where the list pins one, the SHA-256 of its archive in hexadecimal digits.
type wanted struct{ version, digest string }

// readVersions reads a file with one version a line, in its order and each once. A line may end in the digest of the
// archive, as sha256:HEX. The first line may not: its whole text is taken for a version elsewhere (head -n1), so the
// version there is pinned on a line of its own further down.
func readVersions(file string) ([]wanted, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the list of versions: %w", err)
	}
	var out []wanted
	var mistakes []error
	for i, line := range strings.Split(string(text), "\n") {
		next, ok, err := readLine(line)
		if err == nil && i == 0 && next.digest != "" {
			err = errors.New("the first line is the version alone; write the version with its digest on another line as well")
		}
		if err == nil && ok {
			out, err = add(out, next)
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("%w: %s, line %d: %w", errBadList, file, i+1, err))
		}
	}
	return out, errors.Join(mistakes...)
}

// readLine returns what a line asks for, and whether it asks for anything.
func readLine(line string) (wanted, bool, error) {
	words := strings.Fields(line)
	switch {
	case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		return wanted{}, false, nil
	case len(words) == 1:
		return wanted{version: words[0]}, true, nil
	case len(words) == 2 && regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(words[1]):
		return wanted{version: words[0], digest: strings.TrimPrefix(words[1], "sha256:")}, true, nil
	}
	return wanted{}, false, fmt.Errorf("after the version only sha256: and 64 hexadecimal digits in lower case may follow, not %q", strings.Join(words[1:], " "))
}

// add puts next into the list, or its digest to the version that is there.
func add(list []wanted, next wanted) ([]wanted, error) {
	at := slices.IndexFunc(list, func(w wanted) bool { return w.version == next.version })
	switch {
	case at < 0:
		return append(list, next), nil
	case next.digest == "" || next.digest == list[at].digest:
		return list, nil
	case list[at].digest != "":
		return list, fmt.Errorf("version %s is pinned to two digests", next.version)
	}
	list[at].digest = next.digest
	return list, nil
}
