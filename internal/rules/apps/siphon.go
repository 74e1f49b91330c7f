package apps

import (
	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// CheckSiphon returns the faults of a Siphon that passed its definition, in canonical order. Target and the stored object
// are as in CheckGitLabCore; what ran does not bind an add-on, whose chart may also go back.
func CheckSiphon(fresh, _ *v2alpha1.Siphon, target string) []rules.Fault {
	return checkAddOn(fresh.Spec.Version, target)
}

// checkAddOn holds the rules add-ons share.
func checkAddOn(version v2alpha1.StaticVersion, target string) []rules.Fault {
	spec := version.Spec()
	if target == "" && spec.Type == v2alpha1.VersionStatic {
		target = spec.Version
	}
	return rules.Verdict{Faults: VersionIsNotSemantic(spec, target)}.Sorted().Faults
}
