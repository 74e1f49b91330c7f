package condition

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/portcullis-operator/portcullis/internal/outcome"
)

var (
	earlier = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	later   = time.Date(2026, 3, 1, 10, 5, 0, 0, time.UTC)
)

func TestAnOutcomeReadsAs(t *testing.T) {
	for name, c := range map[string]struct {
		rule Rule
		of   outcome.Outcome
		want metav1.Condition
	}{
		"True with the rule's own words when the step is done": {
			rule: Rule{Type: "Initialized", Done: "ChartRendered", DoneMessage: "chart gitlab 10.4.1 is rendered"},
			of:   outcome.Continue{},
			want: metav1.Condition{Type: "Initialized", Status: "True", Reason: "ChartRendered", Message: "chart gitlab 10.4.1 is rendered"},
		},
		"Unknown when it waits": {
			rule: Rule{Type: "Available"},
			of:   outcome.Wait{Reason: "GitLabNotReady", Message: "waiting"},
			want: metav1.Condition{Type: "Available", Status: "Unknown", Reason: "GitLabNotReady", Message: "waiting"},
		},
		"False when it waits and the documents say so": {
			rule: Rule{Type: "Available", Waiting: metav1.ConditionFalse},
			of:   outcome.Wait{Reason: "WorkloadsNotReady", Message: "waiting"},
			want: metav1.Condition{Type: "Available", Status: "False", Reason: "WorkloadsNotReady", Message: "waiting"},
		},
		"False when it refuses, whatever a wait would be": {
			rule: Rule{Type: "Initialized", Waiting: metav1.ConditionUnknown},
			of:   outcome.Refuse{Reason: "AdmissionRefused", Message: "spec.hostname: too long"},
			want: metav1.Condition{Type: "Initialized", Status: "False", Reason: "AdmissionRefused", Message: "spec.hostname: too long"},
		},
		"False with the chain of causes when it fails": {
			rule: Rule{Type: "Initialized"},
			of:   outcome.Fail{Reason: "RenderFailed", Err: errors.New("render chart gitlab: boom")},
			want: metav1.Condition{Type: "Initialized", Status: "False", Reason: "RenderFailed", Message: "render chart gitlab: boom"},
		},
		"Unknown when it fails before the check and the documents say so": {
			rule: Rule{Type: "Available", Failing: metav1.ConditionUnknown},
			of:   outcome.Fail{Reason: "GitLabTooOld", Err: errors.New("too old")},
			want: metav1.Condition{Type: "Available", Status: "Unknown", Reason: "GitLabTooOld", Message: "too old"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.rule.From(c.of)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	prior := []metav1.Condition{
		{Type: "Upgradeable", Status: "True", Reason: "UpgradePathValid", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(earlier)},
		{Type: "Available", Status: "False", Reason: "WorkloadsNotReady", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(earlier)},
	}
	for name, c := range map[string]struct {
		set  metav1.Condition
		want []metav1.Condition
	}{
		"moves the transition time with the status, keeps the others as they were, and sorts": {
			set: metav1.Condition{Type: "Available", Status: "True", Reason: "WorkloadsReady"},
			want: []metav1.Condition{
				{Type: "Available", Status: "True", Reason: "WorkloadsReady", ObservedGeneration: 2, LastTransitionTime: metav1.NewTime(later)},
				prior[0],
			},
		},
		"keeps the transition time when only the words change": {
			set: metav1.Condition{Type: "Available", Status: "False", Reason: "ApplyFailed", Message: "new words"},
			want: []metav1.Condition{
				{Type: "Available", Status: "False", Reason: "ApplyFailed", Message: "new words", ObservedGeneration: 2, LastTransitionTime: metav1.NewTime(earlier)},
				prior[0],
			},
		},
		"adds a condition that was not there": {
			set: metav1.Condition{Type: "Progressing", Status: "False", Reason: "UpgradeComplete"},
			want: []metav1.Condition{
				prior[1],
				{Type: "Progressing", Status: "False", Reason: "UpgradeComplete", ObservedGeneration: 2, LastTransitionTime: metav1.NewTime(later)},
				prior[0],
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := append([]metav1.Condition(nil), prior...)
			got := Merge(prior, Pass{Generation: 2, Now: later.Add(300 * time.Millisecond)}, c.set)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(before, prior); diff != "" {
				t.Errorf("the prior list was changed:\n%s", diff)
			}
		})
	}
}

func TestASummaryReads(t *testing.T) {
	done := Summary{Done: "WorkloadsReady", Of: []string{"Initialized", "Available"}}
	for name, c := range map[string]struct {
		list    []metav1.Condition
		end     outcome.Outcome
		want    map[string]string
		verdict status.Status
	}{
		"Current when the pass is done, with nothing abnormal left over": {
			list: []metav1.Condition{
				{Type: Reconciling, Status: "True", Reason: "HooksRunning"}, {Type: Stalled, Status: "True", Reason: "AdmissionRefused"},
			},
			end: outcome.Continue{}, want: map[string]string{Ready: "True WorkloadsReady"}, verdict: status.CurrentStatus,
		},
		"InProgress while preparing": {
			end:     outcome.Wait{Reason: "HooksRunning", Message: "a Job runs"},
			want:    map[string]string{Ready: "Unknown HooksRunning", Reconciling: "True HooksRunning"},
			verdict: status.InProgressStatus,
		},
		"InProgress, but surely not ready, while a workload is not": {
			list: []metav1.Condition{{Type: "Available", Status: "False", Reason: "WorkloadsNotReady"}},
			end:  outcome.Wait{Reason: "WorkloadsNotReady"},
			want: map[string]string{
				"Available": "False WorkloadsNotReady", Ready: "False WorkloadsNotReady", Reconciling: "True WorkloadsNotReady",
			},
			verdict: status.InProgressStatus,
		},
		"InProgress while a failure is retried": {
			list:    []metav1.Condition{{Type: Stalled, Status: "True", Reason: "AdmissionRefused"}},
			end:     outcome.Fail{Reason: "ApplyFailed", Err: errors.New("no route to host")},
			want:    map[string]string{Ready: "False ApplyFailed", Reconciling: "True ApplyFailed"},
			verdict: status.InProgressStatus,
		},
		"Failed when a person has to act": {
			list:    []metav1.Condition{{Type: Reconciling, Status: "True", Reason: "HooksRunning"}},
			end:     outcome.Refuse{Reason: "AdmissionRefused", Message: "spec.hostname"},
			want:    map[string]string{Ready: "False AdmissionRefused", Stalled: "True AdmissionRefused"},
			verdict: status.FailedStatus,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := done
			s.Outcome = c.end
			pass := Pass{Generation: 3, Now: later}
			list := Summarise(c.list, pass, s)
			got := map[string]string{}
			for _, c := range list {
				got[c.Type] = string(c.Status) + " " + c.Reason
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if v := verdict(t, list, ObservedGeneration(3, pass, c.end)); v != c.verdict {
				t.Errorf("kstatus says %s, want %s", v, c.verdict)
			}
		})
	}
}

// verdict asks kstatus, as Flux and others do, about a resource with these conditions.
func verdict(t *testing.T, list []metav1.Condition, observed int64) status.Status {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&struct {
		Conditions []metav1.Condition `json:"conditions"`
	}{list})
	if err != nil {
		t.Fatal(err)
	}
	content["observedGeneration"] = observed
	result, err := status.Compute(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore",
		"metadata": map[string]any{"name": "gitlab", "namespace": "default", "generation": int64(3)},
		"status":   content,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return result.Status
}

func TestAnAbnormalConditionThatStaysKeepsItsTransitionTime(t *testing.T) {
	s := Summary{Outcome: outcome.Wait{Reason: "HooksRunning"}}
	first := Summarise(nil, Pass{Generation: 1, Now: earlier}, s)
	second := Summarise(first, Pass{Generation: 1, Now: later}, s)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("an unchanged pass changed the conditions:\n%s", diff)
	}
}

func TestTheObservedGeneration(t *testing.T) {
	pass := Pass{Generation: 7}
	for name, c := range map[string]struct {
		of   outcome.Outcome
		want int64
	}{
		"moves when the pass is done":    {outcome.Continue{}, 7},
		"moves when the pass waits":      {outcome.Wait{}, 7},
		"moves when the pass refuses":    {outcome.Refuse{}, 7},
		"stays where it was on a failed": {outcome.Fail{}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ObservedGeneration(6, pass, c.of); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestAMessage(t *testing.T) {
	long := strings.Repeat("ä", MaxMessage+500)
	for name, c := range map[string]struct {
		got  string
		want func(string) bool
	}{
		"that fits stays as it is":              {Bound("fits"), func(s string) bool { return s == "fits" }},
		"of exactly the limit stays as it is":   {Bound(long[:2*MaxMessage]), func(s string) bool { return s == long[:2*MaxMessage] }},
		"that is too long says how much is cut": {Bound(long), func(s string) bool { return strings.HasSuffix(s, "ä ... (540 more characters)") }},
		"in broken UTF-8 is mended":             {Bound("a\xffb"), func(s string) bool { return s == "a?b" }},
		"of few findings names them all":        {Join([]string{"a", "b"}), func(s string) bool { return s == "a; b" }},
		"of no findings is empty":               {Join(nil), func(s string) bool { return s == "" }},
		"of many findings counts the rest": {
			Join(strings.Split(strings.Repeat("finding|", 199)+"finding", "|")),
			func(s string) bool { return strings.HasSuffix(s, "finding ... and 89 more") },
		},
		"whose first finding is too long still counts the rest": {
			Join([]string{long, long}), func(s string) bool { return strings.HasSuffix(s, "ä... ... and 1 more") },
		},
		"of one finding that is too long is cut": {Join([]string{long}), func(s string) bool { return strings.HasSuffix(s, "more characters)") }},
	} {
		t.Run(name, func(t *testing.T) {
			if n := utf8.RuneCountInString(c.got); n > MaxMessage {
				t.Errorf("%d characters, at most %d allowed", n, MaxMessage)
			}
			if !c.want(c.got) {
				t.Errorf("got a text of %d characters that ends in %q", utf8.RuneCountInString(c.got), c.got[max(0, len(c.got)-60):])
			}
		})
	}
}
