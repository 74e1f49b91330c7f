package values_test

import (
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/values"
)

func TestSensitiveKeys(t *testing.T) {
	for _, key := range []string{"password", "rootPassword", "API_TOKEN", "jwtSecret", "accesskey", "credentials", "privateData"} {
		if !values.SensitiveKey(key) {
			t.Errorf("%s must count as sensitive", key)
		}
	}
	for _, key := range []string{"host", "domain", "enabled", "pass"} {
		if values.SensitiveKey(key) {
			t.Errorf("%s must not count as sensitive", key)
		}
	}
}

func TestWhatAMessageShowsOfAValue(t *testing.T) {
	free := values.Origin{Kind: values.FreeForm, Field: "spec.chart.values.x"}
	for name, tc := range map[string]struct {
		path   values.Path
		value  any
		origin values.Origin
		want   string
	}{
		"a text is quoted":                    {values.Path{"a"}, "yes", free, `"yes"`},
		"a number reads as it was written":    {values.Path{"a"}, float64(1000000), free, "1000000"},
		"a text under a sensitive key":        {values.Path{"psql", "password"}, "Hunter2Hunter2", free, "[masked]"},
		"a text below a sensitive key":        {values.Path{"credentials", "value"}, "Hunter2Hunter2", free, "[masked]"},
		"a number under a sensitive key":      {values.Path{"token"}, float64(123456), free, "[masked]"},
		"a boolean under one is no secret":    {values.Path{"secret", "enabled"}, true, free, "true"},
		"an empty text under one is none":     {values.Path{"secret"}, "", free, `""`},
		"a map hides what is secret inside":   {values.Path{"a"}, map[string]any{"user": "u", "password": "p"}, free, `{"password":"[masked]","user":"u"}`},
		"a list below a sensitive key":        {values.Path{"tokens"}, []any{"Hunter2", true}, free, `["[masked]",true]`},
		"a value from a Secret":               {values.Path{"host"}, "Hunter2", values.Origin{Kind: values.Reference, Sensitive: true}, "[masked]"},
		"the name of a Secret we derived":     {values.Path{"psql", "password", "secret"}, "gitlab-db", values.Origin{Kind: values.Derived, Field: "spec.postgresql.passwordSecretRef.name"}, `"gitlab-db"`},
		"a long text is shortened":            {values.Path{"a"}, strings.Repeat("ä", 200), free, `"` + strings.Repeat("ä", 79) + `… (202 characters)`},
		"angle brackets are left as they are": {values.Path{"a"}, []any{"<b>"}, free, `["<b>"]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := values.Printable(tc.path, tc.value, tc.origin); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestCleanHidesWhatCameFromSecrets(t *testing.T) {
	hidden := "line-one-of-it\nline-two-of-it"
	e := values.Merge(
		set(values.Derived, "spec.postgresql.passwordSecretRef.key", "postgres-password", "global", "psql", "password", "key"),
		set(values.Reference, "Secret s", map[string]any{
			"smtp": map[string]any{"user": "mailuser", "short": "abc", "multi": hidden, "pin": 123456},
			"list": []any{"in-a-list", "item-two", "tick-tock-tick-"}, "quoted": `say "it"`, "replaced": "replaced-text",
		}, "x"),
		set(values.FreeForm, "", map[string]any{
			"smtp": map[string]any{"password": "free-form-pass"}, "host": "mail.example.com",
			"connection": map[string]any{"key": "connection"},
			"replaced":   "visible",
		}, "x"),
	)
	for name, tc := range map[string]struct{ text, want string }{
		"a text":                                {"user mailuser here", "user [masked] here"},
		"a line of several":                     {"at line-two-of-it!", "at [masked]!"},
		"a number":                              {"pin 123456", "pin [masked]"},
		"in a list":                             {"<in-a-list>", "<[masked]>"},
		"with its quotes escaped":               {`"say \"it\""`, `"[masked]"`},
		"in base64":                             {"data: bWFpbHVzZXI=", "data: [masked]"},
		"one that a higher layer replaced":      {"old replaced-text", "old [masked]"},
		"one under a sensitive key":             {"with free-form-pass", "with [masked]"},
		"a short one stays":                     {"abc", "abc"},
		"a free-form value elsewhere stays":     {"mail.example.com", "mail.example.com"},
		"a derived name stays":                  {"key postgres-password", "key postgres-password"},
		"a word of the paths stays":             {"object_store.connection.key", "object_store.connection.key"},
		"two that touch leave nothing between":  {"mailusermailuser", "[masked]"},
		"two that overlap leave nothing behind": {"<line-one-of-item-two>", "<[masked]>"},
		"one that overlaps itself":              {"<tick-tock-tick-tock-tick->", "<[masked]>"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := e.Secrets().Clean(tc.text); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
