package apps

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

const (
	fieldType       = "spec.version.type"
	fieldVersion    = "spec.version.version"
	fieldVersionRef = "spec.version.versionRef"
)

// versionField is where the person wrote the version, or where it is read from.
func versionField(spec v2alpha1.VersionSpec) string {
	switch {
	case spec.Type != v2alpha1.VersionStatic:
		return fieldType
	case spec.VersionRef != nil:
		return fieldVersionRef
	}
	return fieldVersion
}

// VersionTypeNotFollowed refuses the types that follow a repository.
func VersionTypeNotFollowed(spec v2alpha1.VersionSpec) []rules.Fault {
	switch spec.Type {
	case v2alpha1.VersionPatch, v2alpha1.VersionLatest, v2alpha1.VersionPrevious, v2alpha1.VersionOldestSupported:
		return []rules.Fault{{
			Code: rules.VersionTypeUnsupported, Field: fieldType, Value: digest(string(spec.Type)),
			Message: fmt.Sprintf("type %s is not followed yet: this build knows Static only, with a version such as 10.4.1", spec.Type),
		}}
	case v2alpha1.VersionStatic:
	}
	return nil
}

// VersionIsNotSemantic refuses a version that is not major.minor.patch. The content of a ConfigMap is never quoted: who
// may write the resource need not be allowed to read it.
func VersionIsNotSemantic(spec v2alpha1.VersionSpec, target string) []rules.Fault {
	if target == "" {
		return nil
	}
	if _, err := semver.StrictNewVersion(target); err == nil {
		return nil
	}
	if spec.VersionRef != nil {
		return []rules.Fault{{
			Code: rules.VersionInvalid, Field: fieldVersionRef, Value: digest(target),
			Message: fmt.Sprintf("the key %s of ConfigMap %s must hold a semantic version such as 10.4.1, and does not",
				spec.VersionRef.Key, spec.VersionRef.Name),
		}}
	}
	text := fmt.Sprintf("must be a semantic version such as 10.4.1 (found %q)", target)
	if bare := strings.TrimLeft(target, "vV"); bare != target {
		if _, err := semver.StrictNewVersion(bare); err == nil {
			text = fmt.Sprintf("must be a semantic version: write %s without the leading v (found %q)", bare, target)
		}
	}
	return []rules.Fault{{Code: rules.VersionInvalid, Field: versionField(spec), Value: digest(target), Message: text}}
}

// DowngradeOfAppliedVersion refuses a target below the version that ran. A pre-release is below its release.
func DowngradeOfAppliedVersion(spec v2alpha1.VersionSpec, target, ran *semver.Version) []rules.Fault {
	if !target.LessThan(ran) {
		return nil
	}
	return []rules.Fault{{
		Code: rules.VersionDowngrade, Field: versionField(spec), Value: digest(target.Original()), Transition: true,
		Message: fmt.Sprintf("chart %s is below %s, which ran: GitLab cannot go back; keep %s or choose a later version",
			target.Original(), ran.Original(), ran.Original()),
	}}
}

// MinorOfAppliedVersionChanges refuses a target of a later minor or major than the one that ran: stepping from minor to
// minor needs migrations this build does not run.
func MinorOfAppliedVersionChanges(spec v2alpha1.VersionSpec, target, ran *semver.Version) []rules.Fault {
	if target.LessThan(ran) || (target.Major() == ran.Major() && target.Minor() == ran.Minor()) {
		return nil
	}
	return []rules.Fault{{
		Code: rules.MinorChangeUnsupported, Field: versionField(spec), Value: digest(target.Original()), Transition: true,
		Message: fmt.Sprintf("chart %s is another minor than %s, which ran: this build changes the patch only; choose a version of %d.%d",
			target.Original(), ran.Original(), ran.Major(), ran.Minor()),
	}}
}

// AppliedVersionUnreadable refuses a change of the version while nobody can tell what ran.
func AppliedVersionUnreadable(spec v2alpha1.VersionSpec, ran string) []rules.Fault {
	return []rules.Fault{{
		Code: rules.VersionInvalid, Field: versionField(spec), Value: digest(ran), Transition: true,
		Message: fmt.Sprintf("cannot change while status.version is no semantic version (found %q): "+
			"what ran is not known, so a downgrade cannot be told; other fields can be changed", ran),
	}}
}
