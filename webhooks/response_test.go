package webhooks

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

func warning(field, message string) rules.Fault {
	return rules.Fault{Severity: rules.Warning, Code: rules.UnknownValue, Field: field, Message: message}
}

func TestWarnings(t *testing.T) {
	long := strings.Repeat("a", 700)
	cases := map[string]struct {
		faults []rules.Fault
		want   []string
	}{
		"none":                               {},
		"a field":                            {[]rules.Fault{warning("spec.x", "is not known")}, []string{"spec.x: is not known [UnknownValue]"}},
		"no field":                           {[]rules.Fault{warning("", "the object is odd")}, []string{"the object is odd [UnknownValue]"}},
		"faults that refuse are no warnings": {[]rules.Fault{{Field: "spec.x"}}, nil},
		"a text of several lines becomes one, or the API server would drop it": {
			[]rules.Fault{warning("spec", "the chart says:\n\tone\r\n  two\x00")}, []string{"spec: the chart says: one two [UnknownValue]"}},
		"a text that is no UTF-8 is made so": {[]rules.Fault{warning("spec", "found \xff")}, []string{"spec: found ? [UnknownValue]"}},
		"what does not fit is counted": {
			[]rules.Fault{warning("a", long), warning("b", long), warning("c", long), warning("d", long), warning("e", long), warning("f", long), warning("g", long)},
			[]string{
				"a: " + long + " [UnknownValue]", "b: " + long + " [UnknownValue]", "c: " + long + " [UnknownValue]",
				"d: " + long + " [UnknownValue]", "e: " + long + " [UnknownValue]",
				"2 more warnings are not shown: portcullis validate shows them all",
			}},
		"a very long one is cut and leaves room": {
			[]rules.Fault{warning("a", strings.Repeat("ä", 9000)), warning("b", "is short")},
			[]string{"a: " + strings.Repeat("ä", 1017) + " ...", "b: is short [UnknownValue]"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, warnings(rules.Verdict{Faults: c.faults})); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// The API server cuts warnings whose sum is over its limit, and drops one it cannot put into a header.
func TestWarningsNeverPassWhatTheAPIServerTakes(t *testing.T) {
	for n := range 60 {
		var faults []rules.Fault
		for i := range n {
			faults = append(faults, warning(fmt.Sprintf("spec.chart.values.key%d", i), strings.Repeat("wört\n", i*n%200)))
		}
		sum := 0
		for _, text := range warnings(rules.Verdict{Faults: faults}) {
			sum += utf8.RuneCountInString(text)
			if strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text) {
				t.Errorf("%q cannot stand in a header", text)
			}
		}
		if sum > 4096 {
			t.Errorf("%d warnings have %d characters", n, sum)
		}
	}
}

func TestTheLinesOfAFaultStayTogether(t *testing.T) {
	got := refusal(object(t, good), rules.Verdict{Faults: []rules.Fault{{Code: rules.RenderFailed, Field: "spec", Message: "the chart says:\none\ntwo"}}})
	want := "GitLabCore \"gitlab\" is refused, with one fault:\n* spec: the chart says:\n  one\n  two [RenderFailed]"
	if diff := cmp.Diff(want, got.Result.Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

func TestAListThatWasCutSaysSo(t *testing.T) {
	faults := []rules.Fault{{Code: rules.FieldInvalid, Field: "spec.a", Message: "is wrong"}, {Code: rules.FieldInvalid, Field: "spec.b", Message: "is wrong"}, {Code: rules.TooManyFaults, Message: "7 more faults are not listed"}}
	got := refusal(object(t, good), rules.Verdict{Faults: faults})
	want := "GitLabCore \"gitlab\" is refused, with more than 2 faults:\n* spec.a: is wrong [FieldInvalid]\n* spec.b: is wrong [FieldInvalid]\n* 7 more faults are not listed [TooManyFaults]"
	if diff := cmp.Diff(want, got.Result.Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}
