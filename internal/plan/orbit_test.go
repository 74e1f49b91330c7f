package plan_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/plan"
)

func graph(change func(*v2alpha1.Orbit)) *v2alpha1.Orbit {
	orbit := &v2alpha1.Orbit{}
	orbit.Name, orbit.Namespace = "graph", "team"
	orbit.Spec.GitLabRef.Name, orbit.Spec.SiphonRef.Name = "gitlab", "events"
	orbit.Spec.Version = v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, Version: "4.1.0"}
	orbit.Spec.Graph = v2alpha1.OrbitGraph{Host: "clickhouse", Database: "graph", Username: "writer"}
	if change != nil {
		change(orbit)
	}
	return orbit
}

func withCredentials(s *v2alpha1.Siphon) { s.Spec.Queue.Auth = &v2alpha1.QueueAuth{} }

const (
	tooOld     = "GitLabCore gitlab runs GitLab 19.2.1, and Orbit needs 19.2.2 or later: upgrade the instance first"
	mismatch   = "Siphon events belongs to GitLabCore other and this Orbit to GitLabCore gitlab: name a Siphon of the same instance"
	usesSecret = "Siphon events sets spec.queue.auth, and Orbit cannot log in to NATS: use a NATS without credentials, or with client certificates (spec.queue.tls)"
)

func TestAnOrbitMeetsItsInstance(t *testing.T) {
	const field = "spec.gitlabRef.name"
	at := func(version string) *v2alpha1.GitLabCore {
		return gitLab(func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = version })
	}
	cases := map[string]meeting{
		"one that is too old, with both versions":                 {core: at("19.2.1"), field: field, reason: "GitLabTooOld", text: tooOld, refuses: true},
		"the oldest one that will do":                             {core: at("19.2.2")},
		"one whose version is none, which nobody knows to be old": {core: at("main")},
		"one without ClickHouse, which is the Siphon's matter":    {core: gitLab(func(c *v2alpha1.GitLabCore) { c.Spec.ClickHouse = nil })},
	}
	maps.Copy(cases, waitsForGitLab())
	for name, tc := range cases {
		tc.siphon = events(nil)
		t.Run(name, func(t *testing.T) { tc.check(t, plan.OfOrbit(graph(nil))) })
	}
}

func TestAnOrbitMeetsItsSiphon(t *testing.T) {
	const field = "spec.siphonRef.name"
	for name, tc := range map[string]meeting{
		"one that is not there": {field: field, reason: "SiphonNotFound", text: "Siphon events does not exist in this namespace"},
		"one that is being deleted, whatever it reports": {
			siphon: events(func(s *v2alpha1.Siphon) { deleted(s) }),
			field:  field, reason: "SiphonDeleting", text: "Siphon events is being deleted",
		},
		"one that is being deleted and would not fit either": {
			siphon: events(func(s *v2alpha1.Siphon) { deleted(s); withCredentials(s); s.Spec.GitLabRef.Name = "other" }),
			field:  field, reason: "SiphonDeleting", text: "Siphon events is being deleted",
		},
		"one that reports nothing yet": {
			siphon: events(func(s *v2alpha1.Siphon) { s.Status = v2alpha1.SiphonStatus{} }),
			field:  field, reason: "SiphonNotReady", text: "Siphon events is not available yet",
		},
		"one that is not available, with what it says of itself": {
			siphon: events(func(s *v2alpha1.Siphon) {
				s.Status.Conditions = served(metav1.ConditionFalse, "TablesFetchFailed", "the registry is away")
			}),
			field: field, reason: "SiphonNotReady", text: "Siphon events is not available yet: TablesFetchFailed: the registry is away",
		},
		"one without a stream": {
			siphon: events(func(s *v2alpha1.Siphon) { s.Status.StreamName = "" }),
			field:  field, reason: "SiphonStreamPending", text: "Siphon events does not say yet which stream it publishes to",
		},
		"one of another instance, with both": {
			siphon: events(func(s *v2alpha1.Siphon) { s.Spec.GitLabRef.Name = "other" }),
			field:  field, reason: "GitLabMismatch", text: mismatch, refuses: true,
		},
		"one that logs in to NATS": {
			siphon: events(withCredentials), field: field, reason: "SiphonUsesCredentials", text: usesSecret, refuses: true,
		},
		"one with client certificates": {
			siphon: events(func(s *v2alpha1.Siphon) { s.Spec.Queue.TLS = &v2alpha1.QueueTLS{SecretName: "nats"} }),
		},
		"one that is edited and still available": {siphon: events(func(s *v2alpha1.Siphon) { s.Generation = 3 })},
	} {
		tc.core = gitLab(nil)
		t.Run(name, func(t *testing.T) { tc.check(t, plan.OfOrbit(graph(nil))) })
	}
}

func TestAnOrbitGreetsItsNeighbours(t *testing.T) {
	const noCore = "warning ReferenceMissing spec.gitlabRef.name: GitLabCore gitlab does not exist in this namespace; nothing is applied until it does"
	const noSiphon = "warning ReferenceMissing spec.siphonRef.name: Siphon events does not exist in this namespace; nothing is applied until it does"
	const unfit = "warning NeighbourUnfit "
	old := gitLab(func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "19.2.1" })
	for name, tc := range map[string]struct {
		core   *v2alpha1.GitLabCore
		siphon *v2alpha1.Siphon
		want   []string
	}{
		"both missing, with a warning each":            {nil, nil, []string{noCore, noSiphon}},
		"both there, with no word":                     {gitLab(nil), events(nil), nil},
		"an instance too old":                          {old, events(nil), []string{unfit + "spec.gitlabRef.name: " + tooOld}},
		"a Siphon that logs in, before it is ready":    {gitLab(nil), events(func(s *v2alpha1.Siphon) { withCredentials(s); s.Status = v2alpha1.SiphonStatus{} }), []string{unfit + "spec.siphonRef.name: " + usesSecret}},
		"a Siphon of another instance, without either": {nil, events(func(s *v2alpha1.Siphon) { s.Spec.GitLabRef.Name = "other" }), []string{noCore, unfit + "spec.siphonRef.name: " + mismatch}},
	} {
		t.Run(name, func(t *testing.T) {
			got := warned(composed(t, gathered(t, around(tc.core, tc.siphon), plan.OfOrbit(graph(nil)))))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// A stand-in makes a verdict possible before the neighbours are there. None may reach a release, so whoever stands in
// also waits or refuses.
func TestAStandInNeverReachesARelease(t *testing.T) {
	cores := map[string]*v2alpha1.GitLabCore{"no instance": nil, "an instance": gitLab(nil)}
	for name, tc := range waitsForGitLab() {
		cores[name] = tc.core
	}
	siphons := map[string]*v2alpha1.Siphon{
		"no Siphon": nil, "a Siphon": events(nil), "a Siphon without a stream": events(func(s *v2alpha1.Siphon) { s.Status.StreamName = "" }),
	}
	goes := 0
	for coreName, core := range cores {
		for siphonName, siphon := range siphons {
			for _, resource := range []plan.Resource{plan.OfOrbit(graph(nil)), plan.OfSiphon(events(nil))} {
				in := gathered(t, around(core, siphon), resource)
				if !resource.Meet(in).Goes() {
					continue
				}
				goes++
				if in.Incomplete() {
					t.Errorf("%s goes on with a stand-in: %s, %s", resource.Release(), coreName, siphonName)
				}
			}
		}
	}
	if goes == 0 {
		t.Error("nothing ever goes on")
	}
}

func TestWhatAnOrbitTakesFromItsNeighbours(t *testing.T) {
	at := func(p plan.Plan) []any {
		var out []any
		for _, path := range [][]string{{"gitlab", "baseUrl"}, {"nats", "streamName"}, {"nats", "url"}, {"clickhouse", "datalake", "host"}, {"clickhouse", "datalake", "database"}} {
			value, found := p.Effective.Lookup(path)
			if !found {
				value = nil
			}
			out = append(out, value)
		}
		return out
	}
	alone := composed(t, gathered(t, around(nil, nil), plan.OfOrbit(graph(nil))))
	standIns := []any{"https://gitlab.example.com", "not_known_yet", "nats://not-known-yet.example.com:4222", "not-known-yet.example.com", "not_known_yet"}
	if diff := cmp.Diff(standIns, at(alone)); diff != "" || !alone.Incomplete() {
		t.Errorf("alone (-want +got):\n%s", diff)
	}
	core := gitLab(func(c *v2alpha1.GitLabCore) { c.Spec.Hostname = "git.example.org" })
	met := composed(t, gathered(t, around(core, events(nil)), plan.OfOrbit(graph(nil))))
	if diff := cmp.Diff([]any{"https://git.example.org", "siphon_stream_main_db", "nats://nats:4222", "clickhouse", "gitlab"}, at(met)); diff != "" || met.Incomplete() {
		t.Errorf("with both (-want +got):\n%s", diff)
	}
}

func TestTheDigestOfAnOrbitFollowsWhatItsValuesDependOn(t *testing.T) {
	digest := func(core *v2alpha1.GitLabCore, siphon *v2alpha1.Siphon, orbit *v2alpha1.Orbit) string {
		return gathered(t, around(core, siphon), plan.OfOrbit(orbit)).Digest()
	}
	before := digest(gitLab(nil), events(nil), graph(nil))
	for name, tc := range map[string]struct {
		core   func(*v2alpha1.GitLabCore)
		siphon func(*v2alpha1.Siphon)
		orbit  func(*v2alpha1.Orbit)
		moves  bool
	}{
		"its own spec":                  {orbit: func(o *v2alpha1.Orbit) { o.Spec.Graph.Database = "other" }, moves: true},
		"its own heartbeat":             {orbit: func(o *v2alpha1.Orbit) { o.ResourceVersion, o.Status.GRPCEndpoint = "5", "tls://x:1" }},
		"the address of its instance":   {core: func(c *v2alpha1.GitLabCore) { c.Spec.Hostname = "git.example.org" }, moves: true},
		"the heartbeat of its instance": {core: func(c *v2alpha1.GitLabCore) { c.ResourceVersion, c.Status.Conditions[1].Message = "12", "another word" }},
		"the queue of its Siphon":       {siphon: func(s *v2alpha1.Siphon) { s.Spec.Queue.URL = "nats://other:4222" }, moves: true},
		"the certificates of its queue": {siphon: func(s *v2alpha1.Siphon) { s.Spec.Queue.TLS = &v2alpha1.QueueTLS{SecretName: "nats"} }, moves: true},
		"the sink of its Siphon":        {siphon: func(s *v2alpha1.Siphon) { s.Spec.Sink.Host = "other" }, moves: true},
		"the stream of its Siphon":      {siphon: func(s *v2alpha1.Siphon) { s.Status.StreamName = "other" }, moves: true},
		"the heartbeat of its Siphon": {siphon: func(s *v2alpha1.Siphon) {
			now := metav1.NewTime(time.Unix(1, 0))
			s.ResourceVersion, s.Status.TablesCheckedAt, s.Status.TableCount = "77", &now, 12
			s.Status.Conditions = slices.Concat(s.Status.Conditions, served(metav1.ConditionTrue, "TablesUnchanged", "again"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			core, siphon, orbit := gitLab(tc.core), events(tc.siphon), graph(tc.orbit)
			if got := digest(core, siphon, orbit); (got != before) != tc.moves {
				t.Errorf("the digest moves: %v, want %v", got != before, tc.moves)
			}
		})
	}
}
