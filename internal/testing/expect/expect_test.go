package expect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

func with(kind string, s metav1.ConditionStatus, reason string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: s, Reason: reason, ObservedGeneration: 2, LastTransitionTime: metav1.Unix(1772359200, 0)}
}

// resource is one of our kinds at generation 2, judged at the observed generation.
func resource(t *testing.T, observed int64, conditions ...metav1.Condition) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&struct {
		ObservedGeneration int64              `json:"observedGeneration,omitempty"`
		Conditions         []metav1.Condition `json:"conditions"`
	}{observed, conditions})
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore",
		"metadata": map[string]any{"name": "gitlab", "namespace": "ns", "generation": int64(2)},
		"status":   content,
	}}
}

func TestASoundStatusBreaksNoLaw(t *testing.T) {
	for name, obj := range map[string]*unstructured.Unstructured{
		"when ready": resource(t, 2, with("Available", "True", "WorkloadsReady"), with("Ready", "True", "WorkloadsReady")),
		"when preparing": resource(t, 2, with("Initialized", "False", "HooksRunning"),
			with("Ready", "False", "HooksRunning"), with("Reconciling", "True", "HooksRunning")),
		"when refused": resource(t, 2, with("Ready", "False", "AdmissionRefused"), with("Stalled", "True", "AdmissionRefused")),
		"when a pass failed before it was judged": resource(t, 1, with("Ready", "False", "ApplyFailed"), with("Reconciling", "True", "ApplyFailed")),
	} {
		t.Run(name, func(t *testing.T) {
			if broken := StatusLaws(obj); broken != nil {
				t.Error(strings.Join(broken, "\n"))
			}
		})
	}
}

func TestABrokenStatusBreaksTheLaw(t *testing.T) {
	ready := with("Ready", "True", "WorkloadsReady")
	change := func(c metav1.Condition, how func(*metav1.Condition)) metav1.Condition {
		how(&c)
		return c
	}
	for name, c := range map[string]struct {
		obj  *unstructured.Unstructured
		want []string
	}{
		"of readiness when Ready is missing": {
			resource(t, 2, with("Available", "True", "WorkloadsReady")), []string{"law 1", "law 9"},
		},
		"of order when a type comes twice": {resource(t, 2, ready, ready), []string{"law 2"}},
		"of order when types are not sorted": {
			resource(t, 2, ready, with("Available", "True", "WorkloadsReady")), []string{"law 2"},
		},
		"of reasons when one is empty": {resource(t, 2, change(ready, func(c *metav1.Condition) { c.Reason = "" })), []string{"law 3"}},
		"of reasons when one is a sentence": {
			resource(t, 2, change(ready, func(c *metav1.Condition) { c.Reason = "it works" })), []string{"law 3"},
		},
		"of reasons when there is no transition time": {
			resource(t, 2, change(ready, func(c *metav1.Condition) { c.LastTransitionTime = metav1.Time{} })), []string{"law 3"},
		},
		"of generations when a condition has none": {
			resource(t, 2, change(with("Available", "True", "WorkloadsReady"), func(c *metav1.Condition) { c.ObservedGeneration = 0 }), ready), []string{"law 4"},
		},
		"of generations when the status is ahead": {
			resource(t, 3, change(ready, func(c *metav1.Condition) { c.ObservedGeneration = 3 })), []string{"law 4", "law 4"},
		},
		"of currency when Ready is older than the status": {
			resource(t, 2, change(ready, func(c *metav1.Condition) { c.ObservedGeneration = 1 })), []string{"law 5"},
		},
		"of honesty when a failure is True": {
			resource(t, 2, with("Available", "True", "ApplyFailed"), ready), []string{"law 6"},
		},
		"of messages when one is too long": {
			resource(t, 2, change(ready, func(c *metav1.Condition) { c.Message = strings.Repeat("a", 1025) })), []string{"law 7"},
		},
		"of messages when one shows a program's insides": {
			resource(t, 2, change(ready, func(c *metav1.Condition) { c.Message = "value is %!s(nil)" })), []string{"law 7"},
		},
		"of abnormality when one is there and False": {
			resource(t, 2, ready, with("Reconciling", "False", "HooksRunning")), []string{"law 8"},
		},
		"of abnormality when Ready is True beside it": {
			resource(t, 2, ready, with("Stalled", "True", "AdmissionRefused")), []string{"law 8"},
		},
		"of abnormality when both are there": {
			resource(t, 2, with("Ready", "False", "X"), with("Reconciling", "True", "X"), with("Stalled", "True", "X")), []string{"law 8", "law 9"},
		},
		"of kstatus when nothing says that it failed": {
			resource(t, 2, with("Initialized", "False", "HooksFailed"), with("Ready", "True", "X"), with("Reconciling", "True", "X")), []string{"law 8", "law 9"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, sentence := range StatusLaws(c.obj) {
				number, _, _ := strings.Cut(sentence, " (")
				got = append(got, number)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTheMatchers(t *testing.T) {
	sound := resource(t, 2, with("Ready", "True", "WorkloadsReady"))
	broken := resource(t, 2)
	for name, c := range map[string]struct {
		match func() (bool, error)
		want  bool
	}{
		"accept a sound status":        {func() (bool, error) { return ObeyStatusLaws().Match(sound) }, true},
		"refuse a broken status":       {func() (bool, error) { return ObeyStatusLaws().Match(broken) }, false},
		"accept the condition":         {func() (bool, error) { return HaveCondition("Ready", "True", "WorkloadsReady").Match(sound) }, true},
		"accept any reason":            {func() (bool, error) { return HaveCondition("Ready", "True", "").Match(sound) }, true},
		"refuse another reason":        {func() (bool, error) { return HaveCondition("Ready", "True", "X").Match(sound) }, false},
		"refuse a missing condition":   {func() (bool, error) { return HaveCondition("Stalled", "True", "").Match(sound) }, false},
		"read a ready one as current":  {func() (bool, error) { return ReadAs(status.CurrentStatus).Match(sound) }, true},
		"read a ready one as no other": {func() (bool, error) { return ReadAs(status.FailedStatus).Match(sound) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.match()
			if err != nil || got != c.want {
				t.Errorf("got %v (%v), want %v", got, err, c.want)
			}
		})
	}
}

func TestABrokenStatusIsExplainedByTheMatcher(t *testing.T) {
	m := ObeyStatusLaws()
	broken := resource(t, 2)
	if ok, err := m.Match(broken); ok || err != nil {
		t.Fatalf("got %v (%v)", ok, err)
	}
	if text := m.FailureMessage(broken); !strings.Contains(text, "law 1 (there is a condition Ready): it is missing") {
		t.Error(text)
	}
}
