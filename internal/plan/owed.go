package plan

import (
	"errors"
	"slices"
	"strings"

	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// standIn is what takes the place of facts of one neighbour that are not known yet.
type standIn struct {
	// field is the one that names the neighbour.
	field string
	// marks are the words of it that a message of the chart may quote.
	marks []string
	// more says that the neighbour may bring values the stand-in lacks.
	more bool
}

// softened turns the errors into warnings that something which is not there yet may have caused, as owed tells. A fault of
// what is written stays what it is: nothing that comes later can make it right. Where the two cannot be told apart it is a
// warning, since a wrong error keeps apart what is applied together, and the reconciler says it again.
func (p *Plan) softened(faults []rules.Fault, owed func(rules.Fault) bool) []rules.Fault {
	if !p.Incomplete() {
		return faults
	}
	for i, f := range faults {
		if f.Severity == rules.Error && owed(f) {
			faults[i].Severity = rules.Warning
			faults[i].Message += "; this may change once " + p.Resource.missing() + " are there"
		}
	}
	return faults
}

// owedValue reports whether what is missing may mend a fault of the effective values: it may bring a value or a key that is
// not there, and it takes the place of its stand-in. A value that is written, in whatever layer, is wrong by itself.
func (p *Plan) owedValue(f rules.Fault) bool {
	lacking := slices.ContainsFunc(p.References, Referenced.Lacking)
	for _, s := range p.Resource.standsIn(p.Inputs) {
		lacking = lacking || s.more
		if f.Field == s.field || strings.HasPrefix(f.Field, s.field+".") {
			return true
		}
	}
	return lacking && (f.Value == rules.Absent || f.Lacking)
}

// owedRender reports whether what is missing may mend a failed render. A chart refuses in its own words what it does not
// find, and its templates may trip over values that nobody gave yet; a stand-in gives every value there is to give, so with
// it they trip over what is written, unless they quote it. That values cannot be combined, pass a bound, or have no chart
// that can be installed, lies at what is there.
func (p *Plan) owedRender(err error) func(rules.Fault) bool {
	kind := render.Internal
	if e, ok := errors.AsType[*render.Error](err); ok {
		kind = e.Kind
	}
	return func(f rules.Fault) bool {
		switch {
		case kind == render.Failed:
			return true
		case kind == render.Template && slices.ContainsFunc(p.References, Referenced.Lacking):
			return true
		}
		return slices.ContainsFunc(p.Resource.standsIn(p.Inputs), func(s standIn) bool {
			return slices.ContainsFunc(s.marks, func(mark string) bool { return strings.Contains(f.Message, mark) })
		})
	}
}
