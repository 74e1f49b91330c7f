package plan_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// events is a Siphon an Orbit can build on.
func events(change func(*v2alpha1.Siphon)) *v2alpha1.Siphon {
	siphon := &v2alpha1.Siphon{}
	siphon.Name, siphon.Namespace = "events", "team"
	siphon.Spec.GitLabRef.Name = "gitlab"
	siphon.Spec.Version = v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, Version: "1.18.0"}
	siphon.Spec.Source.Host = "postgresql"
	siphon.Spec.Queue.URL = "nats://nats:4222"
	siphon.Spec.Sink = v2alpha1.SiphonSink{Host: "clickhouse", Database: "gitlab", Username: "siphon"}
	siphon.Status.StreamName = "siphon_stream_main_db"
	siphon.Status.Conditions = served(metav1.ConditionTrue, "WorkloadsReady", "")
	if change != nil {
		change(siphon)
	}
	return siphon
}

func TestASiphonWaitsForItsInstance(t *testing.T) {
	const field = "spec.gitlabRef.name"
	const noClickHouse = "GitLabCore gitlab has no ClickHouse: set its spec.clickhouse, which also makes the tables this Siphon fills"
	cases := map[string]meeting{
		"an instance without ClickHouse": {
			core:  gitLab(func(c *v2alpha1.GitLabCore) { c.Spec.ClickHouse = nil }),
			field: field, reason: "GitLabClickHouseNotConfigured", text: noClickHouse,
		},
		"an instance whose values switch ClickHouse off": {
			core: gitLab(func(c *v2alpha1.GitLabCore) {
				c.Spec.Chart = &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(`{"global":{"clickhouse":{"enabled":false}}}`)}}
			}),
			field: field, reason: "GitLabClickHouseNotConfigured", text: noClickHouse,
		},
		"an instance whose values alone switch ClickHouse on": {
			core: gitLab(func(c *v2alpha1.GitLabCore) {
				c.Spec.ClickHouse = nil
				c.Spec.Chart = &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(`{"global":{"clickhouse":{"enabled":true}}}`)}}
			}),
		},
		"an instance of any age": {core: gitLab(func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "18.0.0" })},
		"an instance that is edited and still available": {
			core: gitLab(func(c *v2alpha1.GitLabCore) { c.Generation = 7 }),
		},
	}
	maps.Copy(cases, waitsForGitLab())
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { tc.check(t, plan.OfSiphon(events(nil))) })
	}
}

// warned are the warnings and errors of a plan, without those of a chart that is not at hand.
func warned(p plan.Plan) []string {
	var out []string
	for _, f := range p.Faults {
		if f.Code != rules.VersionUnavailable {
			out = append(out, f.Severity.String()+" "+string(f.Code)+" "+f.Field+": "+f.Message)
		}
	}
	return out
}

func TestASiphonGreetsItsInstance(t *testing.T) {
	const missing = "warning ReferenceMissing spec.gitlabRef.name: GitLabCore gitlab does not exist in this namespace; nothing is applied until it does"
	unlisted := around(nil, nil)
	unlisted.Unlisted = plan.Unknown
	for name, tc := range map[string]struct {
		facts plan.Facts
		want  []string
	}{
		"that is missing, with a warning":               {around(nil, nil), []string{missing}},
		"that nobody could look for, with no word":      {unlisted, nil},
		"that is there, with no word":                   {around(gitLab(nil), nil), nil},
		"that is not ready, with no word: it is a wait": {around(gitLab(func(c *v2alpha1.GitLabCore) { c.Status = v2alpha1.GitLabCoreStatus{} }), nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := warned(composed(t, gathered(t, tc.facts, plan.OfSiphon(events(nil)))))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestASiphonStandsInForAVersionItDoesNotKnow(t *testing.T) {
	unknown := composed(t, gathered(t, around(nil, nil), plan.OfSiphon(events(nil))))
	if v, _ := unknown.Effective.Lookup([]string{"global", "gitlabVersion"}); v != "v0.0.0-ee" || !unknown.Incomplete() {
		t.Errorf("without an instance: version %v, incomplete %v", v, unknown.Incomplete())
	}
	known := composed(t, gathered(t, around(gitLab(nil), nil), plan.OfSiphon(events(nil))))
	if v, _ := known.Effective.Lookup([]string{"global", "gitlabVersion"}); v != "v19.4.0-ee" || known.Incomplete() {
		t.Errorf("with an instance: version %v, incomplete %v", v, known.Incomplete())
	}
}

func TestTheDigestOfASiphonFollowsWhatItsValuesDependOn(t *testing.T) {
	digest := func(core *v2alpha1.GitLabCore, siphon *v2alpha1.Siphon) string {
		return gathered(t, around(core, nil), plan.OfSiphon(siphon)).Digest()
	}
	before := digest(gitLab(nil), events(nil))
	for name, tc := range map[string]struct {
		core  *v2alpha1.GitLabCore
		own   *v2alpha1.Siphon
		moves bool
	}{
		"its own spec": {gitLab(nil), events(func(s *v2alpha1.Siphon) { s.Spec.Sink.Database = "other" }), true},
		"the version of its instance, which names the tables": {
			gitLab(func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "19.4.1" }), events(nil), true,
		},
		"the heartbeat of its instance": {
			gitLab(func(c *v2alpha1.GitLabCore) {
				c.ResourceVersion, c.Status.ObservedGeneration, c.Status.Conditions[1].Message = "12", 4, "another word"
			}), events(nil), false,
		},
		"its own heartbeat": {gitLab(nil), events(func(s *v2alpha1.Siphon) { s.ResourceVersion, s.Status.TableCount = "9", 3 }), false},
	} {
		if got := digest(tc.core, tc.own); (got != before) != tc.moves {
			t.Errorf("%s: the digest moves: %v, want %v", name, got != before, tc.moves)
		}
	}
}

func TestAReleaseIsNamedAfterItsResource(t *testing.T) {
	orbit := graph(nil)
	got := []string{plan.OfSiphon(events(nil)).Release().String(), plan.OfOrbit(orbit).Release().String(), plan.OfCore(gitLab(nil)).Release().String()}
	for i, kind := range []string{"siphon", "orbit", "gitlabcore"} {
		if !strings.Contains(got[i], kind) {
			t.Errorf("%q does not say that it is of a %s", got[i], kind)
		}
	}
}
