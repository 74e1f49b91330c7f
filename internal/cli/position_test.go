package cli

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"
	"unicode/utf8"
)

const positions = `# a comment above
---
# and another
kind: GitLabCore
metadata:
  labels:
    app.kubernetes.io/name: x
  annotations: {a.b/c: 1}
spec:
  hostname: one
  hostname: two
  chart:
    valuesFrom:
    - name: first
    - kind: ConfigMap
      name: second
    values: &v
      a.b:
      - c: 1
        d.e:
          f: 2
      a:
        b: 3
    more:
      <<: *v
      own: 1
    alias: *v
`

func TestPlaceOfAField(t *testing.T) {
	all := documents(source{"f", []byte(positions)})
	if len(all) != 1 {
		t.Fatalf("%d documents, want 1", len(all))
	}
	for field, want := range map[string]string{
		"":                                       "4:1",
		"spec":                                   "9:1",
		"spec.version.type":                      "9:1",
		"spec.hostname":                          "11:3",
		"status":                                 "4:1",
		"metadata.name":                          "5:1",
		"metadata.labels.app.kubernetes.io/name": "7:5",
		"metadata.labels[app.kubernetes.io/name]":                    "7:5",
		"metadata.annotations.a.b/c":                                 "8:17",
		"spec.chart.valuesFrom[1]":                                   "15:7",
		"spec.chart.valuesFrom[1].name":                              "16:7",
		"spec.chart.valuesFrom[2]":                                   "13:5",
		"spec.chart.valuesFrom[0] (ConfigMap gitlab-values, a.b[0])": "14:7",
		`spec.chart.values["a.b"][0].c`:                              "19:9",
		`spec.chart.values["a.b"][0]["d.e"].f`:                       "21:11",
		`spec.chart.values["a.b"][0]["d.e"].g`:                       "20:9",
		`spec.chart.values["a.b"][7].c`:                              "18:7",
		"spec.chart.values.a.b":                                      "18:7",
		"spec.chart.values.a":                                        "22:7",
		"spec.chart.values.missing":                                  "17:5",
		"spec.chart.more.own":                                        "26:7",
		"spec.chart.more.a":                                          "22:7",
		`spec.chart.alias["a.b"]`:                                    "18:7",
		`spec.chart["unclosed`:                                       "12:3",
		"spec.chart[":                                                "12:3",
	} {
		if at := all[0].place(field); fmt.Sprintf("%d:%d", at.line, at.column) != want {
			t.Errorf("%q is at %d:%d, want %s", field, at.line, at.column, want)
		}
	}
}

func TestDocumentsOfAFile(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":                                   {"", nil},
		"comments alone":                            {"# a\n---\n# b\n", nil},
		"a separator with a comment":                {"a: 1\n--- # next\nb: 1\n", []string{"1", "3"}},
		"a separator with text":                     {"a: 1\n--- b: 1\n", []string{"1", "2 broken"}},
		"windows lines":                             {"a: 1\r\n---\r\nb: 1\r\n", []string{"1", "3"}},
		"no new line at the end":                    {"a: 1\n---\nb: 1", []string{"1", "3"}},
		"a broken one does not hide the next":       {"a: [\n---\nb: 1\n", []string{"1 broken", "3"}},
		"JSON objects one after the other":          {"{\"a\": 1}\n{\n\"b\": 1}", []string{"1", "2"}},
		"a flow map that is no JSON":                {"{a: 1}\n---\nb: 1\n", []string{"1", "3"}},
		"the items of a list":                       {"apiVersion: v1\nkind: List\nitems:\n- a: 1\n- b: 1\n", []string{"4", "5"}},
		"an empty list":                             {"apiVersion: v1\nkind: List\nitems: []\n", nil},
		"a list of another group stays one":         {"apiVersion: x.example.com/v1\nkind: ThingList\nitems:\n- a: 1\n", []string{"1"}},
		"a scalar":                                  {"text\n", []string{"1"}},
		"a template that was not rendered":          {"a: 1\nb: {{ .x }}\n", []string{"2 broken"}},
		"a key that stands twice is read, not lost": {"a: 1\na: 2\n", []string{"1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range documents(source{"f", []byte(c.text)}) {
				if d.broken != "" {
					got = append(got, fmt.Sprintf("%d broken", d.brokenLine))
				} else {
					got = append(got, strconv.Itoa(d.place("").line))
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// FuzzDocuments holds the reading of files to two promises: nothing takes the program down, and every place lies in
// the file.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte(positions), "spec.chart.values[0].a")
	f.Add([]byte("{\"a\": 1}{\"b\": [1]}"), `a["b"]`)
	f.Add([]byte("a: &x [*x]\n<<: *x\n"), "a[0][0]")
	f.Add([]byte("apiVersion: v1\nkind: List\nitems: [{kind: List}]\n"), "items")
	f.Fuzz(func(t *testing.T, text []byte, field string) {
		if !utf8.Valid(text) {
			t.Skip("a file that is no UTF-8 is refused before it is read")
		}
		lines := 1 + bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r"))
		for _, d := range documents(source{"f", text}) {
			d.duplicates()
			at := d.place(field)
			if d.broken != "" {
				at.line = d.brokenLine
			}
			if at.line < 1 || at.line > lines+1 {
				t.Errorf("line %d of a file of %d lines", at.line, lines)
			}
		}
	})
}
