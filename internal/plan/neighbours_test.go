package plan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/internal/testing/neighbours"
)

// served are the conditions of a neighbour, Available as given and Ready with a reason.
func served(available metav1.ConditionStatus, reason, message string) []metav1.Condition {
	ready := available
	return []metav1.Condition{
		{Type: v2alpha1.ConditionAvailable, Status: available, Reason: reason, Message: message},
		{Type: v2alpha1.ConditionReady, Status: ready, Reason: reason, Message: message},
	}
}

// gitLab is an instance an add-on can build on.
func gitLab(change func(*v2alpha1.GitLabCore)) *v2alpha1.GitLabCore {
	core := &v2alpha1.GitLabCore{}
	core.Name, core.Namespace = "gitlab", "team"
	core.Spec.Hostname = "gitlab.example.com"
	core.Spec.ClickHouse = &v2alpha1.ClickHouse{URL: "https://clickhouse:8443", Database: "gitlab", Username: "gitlab"}
	core.Status.GitLabVersion = "19.4.0"
	core.Status.Conditions = served(metav1.ConditionTrue, "WorkloadsReady", "")
	if change != nil {
		change(core)
	}
	return core
}

// deleted marks an object as on its way out.
func deleted(o metav1.Object) {
	now := metav1.NewTime(time.Unix(0, 0))
	o.SetDeletionTimestamp(&now)
	o.SetFinalizers([]string{"example.com/held"})
}

// around are facts with these neighbours; one that is nil is missing.
func around(core *v2alpha1.GitLabCore, siphon *v2alpha1.Siphon) *known {
	k := &known{Known: neighbours.Known{Unlisted: plan.Missing}, nearest: []string{"1.0.0"}}
	if core != nil {
		k.Cores = map[string]*v2alpha1.GitLabCore{core.Name: core}
	}
	if siphon != nil {
		k.Siphons = map[string]*v2alpha1.Siphon{siphon.Name: siphon}
	}
	return k
}

func gathered(t *testing.T, facts plan.Facts, resource plan.Resource) plan.Inputs {
	t.Helper()
	in, err := plan.Gather(t.Context(), facts, resource, derive.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func composed(t *testing.T, in plan.Inputs) plan.Plan {
	t.Helper()
	p, err := plan.Compose(t.Context(), plan.Tools{Schemas: schema.NewChecker(), Renderer: refusing{}}, in, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// meeting is one row of a table: what a resource says of its neighbours.
type meeting struct {
	core   *v2alpha1.GitLabCore
	siphon *v2alpha1.Siphon
	// field, reason and text are empty where the resource goes on.
	field, reason, text string
	// refuses says that it is no wait.
	refuses bool
}

func (m meeting) check(t *testing.T, resource plan.Resource) {
	t.Helper()
	got := resource.Meet(gathered(t, around(m.core, m.siphon), resource))
	var field, reason, text string
	var refuses bool
	switch o := got.Outcome.(type) {
	case outcome.Wait:
		field, reason, text = got.Field, string(o.Reason), o.Message
		if o.After != 30*time.Second {
			t.Errorf("it looks again after %s, want 30 s", o.After)
		}
	case outcome.Refuse:
		field, reason, text, refuses = got.Field, string(o.Reason), o.Message, true
	}
	want := []any{m.field, m.reason, m.text, m.refuses}
	if diff := cmp.Diff(want, []any{field, reason, text, refuses}); diff != "" {
		t.Errorf("meeting (-want +got):\n%s", diff)
	}
	if got.Goes() != (m.reason == "") {
		t.Errorf("goes: %v", got.Goes())
	}
}

// waitsForGitLab are the waits Siphon and Orbit share.
func waitsForGitLab() map[string]meeting {
	const field = "spec.gitlabRef.name"
	return map[string]meeting{
		"an instance that is not there": {
			field: field, reason: "GitLabNotFound", text: "GitLabCore gitlab does not exist in this namespace",
		},
		"an instance that is being deleted, whatever it reports": {
			core:  gitLab(func(c *v2alpha1.GitLabCore) { deleted(c) }),
			field: field, reason: "GitLabNotReady", text: "GitLabCore gitlab is being deleted",
		},
		"an instance that reports nothing yet": {
			core:  gitLab(func(c *v2alpha1.GitLabCore) { c.Status = v2alpha1.GitLabCoreStatus{} }),
			field: field, reason: "GitLabNotReady", text: "GitLabCore gitlab is not available yet",
		},
		"an instance that is not available, with what it says of itself": {
			core: gitLab(func(c *v2alpha1.GitLabCore) {
				c.Status.Conditions = served(metav1.ConditionFalse, "WorkloadsNotReady", "Deployment gitlab-webservice: 0 of 2 pods are ready")
			}),
			field: field, reason: "GitLabNotReady",
			text: "GitLabCore gitlab is not available yet: WorkloadsNotReady: Deployment gitlab-webservice: 0 of 2 pods are ready",
		},
		"an instance without a version": {
			core:  gitLab(func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "" }),
			field: field, reason: "GitLabVersionPending", text: "GitLabCore gitlab does not say yet which version of GitLab it runs",
		},
		"an instance whose spec gives no values": {
			core: gitLab(func(c *v2alpha1.GitLabCore) {
				c.Spec.Chart = &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(`"a text"`)}}
			}),
			field: field, reason: "GitLabNotReady",
			text: "the spec of GitLabCore gitlab gives no values, so its address is not known: see its conditions, and correct it",
		},
	}
}

func TestAnInstanceNeverWaitsForItsOrbit(t *testing.T) {
	core := gitLab(func(c *v2alpha1.GitLabCore) {
		c.Spec.Version = v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: "10.4.0"}
		c.Spec.OrbitRef = &v2alpha1.OrbitReference{Name: "graph"}
	})
	unfinished := &v2alpha1.Orbit{}
	unfinished.Name = "graph"
	deleting := unfinished.DeepCopy()
	deleted(deleting)
	for name, orbit := range map[string]*v2alpha1.Orbit{"missing": nil, "without an endpoint": unfinished, "being deleted": deleting} {
		facts := around(nil, nil)
		if orbit != nil {
			facts.Orbits = map[string]*v2alpha1.Orbit{"graph": orbit}
		}
		in := gathered(t, facts, plan.OfCore(core))
		if m := in.Resource.Meet(in); !m.Goes() || in.Incomplete() {
			t.Errorf("an Orbit that is %s holds its instance up: %+v", name, m)
		}
	}
}
