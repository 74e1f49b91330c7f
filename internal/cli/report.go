package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// report collects the verdicts of a run.
type report struct {
	// strict counts a resource with a warning as failed.
	strict  bool
	results []result
	summary summary
	// unmade says that the check of a resource could not be made.
	unmade bool
}

// codeCheckFailed is no verdict on a resource: its check could not be made. Only this command has to say so beside the
// verdicts on others.
const codeCheckFailed rules.Code = "CheckFailed"

// result is one finding in the form the JSON answer has. Fields may be added to it, never changed.
type result struct {
	File     string     `json:"file"`
	Line     int        `json:"line"`
	Column   int        `json:"column"`
	Resource *resource  `json:"resource,omitempty"`
	Severity string     `json:"severity"`
	Field    string     `json:"field,omitempty"`
	Message  string     `json:"message"`
	Code     rules.Code `json:"code"`
}

// summary counts resources, and warnings.
type summary struct {
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
	Warnings int `json:"warnings"`
	Skipped  int `json:"skipped"`
}

// add takes in the verdict on a resource that was checked.
func (r *report) add(d document, found []located) {
	errors, warnings := r.take(d, found)
	if errors > 0 || (r.strict && warnings > 0) {
		r.summary.Failed++
	} else {
		r.summary.Passed++
	}
}

// fail takes in that a resource could not be checked; the others still are.
func (r *report) fail(d document, found []located, err error) {
	r.unmade = true
	r.add(d, append(found, located{d.place(""), rules.Fault{Code: codeCheckFailed, Message: err.Error()}}))
}

// skip takes in a resource that is none of ours. It counts as failed only where it is known to be broken.
func (r *report) skip(d document, found []located) {
	if errors, _ := r.take(d, found); errors > 0 {
		r.summary.Failed++
	} else {
		r.summary.Skipped++
	}
}

// take takes in what was found of a document. It counts its errors, and the warnings a person can do something about: that
// the Operator applies no RBAC is so with most charts whatever is written.
func (r *report) take(d document, found []located) (errors, warnings int) {
	for _, f := range found {
		switch {
		case f.fault.Severity == rules.Error:
			errors++
		case f.fault.Code != rules.ObjectSkipped:
			warnings++
		}
		if f.fault.Severity == rules.Warning {
			r.summary.Warnings++
		}
		r.results = append(r.results, result{
			File: d.file, Line: f.at.line, Column: f.at.column, Resource: d.named(),
			Severity: f.fault.Severity.String(), Field: f.fault.Field, Message: f.fault.Message, Code: f.fault.Code,
		})
	}
	return errors, warnings
}

// code is what the command exits with.
func (r *report) code() int {
	switch {
	case r.unmade:
		return ExitTrouble
	case r.summary.Failed > 0:
		return ExitFaults
	}
	return ExitClean
}

// sorted returns the findings by place; at one place errors come first.
func (r *report) sorted() []result {
	out := slices.Clone(r.results)
	slices.SortStableFunc(out, func(a, b result) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message),
		)
	})
	return out
}

// write prints the findings and the summary in the asked form.
func (r *report) write(w io.Writer, form string) error {
	if form == outputJSON {
		return r.writeJSON(w)
	}
	r.writeLines(w)
	s := r.summary
	say(w, "%d passed, %d failed, %d warnings, %d skipped\n", s.Passed, s.Failed, s.Warnings, s.Skipped)
	return nil
}

// writeLines prints one line for each finding. A chart's own text of several lines goes on below, indented.
func (r *report) writeLines(w io.Writer) {
	for _, f := range r.sorted() {
		parts := []string{fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column), f.Severity}
		if f.Resource != nil {
			parts = append(parts, f.Resource.String())
		}
		if f.Field != "" {
			parts = append(parts, f.Field)
		}
		first, rest, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
		say(w, "%s: %s [%s]\n", strings.Join(parts, ": "), first, f.Code)
		for line := range strings.Lines(rest) {
			if line = strings.TrimSpace(line); line != "" {
				say(w, "    %s\n", line)
			}
		}
	}
}

func (r *report) writeJSON(w io.Writer) error {
	results := r.sorted()
	if results == nil {
		results = []result{}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(struct {
		Results []result `json:"results"`
		Summary summary  `json:"summary"`
	}{results, r.summary}); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
