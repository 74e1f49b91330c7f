package secretsyml_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/secretgen/secretsyml"
)

type refusal struct {
	text string
	want secretsyml.Reason
}

// refusals are files that get nothing, whatever is missing in them.
func refusals() map[string]refusal {
	var bomb strings.Builder
	bomb.WriteString("a: &a [x, x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c < 'j'; c++ {
		fmt.Fprintf(&bomb, "%c: &%c [%s]\n", c, c, strings.Repeat("*"+string(c-1)+", ", 9))
	}
	return map[string]refusal{
		"text that is not UTF-8":                              {"production:\n  a: \xff\n", secretsyml.NotUTF8},
		"UTF-16 with a byte order mark":                       {"\xff\xfea\x00:\x00 \x00b\x00", secretsyml.NotUTF8},
		"text that does not parse":                            {"production: [\n", secretsyml.NotYAML},
		"a tab as indentation":                                {"production:\n\ta: b\n", secretsyml.NotYAML},
		"an alias without its anchor":                         {"production: {a: *b}\n", secretsyml.NotYAML},
		"a second document":                                   {"production: {}\n---\nproduction: {}\n", secretsyml.ManyDocuments},
		"a second document that is empty":                     {"production: {}\n---\n", secretsyml.ManyDocuments},
		"a second document that does not parse":               {"production: {}\n---\n[\n", secretsyml.NotYAML},
		"a root key twice":                                    {"production: {}\nproduction: {}\n", secretsyml.DuplicateKey},
		"a key twice, once quoted":                            {"production:\n  a: 1\n  \"a\": 2\n", secretsyml.DuplicateKey},
		"a key twice in an undeclared environment":            {"production: {}\nother:\n  deep:\n    a: 1\n    a: 1\n", secretsyml.DuplicateKey},
		"a key twice in a list":                               {"production: {}\nother:\n- {a: 1, a: 2}\n", secretsyml.DuplicateKey},
		"a number twice as a key, written in two ways":        {"production: {}\nother: {16: a, 0x10: b}\n", secretsyml.DuplicateKey},
		"a list twice as a key":                               {"production: {}\nother:\n  ? [a, 1]\n  : x\n  ? [a, 0x1]\n  : y\n", secretsyml.DuplicateKey},
		"a key and an alias to it":                            {"production: {}\nother: {&k a: 1, *k : 2}\n", secretsyml.DuplicateKey},
		"a merge key twice":                                   {"x: &x {a: 1}\nproduction:\n  <<: *x\n  <<: *x\n", secretsyml.DuplicateKey},
		"nesting without end":                                 {"production: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), secretsyml.TooDeep},
		"a key that expands without end":                      {bomb.String() + "? *i\n: x\n", secretsyml.TooDeep},
		"a key that contains itself":                          {"? &a [*a]\n: x\n", secretsyml.TooDeep},
		"a null root":                                         {"null\n", secretsyml.RootNull},
		"a root of nothing but a document mark":               {"---\n", secretsyml.RootNull},
		"a root that is a tilde":                              {"~", secretsyml.RootNull},
		"a root that is a list":                               {"- production\n", secretsyml.RootNotMapping},
		"a root that is a text":                               {"production\n", secretsyml.RootNotMapping},
		"a root with a tag of its own":                        {"!ruby/object:Secrets\nproduction: {}\n", secretsyml.RootNotMapping},
		"an environment without a value":                      {"production:\n", secretsyml.EnvironmentNull},
		"an environment that is null":                         {"production: null\nother: {}\n", secretsyml.EnvironmentNull},
		"an environment that is a text":                       {"production: ''\n", secretsyml.EnvironmentNotMapping},
		"an environment that is a list":                       {"production: []\n", secretsyml.EnvironmentNotMapping},
		"an environment with a tag of its own":                {"production: !x {a: b}\n", secretsyml.EnvironmentNotMapping},
		"an environment that is an alias":                     {"default: &d {a: b}\nproduction: *d\n", secretsyml.EnvironmentShared},
		"an environment that a merge key provides":            {"x: &x {production: {a: b}}\n<<: *x\n", secretsyml.EnvironmentShared},
		"an environment that a merge of a merge key provides": {"y: &y {production: {}}\nx: &x {<<: *y}\n<<: [*x]\n", secretsyml.EnvironmentShared},
	}
}

func TestAFileThatCannotBeAddedToIsRefused(t *testing.T) {
	for name, c := range refusals() {
		t.Run(name, func(t *testing.T) {
			_, err := secretsyml.Read([]byte(c.text), "production")
			p, ok := errors.AsType[*secretsyml.ProblemError](err)
			if !ok || p.Reason != c.want {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if p.Error() == "" || strings.Contains(p.Text, "yaml:") {
				t.Errorf("no sentence for a person: %q", p.Text)
			}
		})
	}
}

// TestAProblemQuotesNothing: a value stands where a name is expected in each of these, and no sentence repeats it.
func TestAProblemQuotesNothing(t *testing.T) {
	const hidden = "hunter2hunter2"
	for _, text := range []string{
		"production: {a: *" + hidden + "}", "production:\n  " + hidden + ": 1\n  " + hidden + ": 1\n",
		hidden, "production: " + hidden, "production: {}\n---\n" + hidden, "%" + hidden + "\n---\na: b", "a: !" + hidden + "!b c",
		"production: !" + hidden + " {}", "<<: " + hidden,
	} {
		if _, err := secretsyml.Read([]byte(text), "production"); err != nil && strings.Contains(err.Error(), hidden) {
			t.Errorf("the text %q is quoted: %v", text, err)
		}
	}
}

func TestAFieldSaysWhatItHolds(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		want   secretsyml.FieldState
		reason secretsyml.Reason
	}{
		"a text is present":                                    {"production: {f: x}", secretsyml.Present, ""},
		"a number is present":                                  {"production: {f: 12}", secretsyml.Present, ""},
		"false is present":                                     {"production: {f: false}", secretsyml.Present, ""},
		"a blank is present":                                   {"production: {f: ' '}", secretsyml.Present, ""},
		"a list of nothing is present":                         {"production: {f: ['']}", secretsyml.Present, ""},
		"a quoted null is present":                             {"production: {f: 'null'}", secretsyml.Present, ""},
		"an alias to a value is present":                       {"x: &x y\nproduction: {f: *x}", secretsyml.Present, ""},
		"a tag on a value is present":                          {"production: {f: !!str x}", secretsyml.Present, ""},
		"a value beside a merge is present":                    {"x: &x {f: y}\nproduction: {<<: *x, f: z}", secretsyml.Present, ""},
		"a field under a quoted name is present":               {"production: {\"f\": x}", secretsyml.Present, ""},
		"a field of another environment is absent":             {"other: {f: x}\nproduction: {g: x}", secretsyml.Absent, ""},
		"a field of a file without text is absent":             {"", secretsyml.Absent, ""},
		"a field of a missing environment is absent":           {"other: {f: x}", secretsyml.Absent, ""},
		"a field a merge does not provide is absent":           {"x: &x {g: y}\nproduction: {<<: *x}", secretsyml.Absent, ""},
		"a field a merge of itself does not provide is absent": {"production: &p {<<: *p, g: x}", secretsyml.Absent, ""},
		"no value is null":                                     {"production:\n  f:\n", secretsyml.Null, ""},
		"a tilde is null":                                      {"production: {f: ~}", secretsyml.Null, ""},
		"NULL is null":                                         {"production: {f: NULL}", secretsyml.Null, ""},
		"a null beside a merge is null":                        {"x: &x {f: y}\nproduction: {<<: *x, f: null}", secretsyml.Null, ""},
		"an empty text is empty":                               {"production: {f: ''}", secretsyml.Empty, ""},
		"an empty list is empty":                               {"production: {f: []}", secretsyml.Empty, ""},
		"an empty block is empty":                              {"production:\n  f: |\n", secretsyml.Empty, ""},
		"an alias to null is foreign":                          {"x: &x null\nproduction: {f: *x}", secretsyml.Foreign, secretsyml.FieldAliased},
		"an alias to an empty text is foreign":                 {"x: &x ''\nproduction: {f: *x}", secretsyml.Foreign, secretsyml.FieldAliased},
		"an alias to an empty list is foreign":                 {"x: &x []\nproduction: {f: *x}", secretsyml.Foreign, secretsyml.FieldAliased},
		"an anchored null is foreign":                          {"production: {f: &x null, g: *x}", secretsyml.Foreign, secretsyml.FieldAliased},
		"a tag that makes nothing a text":                      {"production: {f: !!str }", secretsyml.Foreign, secretsyml.FieldTagged},
		"a tag that makes a text null":                         {"production: {f: !!null ''}", secretsyml.Foreign, secretsyml.FieldTagged},
		"a tag of its own on nothing":                          {"production: {f: !x }", secretsyml.Foreign, secretsyml.FieldTagged},
		"a tag of its own on an empty list":                    {"production: {f: !x []}", secretsyml.Foreign, secretsyml.FieldTagged},
		"an empty binary":                                      {"production: {f: !!binary ''}", secretsyml.Foreign, secretsyml.FieldTagged},
		"a merge key that provides it":                         {"x: &x {f: y}\nproduction: {<<: *x}", secretsyml.Foreign, secretsyml.FieldMerged},
		"a merge key that provides it as null":                 {"x: &x {f: null}\nproduction: {<<: *x}", secretsyml.Foreign, secretsyml.FieldMerged},
		"a list of merges that provides it":                    {"x: &x {g: y}\ny: &y {f: y}\nproduction: {<<: [*x, *y]}", secretsyml.Foreign, secretsyml.FieldMerged},
		"a merge of a merge that provides it":                  {"x: &x {f: y}\ny: &y {<<: *x}\nproduction: {<<: *y}", secretsyml.Foreign, secretsyml.FieldMerged},
		"a merge of a mapping written in place":                {"production: {<<: {f: y}}", secretsyml.Foreign, secretsyml.FieldMerged},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := secretsyml.Read([]byte(c.text), "production")
			if err != nil {
				t.Fatal(err)
			}
			if got := file.Field("f"); got != c.want {
				t.Fatalf("got state %d, want %d", got, c.want)
			}
			switch p := file.Problem("f"); {
			case p == nil && c.reason != "":
				t.Errorf("no problem, want %s", c.reason)
			case p != nil && p.Reason != c.reason:
				t.Errorf("problem %s, want %q", p.Reason, c.reason)
			}
		})
	}
}
