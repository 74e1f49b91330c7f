// Package version turns spec.version into the chart version a resource converges to.
//
// Floor 1, pure. It knows the union and how a referenced value reads; where the value comes from is the caller's fact.
package version

import (
	"errors"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// ErrFollowing says that the type follows a repository, which is not resolved from the spec alone.
var ErrFollowing = errors.New("this version type follows a repository")

// ErrUnset says that the union names no version at all; the definition refuses such an object with better words.
var ErrUnset = errors.New("no version is named")

// ReferenceError says that the object spec.version.versionRef names gives no version. It resolves when that object
// changes, so it is a wait rather than a fault of the resource.
type ReferenceError struct {
	// Missing says that the object or its key is not there; otherwise its content is no version.
	Missing bool
	// Text is the whole sentence.
	Text string
}

// Error returns the sentence.
func (e *ReferenceError) Error() string { return e.Text }

// InvalidError says that spec.version.version is no semantic version.
type InvalidError struct {
	// Found is the text the person wrote.
	Found string
}

// Error says what was expected and what was found.
func (e *InvalidError) Error() string {
	return fmt.Sprintf("must be a semantic version such as 10.4.1, not %q", e.Found)
}

// Referenced is what is known of the ConfigMap that versionRef names.
type Referenced struct {
	// Unknown says that nobody could look, as in an offline check of one file.
	Unknown bool
	// Found says that the ConfigMap exists.
	Found bool
	// Data is its content.
	Data map[string]string
}

// Resolve returns the chart version a Static union names. It fails with ErrFollowing for the
// types that follow a repository, with ErrUnset for a union that names nothing, with *InvalidError for a version that
// is none, and with *ReferenceError when the referenced ConfigMap gives none.
func Resolve(spec v2alpha1.VersionSpec, referenced Referenced) (string, error) {
	switch {
	case spec.Type != v2alpha1.VersionStatic:
		return "", ErrFollowing
	case spec.Version != "":
		v, err := parse(spec.Version)
		if err != nil {
			return "", &InvalidError{Found: spec.Version}
		}
		return v, nil
	case spec.VersionRef == nil || spec.VersionRef.Name == "" || spec.VersionRef.Key == "":
		return "", ErrUnset
	}
	return fromReference(*spec.VersionRef, referenced)
}

func fromReference(ref v2alpha1.VersionReference, referenced Referenced) (string, error) {
	if !referenced.Found {
		verb := "does not exist yet"
		if referenced.Unknown {
			verb = "was not looked up, so nothing that depends on the version was checked"
		}
		return "", &ReferenceError{Missing: true, Text: fmt.Sprintf("ConfigMap %s, which holds the version under key %s, %s", ref.Name, ref.Key, verb)}
	}
	text, ok := referenced.Data[ref.Key]
	if !ok {
		return "", &ReferenceError{Missing: true, Text: fmt.Sprintf("ConfigMap %s has no key %s to read the version from", ref.Name, ref.Key)}
	}
	v, err := parse(strings.TrimSpace(text))
	if err != nil {
		return "", &ReferenceError{Text: fmt.Sprintf("key %s of ConfigMap %s must hold a semantic version such as 10.4.1; what it holds is none", ref.Key, ref.Name)}
	}
	return v, nil
}

// parse accepts a full semantic version. A shortened one such as 10.4 is refused, since which patch it means is not for us
// to guess, and so is a leading v, which belongs to tags.
func parse(text string) (string, error) {
	v, err := semver.StrictNewVersion(text)
	if err != nil {
		return "", fmt.Errorf("parse version: %w", err)
	}
	return v.String(), nil
}
