package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// What becomes of a unit, in the words of the answer.
const (
	actionKeep     = "keep"
	actionGenerate = "generate"
	actionDerive   = "derive"
	actionReport   = "report"
)

// secretsAnswer collects the plans of a run, and what is wrong with the files.
type secretsAnswer struct {
	report  report
	plans   []decidedSecrets
	summary secretsSummary
}

// decidedSecrets is the plan of one GitLabSecrets in the form the JSON answer has. Fields may be added, never changed.
type decidedSecrets struct {
	File     string    `json:"file"`
	Line     int       `json:"line"`
	Resource *resource `json:"resource"`
	// Recorded says that the file has a record of what was ready once.
	Recorded bool            `json:"recorded"`
	Secrets  []decidedSecret `json:"secrets"`
}

// decidedSecret is what becomes of one Secret.
type decidedSecret struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Exists says that it is there, ExistingType which type it keeps where that is another.
	Exists       bool          `json:"exists"`
	ExistingType string        `json:"existingType,omitempty"`
	Ready        bool          `json:"ready"`
	Units        []decidedUnit `json:"units"`
}

// decidedUnit is what becomes of one unit, and the keys that would be written.
type decidedUnit struct {
	Name        string   `json:"name"`
	DataBearing bool     `json:"dataBearing"`
	Action      string   `json:"action"`
	Keys        []string `json:"keys,omitempty"`
	Reason      string   `json:"reason,omitempty"`
	Message     string   `json:"message,omitempty"`
}

// secretsSummary counts units.
type secretsSummary struct {
	Kept      int `json:"kept"`
	Generated int `json:"generated"`
	Derived   int `json:"derived"`
	Reported  int `json:"reported"`
}

func (a *secretsAnswer) add(d decidedSecrets) {
	a.plans = append(a.plans, d)
	for _, s := range d.Secrets {
		for _, u := range s.Units {
			switch u.Action {
			case actionKeep:
				a.summary.Kept++
			case actionGenerate:
				a.summary.Generated++
			case actionDerive:
				a.summary.Derived++
			case actionReport:
				a.summary.Reported++
			}
		}
	}
}

// code is what the command exits with: anything reported needs a person, as anything wrong does.
func (a *secretsAnswer) code() int {
	if a.summary.Reported > 0 && !a.report.unmade {
		return ExitFaults
	}
	return a.report.code()
}

// writeSecrets prints the answer in the asked form. As text, what is wrong goes to standard error, as for values.
func (c *command) writeSecrets(a *secretsAnswer) error {
	if c.output == outputJSON {
		return c.writeSecretsJSON(a)
	}
	a.report.writeLines(c.Stderr)
	for _, p := range a.plans {
		c.writePlan(p)
	}
	if len(a.plans) > 0 {
		say(c.Stdout, "%d kept, %d generated, %d derived, %d reported\n", a.summary.Kept, a.summary.Generated, a.summary.Derived, a.summary.Reported)
	}
	return nil
}

func (c *command) writePlan(p decidedSecrets) {
	record := ""
	if !p.Recorded {
		record = ", without a record of what was ready before"
	}
	say(c.Stdout, "# %s%s\n", p.Resource, record)
	for _, s := range p.Secrets {
		say(c.Stdout, "Secret %s (%s) %s\n", s.Name, s.Type, s.fate())
		said := ""
		for _, u := range s.Units {
			say(c.Stdout, "  %-8s  %s\n", u.Action, u.text(said))
			said = u.Message
		}
	}
}

// fate says what becomes of the Secret as a whole.
func (s decidedSecret) fate() string {
	reported := slices.ContainsFunc(s.Units, func(u decidedUnit) bool { return u.Action == actionReport })
	switch {
	case !s.Exists && reported:
		return "is missing and is not created"
	case !s.Exists:
		return "is missing and is created"
	case s.ExistingType != "":
		return "is there and keeps its type " + s.ExistingType
	}
	return "is there"
}

// text is a unit with what is done about it. What was said of the unit above as well is not said again.
func (u decidedUnit) text(said string) string {
	switch u.Action {
	case actionDerive:
		return u.Name + ", writes " + strings.Join(u.Keys, ", ")
	case actionReport:
		if u.Message == said {
			return u.Name + ": as above [" + u.Reason + "]"
		}
		return u.Name + ": " + u.Message + " [" + u.Reason + "]"
	}
	return u.Name
}

func (c *command) writeSecretsJSON(a *secretsAnswer) error {
	results := a.report.sorted()
	if results == nil {
		results = []result{}
	}
	if a.plans == nil {
		a.plans = []decidedSecrets{}
	}
	enc := json.NewEncoder(c.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(struct {
		Plans   []decidedSecrets `json:"plans"`
		Results []result         `json:"results"`
		Summary secretsSummary   `json:"summary"`
	}{a.plans, results, a.summary}); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}
