package secretgen

import (
	"maps"
	"slices"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// Record is the ready record after a pass that left things as a plan says; the plan is a fresh Decide over what is live.
// A data-bearing unit enters once it is there. What a declared Secret has on record stays, whatever became of the unit;
// the record of a Secret that is no longer declared goes.
func Record(spec v2alpha1.GitLabSecretsSpec, plan Plan, ready map[string][]string) map[string][]string {
	record := map[string][]string{}
	for _, s := range declare(spec) {
		units := map[string]bool{}
		for _, name := range ready[s.name] {
			units[name] = true
		}
		for _, p := range plan.Secrets {
			for _, d := range p.Decisions {
				if p.Name == s.name && d.Unit.DataBearing && plan.isThere(d) {
					units[d.Unit.Name] = true
				}
			}
		}
		if len(units) > 0 {
			record[s.name] = slices.Sorted(maps.Keys(units))
		}
	}
	return record
}

// isThere says whether a whole unit is there: a certificate set only when each of its Secrets has its part.
func (p Plan) isThere(d Decision) bool {
	if d.Unit.Kind != KindCertificates || d.Action != Keep {
		return d.Action == Keep
	}
	for _, s := range p.Secrets {
		for _, other := range s.Decisions {
			if other.Unit.Kind == KindCertificates && other.Action != Keep {
				return false
			}
		}
	}
	return true
}
