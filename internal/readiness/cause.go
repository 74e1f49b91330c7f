package readiness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Cause names what holds up the first of the pods that is stuck, by name: its first stuck container, init containers
// first, else why it is not scheduled. It is empty when nothing is stuck. Pods that ended well or are being deleted
// are no cause. What a container wrote as its last words is never quoted, since it may come from its log.
func Cause(pods []corev1.Pod) string {
	sorted := slices.Clone(pods)
	slices.SortFunc(sorted, func(a, b corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	for i := range sorted {
		if cause := causeOf(&sorted[i]); cause != "" {
			return cause
		}
	}
	return ""
}

func causeOf(pod *corev1.Pod) string {
	if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded {
		return ""
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if stuck := stuckState(s); stuck != "" {
			return fmt.Sprintf("container %s of pod %s %s", s.Name, pod.Name, stuck)
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return fmt.Sprintf("pod %s is not scheduled%s", pod.Name, reasonAndMessage(c.Reason, oneLine(c.Message)))
		}
	}
	return ""
}

// stuckState says why a container is stuck. One that is being created, or waits for the init containers, is not.
func stuckState(s corev1.ContainerStatus) string {
	if w := s.State.Waiting; w != nil {
		if w.Reason == "" || w.Reason == "ContainerCreating" || w.Reason == "PodInitializing" {
			return ""
		}
		return "is waiting" + reasonAndMessage(w.Reason, oneLine(w.Message)) + lastExit(s)
	}
	if t := s.State.Terminated; t != nil && t.ExitCode != 0 {
		return fmt.Sprintf("ended with exit code %d%s", t.ExitCode, reasonAndMessage(t.Reason, nil))
	}
	return ""
}

// lastExit adds how a container that is restarted again and again ended the last time.
func lastExit(s corev1.ContainerStatus) string {
	t := s.LastTerminationState.Terminated
	if t == nil || t.ExitCode == 0 {
		return ""
	}
	return fmt.Sprintf(", last exit code %d%s", t.ExitCode, reasonAndMessage(t.Reason, nil))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
