package values_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// nested returns a YAML and JSON document of maps n levels deep.
func nested(n int) string {
	return strings.Repeat(`{"a":`, n-1) + "{}" + strings.Repeat("}", n-1)
}

func TestNestingHasALimit(t *testing.T) {
	for name, decode := range decoders() {
		t.Run(name, func(t *testing.T) {
			if _, err := decode([]byte(nested(values.NestingLimit))); err != nil {
				t.Errorf("at the limit: %v", err)
			}
			_, err := decode([]byte(nested(values.NestingLimit + 1)))
			if deep, ok := errors.AsType[*values.NestingError](err); !ok || deep.Limit != values.NestingLimit {
				t.Errorf("past the limit: got %v, want a NestingError", err)
			}
			_, err = decode([]byte(`{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}"))
			if _, ok := errors.AsType[*values.NestingError](err); !ok {
				t.Errorf("lists count too: got %v, want a NestingError", err)
			}
		})
	}
}

func decoders() map[string]func([]byte) (map[string]any, error) {
	return map[string]func([]byte) (map[string]any, error){"YAML": values.Decode, "JSON": values.DecodeJSON}
}

func TestADocumentThatIsNoMap(t *testing.T) {
	for text, want := range map[string]string{
		`["hidden-text"]`: "a list", `"hidden-text"`: "a string", "5": "a number", "true": "a boolean",
	} {
		for name, decode := range decoders() {
			_, err := decode([]byte(text))
			if no, ok := errors.AsType[*values.NotMapError](err); !ok || no.Found != want {
				t.Errorf("%s of %s: got %v, want a NotMapError that found %s", name, want, err, want)
			}
		}
	}
}

func TestNothingIsAnEmptyMap(t *testing.T) {
	for _, text := range []string{"", " \n", "null"} {
		for name, decode := range decoders() {
			got, err := decode([]byte(text))
			if err != nil {
				t.Errorf("%s of %q: %v", name, text, err)
			}
			if diff := cmp.Diff(map[string]any{}, got); diff != "" {
				t.Errorf("%s of %q (-want +got):\n%s", name, text, diff)
			}
		}
	}
	if _, err := values.Decode([]byte("# only a comment\n")); err != nil {
		t.Errorf("a comment: %v", err)
	}
}

func TestASyntaxErrorNamesItsLineAndQuotesNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		text     string
		wantLine int
	}{
		"a second colon":       {"a: 1\nb: hidden-text: x\n", 2},
		"an unknown anchor":    {"a: *hidden-text\n", 0},
		"a map as a key":       {"? {hidden-text: 1}\n: 2\n", 0},
		"a bad merge":          {"a:\n  <<: hidden-text\n", 0},
		"a tag that is no int": {"a: !!int hidden-text\n", 0},
		"a tab":                {"a:\n\t- hidden-text\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := values.Decode([]byte(tc.text))
			syntax, ok := errors.AsType[*values.SyntaxError](err)
			if !ok {
				t.Fatalf("got %v, want a SyntaxError", err)
			}
			if tc.wantLine != 0 && syntax.Line != tc.wantLine {
				t.Errorf("line %d, want %d", syntax.Line, tc.wantLine)
			}
			if strings.Contains(err.Error(), "hidden-text") {
				t.Errorf("the error quotes the document: %v", err)
			}
		})
	}
	_, err := values.DecodeJSON([]byte("{\"a\": 1,\n hidden-text}"))
	if syntax, ok := errors.AsType[*values.SyntaxError](err); !ok || syntax.Line != 2 {
		t.Errorf("JSON: got %v, want a SyntaxError on line 2", err)
	}
}
