package apps

import (
	"reflect"

	"github.com/Masterminds/semver/v3"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// CheckGitLabCore returns the faults of a GitLabCore that passed its definition, in canonical order.
//
// Target is the chart version spec.version resolves to, "" when that is not known; a version written in the spec itself
// need not be given. Old is the stored object, nil on create; the reconciler gives the object itself. What ran is read
// off old, never off fresh, whose status anybody can write.
func CheckGitLabCore(fresh, old *v2alpha1.GitLabCore, target string) []rules.Fault {
	spec := fresh.Spec.Version
	if target == "" && spec.Type == v2alpha1.VersionStatic {
		target = spec.Version
	}
	faults := VersionTypeNotFollowed(spec)
	faults = append(faults, VersionIsNotSemantic(spec, target)...)
	resolved, err := semver.StrictNewVersion(target)
	if err == nil {
		faults = append(faults, NetworkingNeedsNewerChart(fresh.Spec.Networking, resolved)...)
		faults = append(faults, OrbitNeedsNewerChart(fresh.Spec.OrbitRef, resolved)...)
	}
	if old != nil && old.Status.Version != "" {
		faults = append(faults, transitions(fresh, old, resolved)...)
	}
	return rules.Verdict{Faults: faults}.Sorted().Faults
}

// transitions compares the target with the version that ran. When the fault lies in a ConfigMap somebody else owns and
// this update mends another field, it warns only: refusing would lock the resource until that other person acts.
func transitions(fresh, old *v2alpha1.GitLabCore, target *semver.Version) []rules.Fault {
	sameVersion := reflect.DeepEqual(fresh.Spec.Version, old.Spec.Version)
	ran, err := semver.StrictNewVersion(old.Status.Version)
	if err != nil {
		if sameVersion {
			return nil
		}
		return AppliedVersionUnreadable(fresh.Spec.Version, old.Status.Version)
	}
	if target == nil {
		return nil
	}
	faults := append(DowngradeOfAppliedVersion(fresh.Spec.Version, target, ran), MinorOfAppliedVersionChanges(fresh.Spec.Version, target, ran)...)
	if sameVersion && !reflect.DeepEqual(fresh.Spec, old.Spec) {
		for i := range faults {
			faults[i].Severity = rules.Warning
		}
	}
	return faults
}
