package gitlabcore

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

func TestWhichResourcesAnObjectWakes(t *testing.T) {
	const configMap, secret = v2alpha1.ValuesReferenceConfigMap, v2alpha1.ValuesReferenceSecret
	versioned := v2alpha1.GitLabCoreSpec{Version: v2alpha1.VersionSpec{VersionRef: &v2alpha1.VersionReference{Name: "versions"}}}
	valued := v2alpha1.GitLabCoreSpec{Chart: &v2alpha1.Chart{ValuesFrom: []v2alpha1.ValuesReference{
		{Kind: configMap, Name: "open"}, {Kind: secret, Name: "closed"},
	}}}
	cases := map[string]struct {
		spec v2alpha1.GitLabCoreSpec
		kind v2alpha1.ValuesReferenceKind
		name string
		want bool
	}{
		"the ConfigMap a version comes from wakes it":     {versioned, configMap, "versions", true},
		"a Secret of the same name does not":              {versioned, secret, "versions", false},
		"a ConfigMap that values come from wakes it":      {valued, configMap, "open", true},
		"a Secret that values come from wakes it":         {valued, secret, "closed", true},
		"a ConfigMap named like the Secret does not":      {valued, configMap, "closed", false},
		"an object nobody names wakes nobody":             {valued, configMap, "other", false},
		"a resource without references wakes for nothing": {v2alpha1.GitLabCoreSpec{}, configMap, "open", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: tc.name}}
			if got := refersTo(&tc.spec, tc.kind, o); got != tc.want {
				t.Errorf("wakes: %v, want %v", got, tc.want)
			}
		})
	}
}

func TestWhichChangesOfAGitLabSecretsWakeItsOwner(t *testing.T) {
	fresh, judgedOne := &v2alpha1.GitLabSecrets{}, &v2alpha1.GitLabSecrets{}
	judgedOne.Status.Conditions = []metav1.Condition{{Type: v2alpha1.ConditionReady, Status: metav1.ConditionTrue}}
	edited := judgedOne.DeepCopy()
	edited.Generation++
	wakes := judged()
	cases := map[string]struct{ got, want bool }{
		"one that says nothing yet does not":       {wakes.Create(event.CreateEvent{Object: fresh}), false},
		"one that is met with its conditions does": {wakes.Create(event.CreateEvent{Object: judgedOne}), true},
		"conditions that change do":                {wakes.Update(event.UpdateEvent{ObjectOld: fresh, ObjectNew: judgedOne}), true},
		"an edit is the matter of the drift watch": {wakes.Update(event.UpdateEvent{ObjectOld: judgedOne, ObjectNew: edited}), false},
		"so is that it is gone":                    {wakes.Delete(event.DeleteEvent{Object: judgedOne}), false},
	}
	for sentence, c := range cases {
		if c.got != c.want {
			t.Errorf("%s: %v", sentence, c.got)
		}
	}
}
