package tableset_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/tableset"
)

const (
	image  = "registry.example.com/siphon-tables:v19.4.1-ee"
	digest = "sha256:aaaa"
)

// binary is content no string of JSON can hold.
const binary = "\xff\xfe\x00"

func published(t *testing.T, files map[string][]byte) *unstructured.Unstructured {
	t.Helper()
	u, err := tableset.ConfigMap("acme-siphon-tables", "prod", image, digest, files)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func twoTables() map[string][]byte {
	return map[string][]byte{"main/merge_requests.yaml": []byte("table: merge_requests\n"), "odd.yaml": []byte(binary)}
}

func TestTheConfigMapNamesItsImageAndHoldsTextAsText(t *testing.T) {
	got := published(t, twoTables())
	sum := got.GetAnnotations()[tableset.AnnotationContent]
	want := map[string]any{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata": map[string]any{
			"name": "acme-siphon-tables", "namespace": "prod",
			"annotations": map[string]any{
				"siphon.apps.gitlab.com/tables-image":  image,
				"siphon.apps.gitlab.com/tables-digest": digest,
				"portcullis.dev/tables-content":        sum,
			},
		},
		"data":       map[string]any{"main__merge_requests.yaml": "table: merge_requests\n"},
		"binaryData": map[string]any{"odd.yaml": "//4A"},
	}
	if diff := cmp.Diff(want, got.Object); diff != "" {
		t.Errorf("ConfigMap (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(sum, "sha256:") || len(sum) != len("sha256:")+64 {
		t.Errorf("content digest is %q", sum)
	}
}

func TestWhatIsPublishedCanBeReadBack(t *testing.T) {
	files, ok := tableset.Files(published(t, twoTables()))
	if !ok {
		t.Fatal("the ConfigMap is not read as one of ours")
	}
	if diff := cmp.Diff(twoTables(), files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	want := map[string]string{"main__merge_requests.yaml": "main/merge_requests.yaml", "odd.yaml": "odd.yaml"}
	if diff := cmp.Diff(want, tableset.Keys(published(t, twoTables()))); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if _, ok := tableset.Files(nil); ok {
		t.Error("no object holds files")
	}
}

func TestAllFilesTogetherMustFit(t *testing.T) {
	half := make([]byte, tableset.Limit/2)
	if _, err := tableset.ConfigMap("a", "b", image, digest, map[string][]byte{"a.yaml": half, "b.yaml": half}); err != nil {
		t.Errorf("the limit itself fits, got %v", err)
	}
	_, err := tableset.ConfigMap("a", "b", image, digest, map[string][]byte{"a.yaml": half, "b.yaml": half, "c.yaml": {'x'}})
	var tooLarge *tableset.TooLargeError
	if !errors.As(err, &tooLarge) {
		t.Fatalf("want a TooLargeError, got %v", err)
	}
	if diff := cmp.Diff(tableset.TooLargeError{Size: tableset.Limit + 1, Limit: tableset.Limit}, *tooLarge); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
	const says = "the tables have 901 KiB and a ConfigMap takes 900 KiB: mount the image with spec.tables.source ImageVolume"
	if err.Error() != says {
		t.Errorf("message is %q", err)
	}
}

func TestTheLargestConfigMapFitsIntoOneRequest(t *testing.T) {
	for name, content := range map[string]byte{"letters": 'x', "control characters": 1, "bytes that are no text": 0xff} {
		t.Run(name, func(t *testing.T) {
			u := published(t, map[string][]byte{"a.yaml": []byte(strings.Repeat(string([]byte{content}), tableset.Limit))})
			body, err := json.Marshal(u)
			if err != nil {
				t.Fatal(err)
			}
			if len(body) > 1400<<10 {
				t.Errorf("a request of %d KiB", len(body)>>10)
			}
		})
	}
}

func TestHolds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(u *unstructured.Unstructured)
		want   bool
	}{
		"what was published": {change: func(*unstructured.Unstructured) {}, want: true},
		"labels and annotations of others make no difference": {change: func(u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{"team": "data"})
			set(u, "x", "metadata", "annotations", "note")
		}, want: true},
		"another image": {change: func(u *unstructured.Unstructured) {
			set(u, "x", "metadata", "annotations", "siphon.apps.gitlab.com/tables-image")
		}},
		"another digest": {change: func(u *unstructured.Unstructured) {
			set(u, "x", "metadata", "annotations", "siphon.apps.gitlab.com/tables-digest")
		}},
		"the annotations are gone":   {change: func(u *unstructured.Unstructured) { u.SetAnnotations(nil) }},
		"an edited table":            {change: func(u *unstructured.Unstructured) { set(u, "table: x\n", "data", "main__merge_requests.yaml") }},
		"an added key":               {change: func(u *unstructured.Unstructured) { set(u, "", "data", "more.yaml") }},
		"an edited binary":           {change: func(u *unstructured.Unstructured) { set(u, "AAAA", "binaryData", "odd.yaml") }},
		"a binary that is no base64": {change: func(u *unstructured.Unstructured) { set(u, "%", "binaryData", "odd.yaml") }},
		"a removed table": {change: func(u *unstructured.Unstructured) {
			unstructured.RemoveNestedField(u.Object, "data", "main__merge_requests.yaml")
		}},
		"no data at all":      {change: func(u *unstructured.Unstructured) { delete(u.Object, "data"); delete(u.Object, "binaryData") }},
		"data that is no map": {change: func(u *unstructured.Unstructured) { u.Object["data"] = "text" }},
	} {
		t.Run(name, func(t *testing.T) {
			live := published(t, twoTables())
			c.change(live)
			if got := tableset.Holds(live, image, digest); got != c.want {
				t.Errorf("Holds = %v, want %v", got, c.want)
			}
		})
	}
	if tableset.Holds(nil, image, digest) {
		t.Error("no object holds no tables")
	}
}

func TestTextThatMovesFromOneFileToTheNextChangesTheContent(t *testing.T) {
	a := published(t, map[string][]byte{"a": []byte("xb"), "b": []byte("y")})
	b := published(t, map[string][]byte{"a": []byte("x"), "b": []byte("by")})
	if a.GetAnnotations()[tableset.AnnotationContent] == b.GetAnnotations()[tableset.AnnotationContent] {
		t.Error("both have one digest")
	}
}

func set(u *unstructured.Unstructured, value string, path ...string) {
	if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
		panic(err)
	}
}

func TestCount(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    int
	}{
		"a map is one table":                           {content: "table: users\n", want: 1},
		"two documents are two":                        {content: "table: users\n---\ntable: notes\n", want: 2},
		"a list is as many as it has items":            {content: "- users\n- {table: notes}\n- labels\n", want: 3},
		"an empty file is none":                        {content: "", want: 0},
		"an empty document is none":                    {content: "---\n---\ntable: users\n", want: 1},
		"comments alone are none":                      {content: "# nothing yet\n", want: 0},
		"a bare word is none":                          {content: "users\n", want: 0},
		"a file that is not YAML is one":               {content: "a: [", want: 1},
		"aliases are counted as they are written":      {content: "- &a [1, 2, 3]\n- [*a, *a, *a]\n", want: 2},
		"what follows a fault in the same file is one": {content: "table: users\n---\na: [\n", want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tableset.Count(map[string][]byte{"a.yaml": []byte(c.content)}); got != c.want {
				t.Errorf("Count = %d, want %d", got, c.want)
			}
		})
	}
	if got := tableset.Count(map[string][]byte{"a.yaml": []byte("a: 1"), "b.yaml": []byte("b: 1")}); got != 2 {
		t.Errorf("two files count %d", got)
	}
}
