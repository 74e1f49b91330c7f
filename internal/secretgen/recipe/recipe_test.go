package recipe_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/secretgen/recipe"
)

func TestEncode(t *testing.T) {
	for name, tc := range map[string]struct{ value, encoding, wrap, want string }{
		"nothing is named":                  {"abc", "", "", "abc"},
		"none and none":                     {"abc", "none", "none", "abc"},
		"raw bytes stay as they are":        {"\x00\xff", "raw", "", "\x00\xff"},
		"base64 is standard and padded":     {"\xfb\xff\xfe\x00", "base64", "none", "+//+AA=="},
		"a list of one string":              {"abc", "none", "jsonArray", `["abc"]`},
		"the wrap is put around the base64": {"abcd", "base64", "jsonArray", `["YWJjZA=="]`},
		"quotes are escaped as JSON says":   {`a"\` + "\n", "none", "jsonArray", `["a\"\\\n"]`},
		"an empty value is an empty string": {"", "base64", "jsonArray", `[""]`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, string(recipe.Encode([]byte(tc.value), tc.encoding, tc.wrap))); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestLongBase64IsOneLineAndReadsBack(t *testing.T) {
	value := must(recipe.Bytes(&cycle{}, 4096))(t)
	encoded := recipe.Encode(value, "base64", "none")
	if strings.ContainsAny(string(encoded), "\r\n ") {
		t.Error("the text is wrapped or ends with a newline")
	}
	if back, err := base64.StdEncoding.DecodeString(string(encoded)); err != nil || !bytes.Equal(back, value) {
		t.Error("the text does not read back")
	}
	var list []string
	if err := json.Unmarshal(recipe.Encode(value, "base64", "jsonArray"), &list); err != nil || len(list) != 1 || list[0] != string(encoded) {
		t.Error("the list does not hold the text")
	}
}

func TestEncodeGivesBytesOfItsOwn(t *testing.T) {
	value := []byte("abc")
	recipe.Encode(value, "none", "none")[0] = 'x'
	if string(value) != "abc" {
		t.Error("writing to the result changed the value")
	}
}
