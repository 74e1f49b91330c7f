package readiness

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// workload builds a live workload at generation 2; a nil spec or status field is left out.
func workload(kind string, spec, status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": kind,
		"metadata": map[string]any{"name": "gitlab-webservice", "generation": int64(2)},
		"spec":     spec, "status": status,
	}}
}

func rolledOut(change map[string]any) map[string]any {
	s := map[string]any{
		"observedGeneration": int64(2), "replicas": int64(2), "updatedReplicas": int64(2), "availableReplicas": int64(2),
	}
	maps.Copy(s, change)
	return s
}

func TestAWorkload(t *testing.T) {
	two := map[string]any{"replicas": int64(2)}
	for name, c := range map[string]struct {
		live *unstructured.Unstructured
		want string
	}{
		"that is rolled out is ready":                    {workload("Deployment", two, rolledOut(nil)), ""},
		"of stateful pods that is rolled out is ready":   {workload("StatefulSet", two, rolledOut(nil)), ""},
		"of a kind without a rollout is ready":           {workload("DaemonSet", two, nil), ""},
		"without a number of replicas wants one":         {workload("Deployment", map[string]any{}, rolledOut(map[string]any{"availableReplicas": int64(0)})), "Deployment gitlab-webservice has 0 of 1 pods available"},
		"scaled to nothing is ready":                     {workload("Deployment", map[string]any{"replicas": int64(0)}, map[string]any{"observedGeneration": int64(2)}), ""},
		"scaled to nothing with a pod left is not":       {workload("Deployment", map[string]any{"replicas": int64(0)}, map[string]any{"observedGeneration": int64(2), "replicas": int64(1)}), "Deployment gitlab-webservice has 1 old pods left to end"},
		"whose controller lags behind is not ready":      {workload("Deployment", two, rolledOut(map[string]any{"observedGeneration": int64(1)})), "Deployment gitlab-webservice has a new specification that its controller has not seen yet"},
		"without any status is not ready":                {workload("StatefulSet", two, nil), "StatefulSet gitlab-webservice has a new specification that its controller has not seen yet"},
		"with pods of the old template is not ready":     {workload("StatefulSet", two, rolledOut(map[string]any{"updatedReplicas": int64(1)})), "StatefulSet gitlab-webservice has 1 of 2 pods updated"},
		"with more pods than updated ones is not ready":  {workload("Deployment", two, rolledOut(map[string]any{"replicas": int64(3)})), "Deployment gitlab-webservice has 1 old pods left to end"},
		"with an unavailable pod is not ready":           {workload("Deployment", two, rolledOut(map[string]any{"availableReplicas": int64(1)})), "Deployment gitlab-webservice has 1 of 2 pods available"},
		"named Deployment of another group is not ours":  {withAPI(workload("Deployment", two, nil), "example.com/v1"), ""},
		"of another version of the group is judged, too": {withAPI(workload("Deployment", two, nil), "apps/v2"), "Deployment gitlab-webservice has a new specification that its controller has not seen yet"},
	} {
		t.Run(name, func(t *testing.T) {
			ready, message := Judge(c.live)
			if message != c.want || ready != (c.want == "") {
				t.Errorf("got %v %q, want %q", ready, message, c.want)
			}
		})
	}
}

func withAPI(u *unstructured.Unstructured, apiVersion string) *unstructured.Unstructured {
	u.SetAPIVersion(apiVersion)
	return u
}

func TestAMissingWorkloadIsNamed(t *testing.T) {
	got := Missing(object.Ref{GVK: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, Namespace: "ns", Name: "gitlab-kas"})
	if got != "Deployment gitlab-kas does not exist" {
		t.Error(got)
	}
}

func TestAJob(t *testing.T) {
	condition := func(kind, status string) []any {
		return []any{
			map[string]any{"type": "SuccessCriteriaMet", "status": "True"},
			map[string]any{"type": kind, "status": status, "reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit"},
		}
	}
	for name, c := range map[string]struct {
		spec, status map[string]any
		want         State
		message      string
	}{
		"without a status runs":                          {nil, nil, Running, "Job setup is running"},
		"with failed pods that are retried runs":         {nil, map[string]any{"failed": int64(3)}, Running, "Job setup is running"},
		"about to fail still runs":                       {nil, map[string]any{"conditions": condition("FailureTarget", "True")}, Running, "Job setup is running"},
		"that was suspended says so":                     {map[string]any{"suspend": true}, nil, Running, "Job setup is suspended"},
		"that completed is complete":                     {nil, map[string]any{"conditions": condition("Complete", "True")}, Complete, ""},
		"that failed says why":                           {nil, map[string]any{"conditions": condition("Failed", "True")}, Failed, "Job setup failed: BackoffLimitExceeded (Job has reached the specified backoff limit)"},
		"whose condition Failed is False has not failed": {nil, map[string]any{"conditions": condition("Failed", "False")}, Running, "Job setup is running"},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "setup"}, "spec": c.spec, "status": c.status,
			}}
			if got, message := JudgeJob(u); got != c.want || message != c.message {
				t.Errorf("got %v %q, want %v %q", got, message, c.want, c.message)
			}
		})
	}
}

func TestAPodThatRunsToItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		status  map[string]any
		want    State
		message string
	}{
		"without a status runs":       {nil, Running, "Pod setup is running"},
		"that is running runs":        {map[string]any{"phase": "Running"}, Running, "Pod setup is running"},
		"that succeeded is complete":  {map[string]any{"phase": "Succeeded"}, Complete, ""},
		"that was evicted has failed": {map[string]any{"phase": "Failed", "reason": "Evicted"}, Failed, "Pod setup failed: Evicted"},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"kind": "Pod", "metadata": map[string]any{"name": "setup"}, "status": c.status}}
			if got, message := JudgePod(u); got != c.want || message != c.message {
				t.Errorf("got %v %q, want %v %q", got, message, c.want, c.message)
			}
		})
	}
}

func waiting(container, reason, message string) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: container, State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message},
	}}
}

func ended(container string, code int32) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: container, State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error", Message: "the log said hunter2"},
	}}
}

func pod(name string, init, main []corev1.ContainerStatus) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     corev1.PodStatus{InitContainerStatuses: init, ContainerStatuses: main},
	}
}

func TestTheCause(t *testing.T) {
	type list = []corev1.ContainerStatus
	looping := waiting("rails", "CrashLoopBackOff", "back-off 5m0s")
	looping.LastTerminationState = ended("rails", 137).State
	unscheduled := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/1 nodes are available:\n 1 Insufficient cpu."},
	}}}
	leaving := pod("a", nil, list{waiting("webservice", "ImagePullBackOff", "")})
	leaving.DeletionTimestamp = &metav1.Time{}
	for name, c := range map[string]struct {
		pods []corev1.Pod
		want string
	}{
		"is empty without pods":                       {nil, ""},
		"is empty when containers are being created":  {[]corev1.Pod{pod("a", list{waiting("i", "ContainerCreating", "")}, list{waiting("c", "PodInitializing", "")})}, ""},
		"is empty when an init container ended well":  {[]corev1.Pod{pod("a", list{ended("i", 0)}, nil)}, ""},
		"names the container and the kubelet's words": {[]corev1.Pod{pod("a", nil, list{waiting("webservice", "ImagePullBackOff", "Back-off pulling\nimage \"x\"")})}, `container webservice of pod a is waiting: ImagePullBackOff (Back-off pulling image "x")`},
		"names an init container before the others":   {[]corev1.Pod{pod("a", list{waiting("dependencies", "ErrImagePull", "")}, list{waiting("webservice", "ImagePullBackOff", "")})}, "container dependencies of pod a is waiting: ErrImagePull"},
		"names the first pod that is stuck":           {[]corev1.Pod{pod("c", nil, list{waiting("x", "ErrImagePull", "")}), pod("b", nil, list{waiting("x", "ErrImagePull", "")}), pod("a", nil, nil)}, "container x of pod b is waiting: ErrImagePull"},
		"tells how a looping container ended":         {[]corev1.Pod{pod("a", nil, list{looping})}, "container rails of pod a is waiting: CrashLoopBackOff (back-off 5m0s), last exit code 137: Error"},
		"never quotes a container's last words":       {[]corev1.Pod{pod("a", nil, list{ended("setup", 1)})}, "container setup of pod a ended with exit code 1: Error"},
		"is why a pod is not scheduled":               {[]corev1.Pod{unscheduled}, "pod a is not scheduled: Unschedulable (0/1 nodes are available: 1 Insufficient cpu.)"},
		"ignores a pod that is being deleted":         {[]corev1.Pod{leaving}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Cause(c.pods)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestACauseIsAddedToAMessageWhenThereIsOne(t *testing.T) {
	if got := Explain("a", ""); got != "a" {
		t.Error(got)
	}
	if got := Explain("a", "b"); got != "a: b" {
		t.Error(got)
	}
}
