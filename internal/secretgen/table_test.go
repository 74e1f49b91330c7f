package secretgen

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/secretgen/secretsyml"
)

var update = flag.Bool("update", false, "rewrite the table of docs/secrets.md")

// row is one line of the table of decisions. Columns list alternatives; the record column speaks of a unit that is
// data-bearing.
type row struct {
	units, states, record, secret []string
	action                        Action
	reason                        Reason
}

const (
	never  = "never ready"
	before = "ready before"

	sMissing   = "missing"
	sPresent   = "present"
	sImmutable = "immutable"
	sOther     = "of another type"
)

func records() []string      { return []string{never, before} }
func secretStates() []string { return []string{sMissing, sPresent, sImmutable, sOther} }

// rows is the table of docs/secrets.md.
func rows() []row {
	one := []string{"random", "bytes", "static", "rsa"}
	x509, ssh, field, set := []string{"x509"}, []string{"sshHostKey"}, []string{"railsField"}, []string{"certificates"}
	pairs := slices.Concat(x509, ssh)
	writable := []string{sMissing, sPresent, sOther}
	existing := []string{sPresent, sImmutable, sOther}
	exists := []string{sPresent, sOther}
	frozen := []string{sImmutable}
	whole := []string{"present", "present but empty", "unparsable"}
	lacking := []string{"absent", "file empty", "field absent", "field null", "field empty"}
	part := []string{"CA missing", "certificate missing", "private key missing", "only the CA", "only the chain", "only an empty certificate and key"}
	return []row{
		{one, []string{"absent"}, []string{never}, writable, Generate, ""},
		{one, []string{"absent"}, []string{never}, frozen, Report, ReasonSecretImmutable},
		{one, []string{"absent"}, []string{before}, secretStates(), Report, ReasonReadyUnitMissing},
		{one, whole, records(), existing, Keep, ""},

		{pairs, []string{"absent"}, []string{never}, writable, Generate, ""},
		{pairs, []string{"absent"}, []string{never}, frozen, Report, ReasonSecretImmutable},
		{pairs, []string{"absent"}, []string{before}, secretStates(), Report, ReasonReadyUnitMissing},
		{pairs, []string{"only the private key"}, records(), exists, Derive, ""},
		{pairs, []string{"only the private key"}, records(), frozen, Report, ReasonSecretImmutable},
		{pairs, []string{"only an empty private key"}, records(), existing, Report, ReasonPrivateKeyEmpty},
		{pairs, []string{"only an unparsable private key"}, records(), existing, Report, ReasonPrivateKeyUnreadable},
		{x509, []string{"only the public part", "only an empty public part"}, records(), existing, Report, ReasonCertificateWithoutKey},
		{ssh, []string{"only the public part", "only an empty public part"}, records(), existing, Report, ReasonPublicKeyWithoutPrivateKey},
		{pairs, whole, records(), existing, Keep, ""},

		{field, lacking, []string{never}, writable, Generate, ""},
		{field, lacking, []string{never}, frozen, Report, ReasonSecretImmutable},
		{field, lacking, []string{before}, secretStates(), Report, ReasonReadyUnitMissing},
		{field, []string{"present"}, records(), existing, Keep, ""},
		{field, []string{"file not UTF-8"}, records(), existing, Report, Reason(secretsyml.NotUTF8)},
		{field, []string{"file unparsable"}, records(), existing, Report, Reason(secretsyml.NotYAML)},
		{field, []string{"file with a second document"}, records(), existing, Report, Reason(secretsyml.ManyDocuments)},
		{field, []string{"file with a duplicate key"}, records(), existing, Report, Reason(secretsyml.DuplicateKey)},
		{field, []string{"file nested too deep"}, records(), existing, Report, Reason(secretsyml.TooDeep)},
		{field, []string{"field absent, file not to be written back"}, []string{never}, exists, Report, Reason(secretsyml.NotRewritable)},
		{field, []string{"field absent, file not to be written back"}, []string{never}, frozen, Report, ReasonSecretImmutable},
		{field, []string{"field absent, file not to be written back"}, []string{before}, existing, Report, ReasonReadyUnitMissing},
		{field, []string{"root null"}, records(), existing, Report, Reason(secretsyml.RootNull)},
		{field, []string{"root not a mapping"}, records(), existing, Report, Reason(secretsyml.RootNotMapping)},
		{field, []string{"environment null"}, records(), existing, Report, Reason(secretsyml.EnvironmentNull)},
		{field, []string{"environment not a mapping"}, records(), existing, Report, Reason(secretsyml.EnvironmentNotMapping)},
		{field, []string{"environment an alias", "environment from a merge key"}, records(), existing, Report, Reason(secretsyml.EnvironmentShared)},
		{field, []string{"field null or empty by an alias"}, records(), existing, Report, Reason(secretsyml.FieldAliased)},
		{field, []string{"field null or empty by a tag"}, records(), existing, Report, Reason(secretsyml.FieldTagged)},
		{field, []string{"field from a merge key"}, records(), existing, Report, Reason(secretsyml.FieldMerged)},
		{field, []string{"field absent, another one by an alias"}, []string{never}, exists, Report, Reason(secretsyml.FieldAliased)},
		{field, []string{"field absent, another one by an alias"}, []string{never}, frozen, Report, ReasonSecretImmutable},
		{field, []string{"field absent, another one by an alias"}, []string{before}, existing, Report, ReasonReadyUnitMissing},

		{set, []string{"absent"}, []string{never}, writable, Generate, ""},
		{set, []string{"absent"}, []string{never}, frozen, Report, ReasonSecretImmutable},
		{set, []string{"absent"}, []string{before}, secretStates(), Report, ReasonReadyUnitMissing},
		{set, []string{"chain missing"}, records(), writable, Derive, ""},
		{set, []string{"chain missing"}, records(), frozen, Report, ReasonSecretImmutable},
		{set, []string{"chain missing, CA empty", "chain missing, certificate empty"}, records(), secretStates(), Report, ReasonCertificateEmpty},
		{set, []string{"chain missing, CA unparsable"}, records(), secretStates(), Report, ReasonCertificateUnreadable},
		{set, part, records(), secretStates(), Report, ReasonCertificateSetPartial},
		{set, whole, records(), existing, Keep, ""},
	}
}

// TestEveryRowOfTheTable builds each combination of the table and asks Decide.
func TestEveryRowOfTheTable(t *testing.T) {
	covered := map[[4]string]bool{}
	for _, r := range rows() {
		for _, kind := range r.units {
			for _, state := range r.states {
				for _, record := range r.record {
					for _, secret := range r.secret {
						at := [4]string{kind, state, record, secret}
						if covered[at] {
							t.Fatalf("two rows decide about %v", at)
						}
						covered[at] = true
						if !possible(kind, state, secret) {
							continue
						}
						t.Run(strings.Join(at[:], ", "), func(t *testing.T) { checkRow(t, at, r) })
					}
				}
			}
		}
	}
	for _, kind := range kinds() {
		for _, state := range statesOf(kind) {
			for _, record := range records() {
				for _, secret := range secretStates() {
					if possible(kind, state, secret) && !covered[[4]string{kind, state, record, secret}] {
						t.Errorf("no row decides about %s, %s, %s, %s", kind, state, record, secret)
					}
				}
			}
		}
	}
}

func checkRow(t *testing.T, at [4]string, want row) {
	t.Helper()
	f := fixture(t, at[0], at[1], at[2] == before, at[3])
	plan := Decide(f.spec, f.existing, f.ready)
	got := find(t, plan, f.secret, f.unit)
	if got.Action != want.action || got.Reason != want.reason {
		t.Fatalf("got %s %s (%s), want %s %s", got.Action, got.Reason, got.Message, want.action, want.reason)
	}
	if (got.Message != "") != (got.Action == Report) {
		t.Errorf("a report and only a report has a message: %q", got.Message)
	}
	if (len(got.Keys) > 0) != (got.Action == Generate || got.Action == Derive) {
		t.Errorf("%s writes the keys %v", got.Action, got.Keys)
	}
	for _, s := range plan.Secrets {
		if s.Name != f.secret {
			continue
		}
		if s.Exists != (f.existing[f.secret] != nil) || s.TypeDiffers != (at[3] == sOther) {
			t.Errorf("exists %t, type differs %t", s.Exists, s.TypeDiffers)
		}
		left := slices.ContainsFunc(s.Decisions, func(d Decision) bool { return d.Action != Keep })
		if s.Ready == left {
			t.Error("a Secret is ready when everything is kept, and only then")
		}
		if got.Action != Keep && s.Ready {
			t.Error("something is missing and the Secret is ready")
		}
	}
	if got.Action != Keep && plan.Ready() {
		t.Error("something is missing and the plan is ready")
	}
}

func find(t *testing.T, plan Plan, secret, unit string) Decision {
	t.Helper()
	for _, s := range plan.Secrets {
		for _, d := range s.Decisions {
			if s.Name == secret && d.Unit.Name == unit {
				return d
			}
		}
	}
	t.Fatalf("the plan says nothing about %s of %s", unit, secret)
	return Decision{}
}

const (
	tableStart = "<!-- decisions: written by go test ./internal/secretgen -update -->\n"
	tableEnd   = "<!-- end of decisions -->\n"
)

// TestTheDocumentHasTheTable keeps docs/secrets.md and the rows above from drifting apart.
func TestTheDocumentHasTheTable(t *testing.T) {
	const path = "../../docs/secrets.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), tableStart)
	_, tail, closed := strings.Cut(rest, tableEnd)
	if !ok || !closed {
		t.Fatal("the document has no place for the table")
	}
	want := head + tableStart + markdown() + tableEnd + tail
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Fatalf("the table of the document differs from the rows of the test, run with -update (-rows +document):\n%s", diff)
	}
}

func markdown() string {
	var b strings.Builder
	b.WriteString("\n| unit | what is there | record | Secret | decision | reason |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows() {
		reason := ""
		if r.reason != "" {
			reason = "`" + string(r.reason) + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", strings.Join(r.units, ", "), strings.Join(r.states, "; "),
			strings.Join(r.record, ", "), strings.Join(r.secret, ", "), r.action, reason)
	}
	b.WriteByte('\n')
	return b.String()
}

// TestEveryReasonIsDocumented reads the constants from the sources, so that a new one cannot be forgotten.
func TestEveryReasonIsDocumented(t *testing.T) {
	document, err := os.ReadFile("../../docs/secrets.md")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, source := range []string{"reason.go", "secretsyml/problem.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			literal, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				return true
			}
			total++
			reason, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(document), "\n### "+reason+"\n") {
				t.Errorf("docs/secrets.md has no section on %s", reason)
			}
			if spec.Doc == nil {
				t.Errorf("%s has no sentence in the code", reason)
			}
			return true
		})
	}
	if total < 20 {
		t.Errorf("found %d reasons", total)
	}
}
