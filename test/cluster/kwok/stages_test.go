// Package kwok_test holds the stages of the test cluster to what they promise, with kwok's own
// engine and without a cluster: each pod is taken through its life, one patch after the other.
package kwok_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/config"
	"sigs.k8s.io/kwok/pkg/utils/gotpl"
	"sigs.k8s.io/kwok/pkg/utils/lifecycle"
)

const stagesFile = "stages.yaml"

// longest is more stages than any life here has; a life that reaches it goes round in circles.
const longest = 12

func TestLivesOfPods(t *testing.T) {
	crash := slices.Repeat([]string{"pod-crash"}, 6)
	cases := map[string]struct {
		simulate string
		restart  corev1.RestartPolicy
		deleted  bool
		want     []string
		phase    corev1.PodPhase
		ready    bool
	}{
		"a pod of a Deployment becomes ready and stays so":   {"", corev1.RestartPolicyAlways, false, []string{"pod-ready"}, corev1.PodRunning, true},
		"a pod of a Job becomes ready and completes":         {"", corev1.RestartPolicyNever, false, []string{"pod-ready", "pod-complete"}, corev1.PodSucceeded, false},
		"a slow pod of a Job goes the same way":              {"slow", corev1.RestartPolicyOnFailure, false, []string{"pod-ready", "pod-complete"}, corev1.PodSucceeded, false},
		"a hanging pod stays pending":                        {"hang", corev1.RestartPolicyAlways, false, []string{"pod-hang"}, corev1.PodPending, false},
		"a pod without its image stays pending":              {"image", corev1.RestartPolicyNever, false, []string{"pod-hang"}, corev1.PodPending, false},
		"an unready pod runs and is never ready":             {"unready", corev1.RestartPolicyAlways, false, []string{"pod-ready"}, corev1.PodRunning, false},
		"a failing pod that is not restarted has failed":     {"fail", corev1.RestartPolicyNever, false, []string{"pod-fail"}, corev1.PodFailed, false},
		"a failing pod that is restarted is so six times":    {"fail", corev1.RestartPolicyAlways, false, crash, corev1.PodRunning, false},
		"a failing pod of a restarting Job is so six times":  {"fail", corev1.RestartPolicyOnFailure, false, crash, corev1.PodRunning, false},
		"a deleted pod goes away":                            {"", corev1.RestartPolicyAlways, true, []string{"pod-delete"}, corev1.PodPending, false},
		"a deleted pod that hangs goes away":                 {"hang", corev1.RestartPolicyAlways, true, []string{"pod-delete"}, corev1.PodPending, false},
		"a word that simulate does not know changes nothing": {"sing", corev1.RestartPolicyAlways, false, []string{"pod-ready"}, corev1.PodRunning, true},
	}
	engine := podStages(t)
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			end, visited := live(t, engine, pod(c.simulate, c.restart, c.deleted))
			if !slices.Equal(visited, c.want) {
				t.Errorf("stages: want %v, got %v", c.want, visited)
			}
			if end.Status.Phase != c.phase || isReady(end) != c.ready {
				t.Errorf("want phase %s, ready %v; got phase %s, ready %v", c.phase, c.ready, end.Status.Phase, isReady(end))
			}
		})
	}
}

func TestARunningPodCanBeBrokenAndMended(t *testing.T) {
	engine := podStages(t)
	p, _ := live(t, engine, pod("", corev1.RestartPolicyAlways, false))
	p.Annotations = map[string]string{"portcullis.dev/simulate": "fail"}
	p, _ = live(t, engine, p)
	if isReady(p) || p.Status.ContainerStatuses[0].State.Waiting == nil {
		t.Fatalf("the pod is not broken: %+v", p.Status)
	}
	p.Annotations = nil
	if p, _ = live(t, engine, p); !isReady(p) {
		t.Errorf("the pod is not mended: %+v", p.Status)
	}
}

func TestDelays(t *testing.T) {
	cases := map[string]struct {
		annotations map[string]string
		want        time.Duration
	}{
		"a pod is ready at once":               {nil, 0},
		"a slow one after twenty seconds":      {map[string]string{"portcullis.dev/simulate": "slow"}, 20 * time.Second},
		"or after what it asks for":            {map[string]string{"portcullis.dev/simulate": "slow", "portcullis.dev/simulate-delay": "3s"}, 3 * time.Second},
		"a failing one fails after one second": {map[string]string{"portcullis.dev/simulate": "fail"}, time.Second},
	}
	engine := podStages(t)
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			p := pod("", corev1.RestartPolicyAlways, false)
			p.Annotations = c.annotations
			event := &lifecycle.Event{Annotations: p.Annotations, Data: p}
			stage, err := engine.Match(t.Context(), event)
			if err != nil || stage == nil {
				t.Fatalf("no stage: %v", err)
			}
			got, _, err := stage.Delay(t.Context(), event, time.Now())
			if err != nil || got != c.want {
				t.Errorf("want %s, got %s, %v", c.want, got, err)
			}
		})
	}
}

func podStages(t *testing.T) lifecycle.Lifecycle {
	t.Helper()
	objects, err := config.Load(t.Context(), stagesFile)
	if err != nil {
		t.Fatal(err)
	}
	var ofPods []*internalversion.Stage
	for _, s := range config.FilterWithType[*internalversion.Stage](objects) {
		if s.Spec.ResourceRef.Kind == "Pod" {
			ofPods = append(ofPods, s)
		}
	}
	engine, err := lifecycle.NewLifecycle(ofPods)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// live takes the pod from stage to stage until none matches, and fails when two match at once.
func live(t *testing.T, engine lifecycle.Lifecycle, p *corev1.Pod) (*corev1.Pod, []string) {
	t.Helper()
	var visited []string
	for range longest {
		stages, err := engine.ListAllPossible(t.Context(), &lifecycle.Event{Annotations: p.Annotations, Data: p})
		if err != nil {
			t.Fatal(err)
		}
		if len(stages) == 0 {
			return p, visited
		}
		if len(stages) > 1 {
			t.Fatalf("after %v both %s and %s match", visited, stages[0].Name(), stages[1].Name())
		}
		visited = append(visited, stages[0].Name())
		next, gone := play(t, stages[0], p)
		if gone {
			return p, visited
		}
		p = next
	}
	t.Fatalf("goes round in circles: %v", visited)
	return nil, nil
}

func play(t *testing.T, stage *lifecycle.Stage, p *corev1.Pod) (next *corev1.Pod, gone bool) {
	t.Helper()
	text := func(...any) string { return "10.0.0.1" }
	renderer := gotpl.NewRenderer(gotpl.FuncMap{"NodeIPWith": text, "PodIPWith": text})
	_, err := stage.DoSteps(0, nil, p, renderer,
		func(*internalversion.StageEvent) error { return nil },
		func() error { gone = true; return nil },
		func(patch *lifecycle.Patch) error {
			if patch.Type != types.StrategicMergePatchType || patch.Subresource != "status" {
				return errors.New("not a strategic patch of the status")
			}
			before, err := json.Marshal(p)
			if err != nil {
				return err
			}
			after, err := strategicpatch.StrategicMergePatch(before, patch.Data, corev1.Pod{})
			if err != nil {
				return err
			}
			next = &corev1.Pod{}
			return json.Unmarshal(after, next)
		},
		func(*lifecycle.Apply) error { return errors.New("pods apply nothing") },
	)
	if err != nil {
		t.Fatalf("stage %s: %v", stage.Name(), err)
	}
	return next, gone
}

func pod(simulate string, restart corev1.RestartPolicy, deleted bool) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n", UID: "u"},
		Spec: corev1.PodSpec{
			NodeName: "node-1", RestartPolicy: restart,
			InitContainers: []corev1.Container{{Name: "before", Image: "i"}},
			Containers:     []corev1.Container{{Name: "main", Image: "i"}, {Name: "beside", Image: "i"}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	if simulate != "" {
		p.Annotations = map[string]string{"portcullis.dev/simulate": simulate}
	}
	if deleted {
		now := metav1.Now()
		p.DeletionTimestamp = &now
	}
	return p
}

func isReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
