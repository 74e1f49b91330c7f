// Package condition turns the outcomes of a pass into the list of conditions a resource shows.
//
// Floor 1, pure: the clock is a parameter. The one idea is that a reconciler never edits conditions step by step; it
// collects outcomes and computes the whole list once, from the prior list and what this pass judged. Types and reasons
// are named by the API groups, which this package does not know.
package condition

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/internal/outcome"
)

// Types that summarise a resource for tools that know nothing of it. Ready is always there; Reconciling and Stalled
// follow kstatus: they are present only while abnormal, and then True.
const (
	// Ready says whether the resource is what its spec asks for. It is what kubectl wait is told to look at.
	Ready = "Ready"
	// Reconciling says that the controller is still on its way and needs nobody's help yet.
	Reconciling = "Reconciling"
	// Stalled says that nothing moves until a person changes something.
	Stalled = "Stalled"
)

// Pass is what is common to every condition written in one pass.
type Pass struct {
	// Generation is the metadata.generation the pass judged.
	Generation int64
	// Now is the time of a transition that this pass causes.
	Now time.Time
}

// Rule says how the outcomes of one step read as one condition.
type Rule struct {
	// Type is the type of the condition.
	Type string
	// Done and DoneMessage are the reason and the message of Continue.
	Done        outcome.Reason
	DoneMessage string
	// Waiting is the status of a Wait: Unknown unless the documents of the kind say False.
	Waiting metav1.ConditionStatus
	// Failing is the status of a Fail: False unless the documents of the kind say Unknown.
	Failing metav1.ConditionStatus
}

// From computes the condition of one outcome: Continue is True, Wait is Unknown, Refuse and Fail are False, but for the
// two statuses the rule may change. Generation and transition time are set by Merge.
func (r Rule) From(o outcome.Outcome) metav1.Condition {
	c := metav1.Condition{Type: r.Type, Status: metav1.ConditionUnknown}
	switch o := o.(type) {
	case outcome.Continue:
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, string(r.Done), r.DoneMessage
	case outcome.Wait:
		c.Status, c.Reason, c.Message = cmp.Or(r.Waiting, metav1.ConditionUnknown), string(o.Reason), o.Message
	case outcome.Refuse:
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, string(o.Reason), o.Message
	case outcome.Fail:
		c.Status, c.Reason = cmp.Or(r.Failing, metav1.ConditionFalse), string(o.Reason)
		if o.Err != nil {
			c.Message = o.Err.Error()
		}
	}
	return c
}

// Merge returns the prior list with the given conditions set and every other one kept as it was. Each condition set
// carries the generation of the pass and a message cut to MaxMessage; its transition time moves only with its status.
// The result is sorted by type and shares nothing with prior.
func Merge(prior []metav1.Condition, pass Pass, set ...metav1.Condition) []metav1.Condition {
	out := slices.Clone(prior)
	for _, c := range set {
		c.ObservedGeneration = pass.Generation
		c.Message = Bound(c.Message)
		c.LastTransitionTime = metav1.NewTime(pass.Now.Truncate(time.Second))
		at := slices.IndexFunc(out, func(o metav1.Condition) bool { return o.Type == c.Type })
		if at < 0 {
			out = append(out, c)
			continue
		}
		if old := out[at]; old.Status == c.Status && !old.LastTransitionTime.IsZero() {
			c.LastTransitionTime = old.LastTransitionTime
		}
		out[at] = c
	}
	slices.SortStableFunc(out, func(a, b metav1.Condition) int { return cmp.Compare(a.Type, b.Type) })
	return out
}

// Without returns the list less the conditions of the given types.
func Without(list []metav1.Condition, types ...string) []metav1.Condition {
	return slices.DeleteFunc(slices.Clone(list), func(c metav1.Condition) bool { return slices.Contains(types, c.Type) })
}

// Summary is the end of a pass.
type Summary struct {
	// Outcome is the outcome the pass ended with.
	Outcome outcome.Outcome
	// Done and DoneMessage are Ready's reason and message when the pass ended with Continue.
	Done        outcome.Reason
	DoneMessage string
	// Of lists the types Ready sums up. A pass that waits leaves Ready Unknown unless one of these is False.
	Of []string
}

// Summarise returns the list with Ready set and with Reconciling and Stalled present only while True: a pass that waits
// or will be retried is Reconciling, a refused one is Stalled. So kstatus reads Current, InProgress and Failed.
func Summarise(list []metav1.Condition, pass Pass, s Summary) []metav1.Condition {
	ready := Rule{Type: Ready, Done: s.Done, DoneMessage: s.DoneMessage, Waiting: s.waiting(list)}.From(s.Outcome)
	list = Without(list, unraised(s.Outcome, Reconciling, Stalled)...)
	set := []metav1.Condition{ready}
	if abnormal := abnormalType(s.Outcome); abnormal != "" {
		set = append(set, metav1.Condition{
			Type: abnormal, Status: metav1.ConditionTrue, Reason: ready.Reason, Message: ready.Message,
		})
	}
	return Merge(list, pass, set...)
}

// waiting is Ready's status while the pass waits: a summary is not less sure than what it sums up.
func (s Summary) waiting(list []metav1.Condition) metav1.ConditionStatus {
	for _, c := range list {
		if c.Status == metav1.ConditionFalse && slices.Contains(s.Of, c.Type) {
			return metav1.ConditionFalse
		}
	}
	return metav1.ConditionUnknown
}

// abnormalType names the abnormal-true condition an outcome raises, and "" for none.
func abnormalType(o outcome.Outcome) string {
	switch o.(type) {
	case outcome.Wait, outcome.Fail:
		return Reconciling
	case outcome.Refuse:
		return Stalled
	case outcome.Continue:
	}
	return ""
}

// unraised returns those of the given types that the outcome does not raise, so that one still raised keeps its transition time.
func unraised(o outcome.Outcome, all ...string) []string {
	return slices.DeleteFunc(all, func(t string) bool { return t == abnormalType(o) })
}

// ObservedGeneration returns the status.observedGeneration after a pass: a pass that was judged (Continue, Wait, Refuse)
// moves it to the generation it judged, a failed one leaves it, so that nobody takes an unfinished look for an answer.
func ObservedGeneration(prior int64, pass Pass, o outcome.Outcome) int64 {
	if _, failed := o.(outcome.Fail); failed {
		return prior
	}
	return pass.Generation
}
