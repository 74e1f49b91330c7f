// Package expect holds what suites expect of our resources, whatever they test: the laws of a status, and a few matchers.
//
// Test only. The one idea is that every step of every suite ends with StatusLaws, so a status that lies is found where it
// happens and not by the person who believes it.
package expect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/condition"
)

// subject is a resource as the laws see it.
type subject struct {
	content    *unstructured.Unstructured
	generation int64
	observed   int64
	conditions []metav1.Condition
}

func (s subject) find(kind string) (metav1.Condition, bool) {
	at := slices.IndexFunc(s.conditions, func(c metav1.Condition) bool { return c.Type == kind })
	if at < 0 {
		return metav1.Condition{}, false
	}
	return s.conditions[at], true
}

func (s subject) is(kind string, want metav1.ConditionStatus) bool {
	c, there := s.find(kind)
	return there && c.Status == want
}

// law is one sentence every status obeys, and the check that finds what breaks it.
type law struct {
	says   string
	breaks func(subject) []string
}

// laws are numbered by their place, from 1.
func laws() []law {
	return []law{
		{"there is a condition Ready", readyIsThere},
		{"conditions are sorted by type, each type once", sortedOnce},
		{"every condition has a reason in CamelCase and the time of its last transition", eachCondition(reasoned)},
		{"no generation is ahead of the resource's own, and none is missing", generations},
		{"a resource that is Ready was judged at its newest observed generation", readyIsCurrent},
		{"nothing is True for a reason that names a failure", eachCondition(trueForAFailure)},
		{"messages are bounded, in valid UTF-8 and without the traces of a program", eachCondition(readable)},
		{"Reconciling and Stalled are there only while True, never both, and never beside a True Ready", abnormal},
		{"kstatus reads Current when Ready, Failed when Stalled and InProgress otherwise", kstatusAgrees},
	}
}

// StatusLaws returns one sentence for each law the status of the resource breaks, with the number of the law; none
// means that the status is sound. The resource is typed or unstructured, as it was read from the API server.
func StatusLaws(obj client.Object) []string {
	s, err := subjectOf(obj)
	if err != nil {
		return []string{err.Error()}
	}
	var broken []string
	for i, l := range laws() {
		for _, how := range l.breaks(s) {
			broken = append(broken, fmt.Sprintf("law %d (%s): %s", i+1, l.says, how))
		}
	}
	return broken
}

func subjectOf(obj client.Object) (subject, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return subject{}, fmt.Errorf("read %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	var shape struct {
		Status struct {
			ObservedGeneration int64              `json:"observedGeneration"`
			Conditions         []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &shape); err != nil {
		return subject{}, fmt.Errorf("read the status of %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	return subject{
		content:    &unstructured.Unstructured{Object: content},
		generation: obj.GetGeneration(),
		observed:   shape.Status.ObservedGeneration,
		conditions: shape.Status.Conditions,
	}, nil
}

func readyIsThere(s subject) []string {
	if _, there := s.find(condition.Ready); !there {
		return []string{"it is missing"}
	}
	return nil
}

func sortedOnce(s subject) []string {
	var types []string
	for _, c := range s.conditions {
		types = append(types, c.Type)
	}
	if want := slices.Compact(slices.Sorted(slices.Values(types))); !slices.Equal(types, want) {
		return []string{"found " + strings.Join(types, ", ")}
	}
	return nil
}

// eachCondition makes the check of a whole status out of one of a single condition.
func eachCondition(breaks func(metav1.Condition) string) func(subject) []string {
	return func(s subject) []string {
		var found []string
		for _, c := range s.conditions {
			if how := breaks(c); how != "" {
				found = append(found, c.Type+" "+how)
			}
		}
		return found
	}
}

func reasoned(c metav1.Condition) string {
	switch camel := regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`); {
	case !camel.MatchString(c.Reason):
		return fmt.Sprintf("has the reason %q", c.Reason)
	case c.LastTransitionTime.IsZero():
		return "has no time of its last transition"
	}
	return ""
}

func generations(s subject) []string {
	var found []string
	if s.observed > s.generation {
		found = append(found, fmt.Sprintf("status.observedGeneration is %d, metadata.generation %d", s.observed, s.generation))
	}
	for _, c := range s.conditions {
		if c.ObservedGeneration < 1 || c.ObservedGeneration > s.generation {
			found = append(found, fmt.Sprintf("%s is of generation %d, the resource of %d", c.Type, c.ObservedGeneration, s.generation))
		}
	}
	return found
}

func readyIsCurrent(s subject) []string {
	ready, there := s.find(condition.Ready)
	if !there {
		return nil
	}
	if ready.Status == metav1.ConditionTrue && ready.ObservedGeneration != s.observed {
		return []string{fmt.Sprintf("Ready is of generation %d, status.observedGeneration is %d", ready.ObservedGeneration, s.observed)}
	}
	if ready.ObservedGeneration < s.observed {
		return []string{fmt.Sprintf("Ready is of generation %d, older than status.observedGeneration %d", ready.ObservedGeneration, s.observed)}
	}
	return nil
}

// trueForAFailure excepts the two types that are True because something is wrong.
func trueForAFailure(c metav1.Condition) string {
	failure := regexp.MustCompile(`(Failed|Failure|Refused|Rejected|Invalid|Unresolved|Unreachable|Unavailable|NotFound|NotReady|Mismatch|TooOld|Error)$|^Missing`)
	if c.Status == metav1.ConditionTrue && c.Type != condition.Stalled && c.Type != condition.Reconciling && failure.MatchString(c.Reason) {
		return "is True with the reason " + c.Reason
	}
	return ""
}

func readable(c metav1.Condition) string {
	switch n := utf8.RuneCountInString(c.Message); {
	case n > condition.MaxMessage:
		return fmt.Sprintf("has a message of %d characters", n)
	case !utf8.ValidString(c.Message):
		return "has a message in broken UTF-8"
	}
	for _, trace := range []string{"%!", "<nil>", "map[", "0xc0", "goroutine "} {
		if strings.Contains(c.Message, trace) {
			return fmt.Sprintf("has a message that holds %q", trace)
		}
	}
	return ""
}

func abnormal(s subject) []string {
	var found []string
	for _, kind := range []string{condition.Reconciling, condition.Stalled} {
		if c, there := s.find(kind); there && c.Status != metav1.ConditionTrue {
			found = append(found, kind+" is "+string(c.Status))
		}
		if s.is(kind, metav1.ConditionTrue) && s.is(condition.Ready, metav1.ConditionTrue) {
			found = append(found, kind+" is True although Ready is")
		}
	}
	if s.is(condition.Reconciling, metav1.ConditionTrue) && s.is(condition.Stalled, metav1.ConditionTrue) {
		found = append(found, "both are True")
	}
	return found
}

func kstatusAgrees(s subject) []string {
	result, err := status.Compute(s.content)
	if err != nil {
		return []string{err.Error()}
	}
	want := status.InProgressStatus
	switch {
	case s.content.GetDeletionTimestamp() != nil:
		want = status.TerminatingStatus
	case s.observed != 0 && s.observed != s.generation:
	case s.is(condition.Stalled, metav1.ConditionTrue):
		want = status.FailedStatus
	case s.is(condition.Ready, metav1.ConditionTrue):
		want = status.CurrentStatus
	}
	if got := cmp.Or(result.Status, status.UnknownStatus); got != want {
		return []string{fmt.Sprintf("it reads %s, want %s", got, want)}
	}
	return nil
}
