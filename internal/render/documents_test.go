package render

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestSplitting(t *testing.T) {
	cases := map[string]struct {
		text string
		want []string
	}{
		"no text":                                {"", nil},
		"nothing but separators":                 {"---\n---\n\n--- \n", []string{"---"}},
		"one document without a separator":       {"a: 1\n", []string{"a: 1"}},
		"a separator at each end":                {"---\na: 1\n---\n", []string{"a: 1"}},
		"a comment behind the separator":         {"--- # one\na: 1\n---\nb: 2", []string{"# one\na: 1", "b: 2"}},
		"lines that end as on Windows":           {"a: 1\r\n---\r\nb: 2\r\n", []string{"a: 1", "b: 2"}},
		"dashes within a line or a block":        {"a: x---y\nb: |\n  ---\n  z", []string{"a: x---y\nb: |\n  ---\n  z"}},
		"blank lines in front":                   {"\n\n---\na: 1", []string{"a: 1"}},
		"a document on the separator's own line": {"---{a: 1}\n---{b: 2}", []string{"{a: 1}", "{b: 2}"}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			if diff := cmp.Diff(c.want, splitDocuments(c.text)); diff != "" {
				t.Errorf("splitDocuments (-want +got):\n%s", diff)
			}
		})
	}
}

// Helm splits with a regular expression; where it finds a document, this package has to find the same.
func TestSplittingEqualsHelms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"---\n", "--- # c\n", "---", "\n", "  ", "a: 1\n", "b:\n  - c\n", "# note\n", "t: |\n  ---\n", "\r\n"}
	for range 5000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		want := decodeAll(helmSplit(text.String()))
		got := decodeAll(splitDocuments(text.String()))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("documents of %q (-helm +ours):\n%s", text.String(), diff)
		}
	}
}

func helmSplit(text string) []string {
	parts := releaseutil.SplitManifests(text)
	keys := slices.Collect(maps.Keys(parts))
	slices.SortFunc(keys, func(a, b string) int { return len(a) - len(b) + strings.Compare(a, b)*boolInt(len(a) == len(b)) })
	var out []string
	for _, key := range keys {
		out = append(out, parts[key])
	}
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// decodeAll returns the objects among the parts; what does not decode shows as such.
func decodeAll(parts []string) []any {
	var out []any
	for _, part := range parts {
		content, err := decodeDocument(part)
		switch {
		case err != nil:
			out = append(out, "broken")
		case content != nil:
			out = append(out, content)
		}
	}
	return out
}

func TestDecoding(t *testing.T) {
	cases := map[string]struct {
		text string
		want map[string]any
	}{
		"octal numbers of YAML 1.1":  {"mode: 0400", map[string]any{"mode": int64(256)}},
		"large whole numbers":        {"x: 9007199254740993", map[string]any{"x": int64(9007199254740993)}},
		"fractions":                  {"x: 1.5", map[string]any{"x": 1.5}},
		"words that mean yes and no": {"a: yes\nb: off", map[string]any{"a": true, "b": false}},
		"a key that means no":        {"n: 1", map[string]any{"false": int64(1)}},
		"a merged anchor":            {"a: &x {b: 1}\nc: {<<: *x}", map[string]any{"a": map[string]any{"b": int64(1)}, "c": map[string]any{"b": int64(1)}}},
		"JSON":                       {`{"a": [null]}`, map[string]any{"a": []any{nil}}},
		"nothing but a comment":      {"# c", nil},
		"an explicit null":           {"null", nil},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			got, err := decodeDocument(c.text)
			if err != nil {
				t.Fatalf("decodeDocument: %v", err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("decodeDocument (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTypedListsAreTakenApart(t *testing.T) {
	docs, err := readFile("t.yaml", "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleList\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n"+
		"---\napiVersion: example.com/v1\nkind: Basket\nmetadata: {name: c}\nitems: [1]")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, doc := range docs {
		u := unstructured.Unstructured{Object: doc.content}
		got = append(got, u.GetAPIVersion()+" "+u.GetKind()+" "+u.GetName())
	}
	want := []string{"rbac.authorization.k8s.io/v1 Role a", "rbac.authorization.k8s.io/v1 Role b", "example.com/v1 Basket c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// FuzzDocuments holds that no text makes the reader fail in another way than with an error, and that what it does
// return is an object that can be printed and copied.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{
		"a: 1", "---\n---", "apiVersion: v1\nkind: List\nitems: [{kind: A, apiVersion: b}]", "&a [*a]", "a: &a {b: *a}", "? [1]\n: 2",
		"!!binary x", ".nan: .inf", "a: !!int x", "{1: a, \"1\": b}", "- a\n...\nb", "kind: XList\nitems: [{}]\napiVersion: v1", "\xff\xfe", "%YAML 1.1\n---\na: 1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		docs, err := readFile("t.yaml", text)
		if err != nil {
			if strings.Contains(err.Error(), "interface {}") {
				t.Errorf("the message speaks of types: %v", err)
			}
			return
		}
		for _, doc := range docs {
			u := &unstructured.Unstructured{Object: doc.content}
			_, _, _ = hookOf(u)
			if _, err := u.DeepCopy().MarshalJSON(); err != nil {
				t.Errorf("an object that cannot be printed: %v", err)
			}
		}
	})
}
