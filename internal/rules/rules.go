// Package rules is the verdict every door gives: faults, each at the field the person wrote, with a stable code.
//
// Floor 0, pure. The webhook, the reconciler and the offline CLI print the same Verdict in three forms; none of them
// owns a rule.
package rules

import (
	"cmp"
	"slices"
)

// Severity says whether a fault refuses the object or only warns about it.
type Severity int

const (
	// Error refuses the object.
	Error Severity = iota
	// Warning lets the object pass and is shown to the person who applied it.
	Warning
)

// String returns the word printed by the CLI: "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Fault is one thing that is wrong, at the field the person wrote.
type Fault struct {
	// Severity says whether the fault refuses the object.
	Severity Severity
	// Code names the rule. Codes are stable: scripts and dashboards may rely on them.
	Code Code
	// Field is the path the person wrote, such as spec.hostname. Empty means the object as a whole.
	Field string
	// Message says what is expected and what was found, in plain words and without any secret.
	Message string
	// Value is a digest of the value at Field, so that Ratchet can tell an old fault from a new one, or Absent. It is
	// never printed.
	Value string
	// Lacking marks a fault of a map that further keys may mend, such as one of several of which one is needed.
	Lacking bool
	// Transition marks a fault of the change itself, not of the object; it never becomes a warning by age.
	Transition bool
}

// Absent is the Value of a fault about something that is required and not there at all.
const Absent = "absent"

// Verdict is the ordered list of faults of one object.
type Verdict struct {
	Faults []Fault
}

// Add appends faults.
func (v *Verdict) Add(faults ...Fault) { v.Faults = append(v.Faults, faults...) }

// Refused reports whether at least one fault is an error.
func (v Verdict) Refused() bool {
	return slices.ContainsFunc(v.Faults, func(f Fault) bool { return f.Severity == Error })
}

// Errors returns the faults that refuse the object.
func (v Verdict) Errors() []Fault { return v.only(Error) }

// Warnings returns the faults that only warn.
func (v Verdict) Warnings() []Fault { return v.only(Warning) }

func (v Verdict) only(s Severity) []Fault {
	var out []Fault
	for _, f := range v.Faults {
		if f.Severity == s {
			out = append(out, f)
		}
	}
	return out
}

// Sorted returns the verdict in its one canonical order, without duplicates: the same input gives the same bytes,
// whatever order the checks ran in. Errors come first, then fields in order.
func (v Verdict) Sorted() Verdict {
	faults := slices.Clone(v.Faults)
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return Verdict{Faults: slices.CompactFunc(faults, func(a, b Fault) bool {
		return a.Severity == b.Severity && a.Field == b.Field && a.Code == b.Code && a.Message == b.Message
	})}
}

// Ratchet returns next with every fault that the stored object already had turned into a warning: same field, same
// code and an unchanged value there. An object that was valid yesterday can so be mended step by step, while a new
// fault is refused. Faults of a transition never ratchet.
func Ratchet(stored, next Verdict) Verdict {
	type key struct {
		field string
		code  Code
		value string
	}
	known := make(map[key]bool, len(stored.Faults))
	for _, f := range stored.Faults {
		known[key{f.Field, f.Code, f.Value}] = true
	}
	faults := slices.Clone(next.Faults)
	for i, f := range faults {
		if f.Severity == Error && !f.Transition && known[key{f.Field, f.Code, f.Value}] {
			faults[i].Severity = Warning
		}
	}
	return Verdict{Faults: faults}
}
