package plan

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/rules/apps"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// ReleaseKindOrbit is what the release labels call an Orbit.
const ReleaseKindOrbit = "orbit"

const fieldSiphonRef = "spec.siphonRef.name"

// What takes the place of facts of the neighbours that are not known yet.
const (
	standInURL    = "https://gitlab.example.com"
	standInStream = "not_known_yet"
	standInHost   = "not-known-yet.example.com"
)

// standInSiphon takes the place of a Siphon that is not known yet, whole: with every value there that a Siphon gives, a
// chart that fails over a missing one fails over what a person left out.
func standInSiphon() *v2alpha1.Siphon {
	siphon := &v2alpha1.Siphon{}
	siphon.Spec.Sink = v2alpha1.SiphonSink{Host: standInHost, Database: standInStream}
	siphon.Spec.Queue.URL = "nats://" + standInHost + ":4222"
	return siphon
}

// OfOrbit makes a resource of an Orbit.
func OfOrbit(orbit *v2alpha1.Orbit) Resource { return orbitResource{orbit} }

type orbitResource struct{ *v2alpha1.Orbit }

func (r orbitResource) Object() Object { return r.Orbit }

func (r orbitResource) Release() object.Release {
	return object.Release{Name: r.Name, Namespace: r.Namespace, Kind: ReleaseKindOrbit}
}

func (r orbitResource) Rules(stored Object, target string) []rules.Fault {
	old, _ := stored.(*v2alpha1.Orbit)
	return apps.CheckOrbit(r.Orbit, old, target)
}

// Meet waits for the instance and the Siphon, and refuses those that Orbit cannot work with.
func (r orbitResource) Meet(in Inputs) Meeting {
	if m := meetGitLab(r.Spec.GitLabRef.Name, in.Neighbours); !m.Goes() {
		return m
	}
	if m := r.age(in); !m.Goes() {
		return m
	}
	name, siphon := r.Spec.SiphonRef.Name, in.Neighbours.Siphon.Object
	wait := func(reason outcome.Reason, text string) Meeting {
		return Meeting{Field: fieldSiphonRef, Outcome: outcome.Wait{Reason: reason, Message: text, After: meetInterval}}
	}
	switch {
	case siphon == nil:
		return wait(v2alpha1.ReasonSiphonNotFound, fmt.Sprintf("Siphon %s does not exist in this namespace", name))
	case !siphon.DeletionTimestamp.IsZero():
		return wait(v2alpha1.ReasonSiphonDeleting, fmt.Sprintf("Siphon %s is being deleted", name))
	}
	if m := r.fit(siphon); !m.Goes() {
		return m
	}
	switch {
	case !available(siphon.Status.ReleaseStatus):
		return wait(v2alpha1.ReasonSiphonNotReady, fmt.Sprintf("Siphon %s is not available yet%s", name, because(siphon.Status.ReleaseStatus)))
	case siphon.Status.StreamName == "":
		return wait(v2alpha1.ReasonSiphonStreamPending, fmt.Sprintf("Siphon %s does not say yet which stream it publishes to", name))
	}
	return met()
}

// age refuses an instance that is too old for Orbit.
func (r orbitResource) age(in Inputs) Meeting {
	version := gitLabVersion(in)
	if version == "" || !apps.GitLabTooOld(version) {
		return met()
	}
	return Meeting{Field: fieldGitLabRef, Outcome: outcome.Refuse{Reason: v2alpha1.ReasonGitLabTooOld, Message: fmt.Sprintf(
		"GitLabCore %s runs GitLab %s, and Orbit needs %s or later: upgrade the instance first", r.Spec.GitLabRef.Name, version, apps.OrbitOldestGitLab)}}
}

// fit refuses a Siphon that Orbit cannot use.
func (r orbitResource) fit(siphon *v2alpha1.Siphon) Meeting {
	refuse := func(reason outcome.Reason, text string) Meeting {
		return Meeting{Field: fieldSiphonRef, Outcome: outcome.Refuse{Reason: reason, Message: text}}
	}
	switch {
	case siphon == nil:
	case siphon.Spec.GitLabRef.Name != r.Spec.GitLabRef.Name:
		return refuse(v2alpha1.ReasonGitLabMismatch, fmt.Sprintf(
			"Siphon %s belongs to GitLabCore %s and this Orbit to GitLabCore %s: name a Siphon of the same instance", siphon.Name, siphon.Spec.GitLabRef.Name, r.Spec.GitLabRef.Name))
	case siphon.Spec.Queue.Auth != nil:
		return refuse(v2alpha1.ReasonSiphonUsesCredentials, fmt.Sprintf(
			"Siphon %s sets spec.queue.auth, and Orbit cannot log in to NATS: use a NATS without credentials, or with client certificates (spec.queue.tls)", siphon.Name))
	}
	return met()
}

func (r orbitResource) greet(in Inputs) []rules.Fault {
	return slices.Concat(
		absent(in.Neighbours.GitLabCore.Presence, fieldGitLabRef, "GitLabCore "+r.Spec.GitLabRef.Name),
		absent(in.Neighbours.Siphon.Presence, fieldSiphonRef, "Siphon "+r.Spec.SiphonRef.Name),
		unfit(r.age(in)), unfit(r.fit(in.Neighbours.Siphon.Object)),
	)
}

func (orbitResource) missing() string                        { return "the facts of spec.gitlabRef and spec.siphonRef" }
func (orbitResource) chart() string                          { return "orbit" }
func (r orbitResource) version() v2alpha1.VersionSpec        { return r.Spec.Version.Spec() }
func (r orbitResource) spec() any                            { return r.Spec }
func (orbitResource) valuesFrom() []v2alpha1.ValuesReference { return nil }

func (orbitResource) check(e values.Effective, defaults func() map[string]any) []rules.Fault {
	indexer, _ := defaults()["indexer"].(map[string]any)
	pools, _ := indexer["pools"].(map[string]any)
	return apps.OrbitValues(e, slices.Sorted(maps.Keys(pools))...)
}

// derived leaves the Siphon's status out: it moves with every pass of the Siphon, and the values follow its spec alone.
func (r orbitResource) derived(in Inputs) any {
	facts := r.facts(in)
	parts := struct {
		derive.OrbitFacts
		Siphon v2alpha1.SiphonSpec
	}{OrbitFacts: facts}
	if facts.Siphon != nil {
		parts.Siphon, parts.OrbitFacts.Siphon = facts.Siphon.Spec, nil
	}
	return parts
}

func (r orbitResource) standsIn(in Inputs) []standIn {
	var out []standIn
	if !in.Neighbours.Instance.Known {
		out = append(out, standIn{field: "spec.gitlabRef", marks: []string{standInURL}})
	}
	if siphon := in.Neighbours.Siphon.Object; siphon == nil || siphon.Status.StreamName == "" {
		out = append(out, standIn{field: "spec.siphonRef", marks: []string{standInStream, standInHost}, more: siphon == nil})
	}
	return out
}

func (r orbitResource) neighbours(ctx context.Context, facts Facts) (Neighbours, error) {
	n, err := withInstance(ctx, facts, r.Namespace, r.Spec.GitLabRef)
	if err != nil || r.Spec.SiphonRef.Name == "" {
		return n, err
	}
	if n.Siphon, err = facts.Siphon(ctx, r.Namespace, r.Spec.SiphonRef.Name); err != nil {
		return n, fmt.Errorf("read Siphon %s of spec.siphonRef: %w", r.Spec.SiphonRef.Name, err)
	}
	return n, nil
}

func (r orbitResource) facts(in Inputs) derive.OrbitFacts {
	facts := derive.OrbitFacts{
		GitLabURL: standInURL, StreamName: standInStream, Siphon: in.Neighbours.Siphon.Object,
		PodMonitors: in.Capabilities.monitoring("PodMonitor"), PrometheusRules: in.Capabilities.monitoring("PrometheusRule"),
	}
	if in.Neighbours.Instance.Known {
		facts.GitLabURL = derive.GitLabURL(in.Neighbours.Instance.Effective)
	}
	if facts.Siphon == nil {
		facts.Siphon = standInSiphon()
	} else if stream := facts.Siphon.Status.StreamName; stream != "" {
		facts.StreamName = stream
	}
	return facts
}

func (r orbitResource) layers(in Inputs) ([]values.Layer, error) {
	layers, err := derive.Orbit(r.Orbit, r.facts(in))
	if err != nil {
		return nil, fmt.Errorf("derive the values of Orbit %s: %w", r.Name, err)
	}
	return layers, nil
}
