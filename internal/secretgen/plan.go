package secretgen

import (
	"slices"
	"strings"
)

// Plan is what becomes of every declared unit: the declared Secrets in their order, then CA, TLS and chain.
type Plan struct {
	Secrets []SecretPlan
}

// SecretPlan is what becomes of one declared Secret.
type SecretPlan struct {
	// Name of the Secret.
	Name string
	// Type it is created with: the first one declared for it.
	Type string
	// OtherTypes are the types further entries of the same Secret declare; they have no effect.
	OtherTypes []string
	// Exists says that the Secret is there.
	Exists bool
	// ExistingType is the type it has, which it keeps.
	ExistingType string
	// TypeDiffers says that the Secret exists with another type than the declared one; it stays ready.
	TypeDiffers bool
	// Decisions has one entry for each unit.
	Decisions []Decision
	// Ready says that the Secret exists and every unit is there.
	Ready bool
}

// Decision is what becomes of one unit in one Secret.
type Decision struct {
	Unit   Unit
	Action Action
	// Reason and Message of a Report. The message says what was found and what helps; it names keys, never values.
	Reason  Reason
	Message string
	// Keys that will be written, when the action is Generate or Derive.
	Keys []string

	job  Job
	file *railsFile
}

// Ready says that every declared Secret is.
func (p Plan) Ready() bool {
	return !slices.ContainsFunc(p.Secrets, func(s SecretPlan) bool { return !s.Ready })
}

// Reported is one thing to tell a person, once, however many units or Secrets it is about.
type Reported struct {
	// Secrets and Units it is about.
	Secrets, Units []string
	Reason         Reason
	Message        string
}

// Reports lists what to tell a person, in the order of the plan. Decisions with one reason and message are one entry: a
// certificate set is reported in three Secrets, a secrets.yml that does not parse in each of its fields. A unit that is
// only held back is left out: the one that holds it back is in the list.
func (p Plan) Reports() []Reported {
	var all []Reported
	for _, s := range p.Secrets {
		for _, d := range s.Decisions {
			if d.Action != Report || d.Reason == ReasonSecretHeldBack {
				continue
			}
			i := slices.IndexFunc(all, func(r Reported) bool { return r.Reason == d.Reason && r.Message == d.Message })
			if i < 0 {
				i = len(all)
				all = append(all, Reported{Reason: d.Reason, Message: d.Message})
			}
			all[i].Secrets = addOnce(all[i].Secrets, s.Name)
			all[i].Units = addOnce(all[i].Units, d.Unit.Name)
		}
	}
	return all
}

// String is the report in one line.
func (r Reported) String() string {
	return string(r.Reason) + ": " + strings.TrimSuffix(r.Message, ".")
}

func addOnce(to []string, s string) []string {
	if slices.Contains(to, s) {
		return to
	}
	return append(to, s)
}
