package secretsyml_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/secretgen/secretsyml"
)

type filled struct{ text, want string }

// fills are files that get the scalar "key", and what they are then.
func fills() map[string]filled {
	return map[string]filled{
		"a file without text gets its environment": {"", "production:\n  key: abc\n"},
		"a file of blanks gets its environment":    {" \n\n", "production:\n  key: abc\n"},
		"a file of comments keeps them":            {"# one\n\n  # two\n", "# one\n# two\n\nproduction:\n  key: abc\n"},
		"a missing environment goes to the end":    {"other:\n  a: b\n", "other:\n  a: b\nproduction:\n  key: abc\n"},
		"an empty root gets the environment":       {"{}\n", "{production: {key: abc}}\n"},
		"a null field is filled in its place":      {"production:\n  key: null\n  z: 1\n", "production:\n  key: abc\n  z: 1\n"},
		"a field without value is filled":          {"production:\n  key:\n  z: 1\n", "production:\n  key: abc\n  z: 1\n"},
		"an empty field is filled in its place":    {"production:\n  key: ''\n  z: 1\n", "production:\n  key: abc\n  z: 1\n"},
		"the comment beside a null stays":          {"production:\n  key: # why\n  b: ~ # not\n", "production:\n  key: abc # why\n  b: ~ # not\n"},
		"the comment beside an empty text stays":   {"production:\n  key: '' # why\n", "production:\n  key: abc # why\n"},
		"a comment at the end of the environment stays with its field": {
			"production:\n  a: b\n  # about a\n", "production:\n  a: b\n  # about a\n\n  key: abc\n",
		},
		"a comment at the end of an environment in the middle stays with its field": {
			"production:\n  a: b\n  # about a\nother:\n  c: d\n", "production:\n  a: b\n  # about a\n\n  key: abc\nother:\n  c: d\n",
		},
		"a comment behind the environment stays behind it": {
			"production:\n  a: b\n# the end\n", "production:\n  a: b\n  key: abc\n# the end\n",
		},
		"a comment at the end of the file stays at the end": {
			"production:\n  a: b\n\n# the end\n", "production:\n  a: b\n  key: abc\n\n# the end\n",
		},
		"a comment before the next environment stays with that one": {
			"production:\n  a: b\n\n# about other\nother:\n  c: d\n", "production:\n  a: b\n  key: abc\n# about other\nother:\n  c: d\n",
		},
		"document marks are dropped":                            {"# head\n---\nproduction:\n  a: b\n...\n", "# head\nproduction:\n  a: b\n  key: abc\n"},
		"four blanks become two":                                {"production:\n    a:\n        b: c\n", "production:\n  a:\n    b: c\n  key: abc\n"},
		"a folded scalar is joined":                             {"production:\n  a: >-\n    x\n    y\n", "production:\n  a: >-\n    x y\n  key: abc\n"},
		"a plain text over lines is joined":                     {"production:\n  a: x\n    y\n", "production:\n  a: x y\n  key: abc\n"},
		"a merge key is tagged":                                 {"x: &x {b: c}\nproduction:\n  <<: *x\n", "x: &x {b: c}\nproduction:\n  !!merge <<: *x\n  key: abc\n"},
		"a missing newline at the end is added":                 {"production:\n  a: b", "production:\n  a: b\n  key: abc\n"},
		"Windows line ends are line ends":                       {"production:\r\n  a: |\r\n    x\r\n    y\r\n", "production:\n  a: |\n    x\n    y\n  key: abc\n"},
		"old line ends are line ends":                           {"# one\r# two\r", "# one\n# two\n\nproduction:\n  key: abc\n"},
		"a comment behind an opening brace moves above the key": {"production: { # why\n  a: b }\n", "# why\nproduction: {a: b, key: abc}\n"},
		"a comment before empty braces moves above the key":     {"production:\n  a: b\nother:\n  # why\n  {}\n", "production:\n  a: b\n  key: abc\n# why\nother: {}\n"},
		"what looks like a comment in a text stays in it":       {"production:\n  a: \"x # y\" # why\n  b: |\n    # no\n  c: x#y\n", "production:\n  a: \"x # y\" # why\n  b: |\n    # no\n  c: x#y\n  key: abc\n"},
		"a byte order mark is dropped":                          {"\ufeffproduction:\n  a: b\n", "production:\n  a: b\n  key: abc\n"},
		"an environment in braces stays in braces":              {"{production: {}}\n", "{production: {key: abc}}\n"},
		"a literal at the end keeps its blank lines":            {"production:\n  a: |+\n    x\n\n", "production:\n  a: |+\n    x\n\n  key: abc\n"},
		"a literal that ends the file keeps its blank lines": {
			"production:\n  b: c\nother:\n  a: |+\n    x\n\n", "production:\n  b: c\n  key: abc\nother:\n  a: |+\n    x\n\n",
		},
		"anchors and aliases stay":                    {"production:\n  a: &a x\n  b: *a\nother: *a\n", "production:\n  a: &a x\n  b: *a\n  key: abc\nother: *a\n"},
		"quotes stay":                                 {"production:\n  a: 'x'\n  b: \"1\"\n  c: 0123\n", "production:\n  a: 'x'\n  b: \"1\"\n  c: 0123\n  key: abc\n"},
		"a bare number stays bare":                    {"production:\n  a: 123456\n", "production:\n  a: 123456\n  key: abc\n"},
		"a list keeps its order, length and comments": {"production:\n  l:\n  - b # old\n  # newer\n  - a\n", "production:\n  l:\n    - b # old\n    # newer\n    - a\n  key: abc\n"},
		"keys that are no text stay":                  {"production:\n  1: a\n  true: b\n  ? [c, d]\n  : e\n", "production:\n  1: a\n  true: b\n  ? [c, d]\n  : e\n  key: abc\n"},
		"a null between braces stays null":            {"production: {a: , b: 1}\n", "production: {a: null, b: 1, key: abc}\n"},
		"a null in a list between braces stays null":  {"production:\n  c:\n  a: [{b}]\n", "production:\n  c:\n  a: [{b: null}]\n  key: abc\n"},
		"a null as a key stays null":                  {"production:\n  ? \n  : a\n", "production:\n  null: a\n  key: abc\n"},
		"a tag of its own stays":                      {"production:\n  a: !x y\n", "production:\n  a: !x y\n  key: abc\n"},
		"the name of the environment as a value is no environment": {
			"other:\n  production: x\n", "other:\n  production: x\nproduction:\n  key: abc\n",
		},
	}
}

func TestAFieldIsAddedAndNothingElseChanges(t *testing.T) {
	for name, c := range fills() {
		t.Run(name, func(t *testing.T) {
			got := fill(t, c.text, "key", secretsyml.Value{Shape: secretsyml.Scalar, Text: "abc"})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Fatalf("want (-), got (+):\n%s", diff)
			}
			again, err := secretsyml.Read([]byte(got), "production")
			if err != nil {
				t.Fatal(err)
			}
			if state := again.Field("key"); state != secretsyml.Present {
				t.Fatalf("the field is in state %d after it was filled", state)
			}
			if text, err := again.Write(); err != nil || string(text) != got {
				t.Fatalf("a second time writes another text: %v\n%s", err, text)
			}
		})
	}
}

func fill(t *testing.T, text, name string, value secretsyml.Value) string {
	t.Helper()
	file, err := secretsyml.Read([]byte(text), "production")
	if err != nil {
		t.Fatal(err)
	}
	file.Set(name, value)
	written, err := file.Write()
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

func TestEachShapeIsWrittenAsGitLabReadsIt(t *testing.T) {
	pem := secretsyml.Value{Shape: secretsyml.PEM, Text: "-----BEGIN X-----\nAA==\n-----END X-----\n"}
	list := secretsyml.Value{Shape: secretsyml.List, Text: "abc"}
	for name, c := range map[string]struct {
		text  string
		value secretsyml.Value
		want  string
	}{
		"a PEM block is a literal":            {"", pem, "production:\n  key: |\n    -----BEGIN X-----\n    AA==\n    -----END X-----\n"},
		"a PEM block in braces is quoted":     {"production: {}", pem, "production: {key: \"-----BEGIN X-----\\nAA==\\n-----END X-----\\n\"}\n"},
		"a PEM block keeps the comments":      {"production:\n  key: # why\n", pem, "production:\n  # why\n  key: |\n    -----BEGIN X-----\n    AA==\n    -----END X-----\n"},
		"a list has one element":              {"", list, "production:\n  key:\n    - abc\n"},
		"a list in braces has one element":    {"production: {}", list, "production: {key: [abc]}\n"},
		"a list keeps the comments":           {"production:\n  key: [] # why\n", list, "production:\n  # why\n  key:\n    - abc\n"},
		"an element that is digits is quoted": {"", secretsyml.Value{Shape: secretsyml.List, Text: "123"}, "production:\n  key:\n    - \"123\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, fill(t, c.text, "key", c.value)); diff != "" {
				t.Fatalf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestAGeneratedValueIsQuotedWhereYAMLReadsAnotherType(t *testing.T) {
	for _, text := range []string{
		"123456", "0123", "0x1f", "0b11", "0o17", "1e5", "12345e678", "1_000", "1,000", "1:20", "yes", "NO", "on", "Off", "y", "N",
		"true", "null", "~", "", ".5", "1.5", ".inf", "2001-01-01", "<<", "=",
	} {
		if got := fill(t, "", "key", secretsyml.Value{Text: text}); got != "production:\n  key: \""+text+"\"\n" {
			t.Errorf("%q is not quoted:\n%s", text, got)
		}
	}
	for _, text := range []string{"abc", "1a", "123e", "e5", "0xg", "deadbeef12", "yesno", "0b12g"} {
		if got := fill(t, "", "key", secretsyml.Value{Text: text}); got != "production:\n  key: "+text+"\n" {
			t.Errorf("%q is not bare:\n%s", text, got)
		}
	}
	if got := fill(t, "", "123", secretsyml.Value{Text: "abc"}); got != "production:\n  \"123\": abc\n" {
		t.Errorf("a name of digits is not quoted:\n%s", got)
	}
}

func TestSetReplacesNothing(t *testing.T) {
	for _, text := range []string{
		"production:\n  key: old\n", "production:\n  key:\n    - b\n    - a\n", "production:\n  key: 0\n", "production:\n  key:\n    - \"\"\n",
		"x: &x\nproduction:\n  key: *x\n", "production:\n  key: !!str\n", "x: &x {key: y}\nproduction:\n  !!merge <<: *x\n",
	} {
		for _, shape := range []secretsyml.Shape{secretsyml.Scalar, secretsyml.PEM, secretsyml.List} {
			if got := fill(t, text, "key", secretsyml.Value{Shape: shape, Text: "new"}); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

// TestNoCommentIsLost puts a comment at every place of a file where one may stand.
func TestNoCommentIsLost(t *testing.T) {
	base := []string{"a:", "  b: c", "  l:", "  - d", "  - e: f", "    g: h", "production:", "  k: v", "  text: |", "    x", "  n:", "other:", "  m: {a: b, c: [d]}"}
	for at := range len(base) + 1 {
		for _, indent := range []string{"", "  ", "    "} {
			lines := append(append(append([]string{}, base[:at]...), indent+"# note"), base[at:]...)
			checkComment(t, strings.Join(lines, "\n")+"\n")
			checkComment(t, strings.Join(append(append(append([]string{}, base[:at]...), "", indent+"# note", ""), base[at:]...), "\n")+"\n")
		}
		if at < len(base) && base[at] != "    x" {
			lines := append([]string{}, base...)
			lines[at] += " # note"
			checkComment(t, strings.Join(lines, "\n")+"\n")
		}
	}
	for _, text := range []string{
		"production: { # note\n  a: b }\n", "production: {a: b, # note\n  c: d}\n", "production: {a: [b, # note\n c]}\n", "production: {a: b\n # note\n }\n",
		"production: # note\n  {a: b}\n", "production:\n  # note\n  {a: b}\n", "production:\n  a:\n    # note\n    b\n", "production:\n  a: # note\n    b\n",
		"production:\n  ? a # note\n  : b\n", "production:\n  a: \"x\n  y\" # note\n", "production:\n  l: [ # note\n   a]\n", "--- # note\nproduction: {}\n",
		"production: {} # note", "production: {}\n... # note\n", "production: &x # note\n  a: b\n", "production: !!map # note\n  a: b\n",
	} {
		checkComment(t, text)
	}
}

func checkComment(t *testing.T, text string) {
	t.Helper()
	file, err := secretsyml.Read([]byte(text), "production")
	if _, refused := errors.AsType[*secretsyml.ProblemError](err); refused {
		return
	}
	file.Set("key", secretsyml.Value{Text: "abc"})
	written, err := file.Write()
	if err != nil {
		t.Errorf("refused: %v\n%s", err, text)
		return
	}
	if strings.Count(string(written), "# note") != 1 {
		t.Errorf("the comment is lost:\n%s---\n%s", text, written)
	}
}

// TestAFileThatCannotBeWrittenBackIsRefused: the encoder has no place for a comment on a key that is not there.
func TestAFileThatCannotBeWrittenBackIsRefused(t *testing.T) {
	file, err := secretsyml.Read([]byte("production: {}\n? # note\n"), "production")
	if err != nil {
		t.Fatal(err)
	}
	file.Set("key", secretsyml.Value{Text: "abc"})
	_, err = file.Write()
	if p, ok := errors.AsType[*secretsyml.ProblemError](err); !ok || p.Reason != secretsyml.NotRewritable {
		t.Fatalf("got %v, want %s", err, secretsyml.NotRewritable)
	}
}
