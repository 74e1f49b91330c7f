package readiness

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// State is how far something that runs to its end has come.
type State int

const (
	// Running is neither complete nor failed; it may still be waiting for a node or an image.
	Running State = iota
	// Complete has ended well.
	Complete
	// Failed has ended badly and will not be tried again by itself.
	Failed
)

// JudgeJob says how far a live Job is. Only the conditions Complete and Failed end it: failed pods may still be retried.
// The message of a failed Job is its controller's own.
func JudgeJob(u *unstructured.Unstructured) (State, string) {
	conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	if err != nil {
		return Running, "Job " + u.GetName() + " has a status that cannot be read"
	}
	for _, entry := range conditions {
		c, ok := entry.(map[string]any)
		if !ok || c["status"] != "True" {
			continue
		}
		switch c["type"] {
		case "Complete":
			return Complete, ""
		case "Failed":
			return Failed, fmt.Sprintf("Job %s failed%s", u.GetName(), reasonAndMessage(c["reason"], c["message"]))
		}
	}
	if suspended, _, err := unstructured.NestedBool(u.Object, "spec", "suspend"); err == nil && suspended {
		return Running, "Job " + u.GetName() + " is suspended"
	}
	return Running, "Job " + u.GetName() + " is running"
}

// JudgePod says how far a Pod that runs to its end is, by its phase.
func JudgePod(u *unstructured.Unstructured) (State, string) {
	phase, _, err := unstructured.NestedString(u.Object, "status", "phase")
	switch {
	case err == nil && phase == "Succeeded":
		return Complete, ""
	case err == nil && phase == "Failed":
		reason, _, _ := unstructured.NestedString(u.Object, "status", "reason")
		return Failed, fmt.Sprintf("Pod %s failed%s", u.GetName(), reasonAndMessage(reason, nil))
	}
	return Running, "Pod " + u.GetName() + " is running"
}

// reasonAndMessage writes ": Reason (message)", leaving out what is not there.
func reasonAndMessage(reason, message any) string {
	text := ""
	if r, ok := reason.(string); ok && r != "" {
		text = ": " + r
	}
	if m, ok := message.(string); ok && m != "" {
		text += " (" + m + ")"
	}
	return text
}
