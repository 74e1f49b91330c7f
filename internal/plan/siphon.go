package plan

import (
	"context"
	"fmt"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/rules/apps"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// ReleaseKindSiphon is what the release labels call a Siphon.
const ReleaseKindSiphon = "siphon"

// standInVersion takes the place of a GitLab version that is not known yet.
const standInVersion = "0.0.0"

// OfSiphon makes a resource of a Siphon.
func OfSiphon(siphon *v2alpha1.Siphon) Resource { return siphonResource{siphon} }

type siphonResource struct{ *v2alpha1.Siphon }

func (r siphonResource) Object() Object { return r.Siphon }

func (r siphonResource) Release() object.Release {
	return object.Release{Name: r.Name, Namespace: r.Namespace, Kind: ReleaseKindSiphon}
}

func (r siphonResource) Rules(stored Object, target string) []rules.Fault {
	old, _ := stored.(*v2alpha1.Siphon)
	return apps.CheckSiphon(r.Siphon, old, target)
}

// Meet waits for the instance and for its ClickHouse. A wait stops nothing that runs: a release that was applied keeps
// running when the instance loses its ClickHouse.
func (r siphonResource) Meet(in Inputs) Meeting {
	if m := meetGitLab(r.Spec.GitLabRef.Name, in.Neighbours); !m.Goes() {
		return m
	}
	if !derive.ClickHouseConfigured(in.Neighbours.Instance.Effective) {
		return Meeting{Field: fieldGitLabRef, Outcome: outcome.Wait{
			Reason: v2alpha1.ReasonGitLabClickHouseNotConfigured, After: meetInterval,
			Message: fmt.Sprintf("GitLabCore %s has no ClickHouse: set its spec.clickhouse, which also makes the tables this Siphon fills", r.Spec.GitLabRef.Name),
		}}
	}
	return met()
}

func (siphonResource) missing() string                                             { return "the facts of spec.gitlabRef" }
func (siphonResource) chart() string                                               { return "siphon" }
func (r siphonResource) version() v2alpha1.VersionSpec                             { return r.Spec.Version.Spec() }
func (r siphonResource) spec() any                                                 { return r.Spec }
func (siphonResource) valuesFrom() []v2alpha1.ValuesReference                      { return nil }
func (siphonResource) check(values.Effective, func() map[string]any) []rules.Fault { return nil }
func (r siphonResource) derived(in Inputs) any                                     { return r.facts(in) }

func (r siphonResource) standsIn(in Inputs) []standIn {
	if gitLabVersion(in) != "" {
		return nil
	}
	return []standIn{{field: "spec.gitlabRef", marks: []string{standInVersion}}}
}

func (r siphonResource) greet(in Inputs) []rules.Fault {
	return absent(in.Neighbours.GitLabCore.Presence, fieldGitLabRef, "GitLabCore "+r.Spec.GitLabRef.Name)
}

func (r siphonResource) neighbours(ctx context.Context, facts Facts) (Neighbours, error) {
	return withInstance(ctx, facts, r.Namespace, r.Spec.GitLabRef)
}

// withInstance looks for the instance an add-on names, and for its values.
func withInstance(ctx context.Context, facts Facts, namespace string, ref v2alpha1.GitLabReference) (Neighbours, error) {
	var n Neighbours
	if ref.Name == "" {
		return n, nil
	}
	var err error
	if n.GitLabCore, err = facts.GitLabCore(ctx, namespace, ref.Name); err != nil {
		return n, fmt.Errorf("read GitLabCore %s of spec.gitlabRef: %w", ref.Name, err)
	}
	n.Instance, err = instanceOf(ctx, facts, n.GitLabCore.Object)
	return n, err
}

// gitLabVersion is the version the instance says it runs, empty while it says none.
func gitLabVersion(in Inputs) string {
	if core := in.Neighbours.GitLabCore.Object; core != nil {
		return core.Status.GitLabVersion
	}
	return ""
}

func (r siphonResource) facts(in Inputs) derive.SiphonFacts {
	facts := derive.SiphonFacts{GitLabVersion: gitLabVersion(in), PodMonitors: in.Capabilities.monitoring("PodMonitor")}
	if facts.GitLabVersion == "" {
		facts.GitLabVersion = standInVersion
	}
	return facts
}

func (r siphonResource) layers(in Inputs) ([]values.Layer, error) {
	layers, err := derive.Siphon(r.Siphon, r.facts(in))
	if err != nil {
		return nil, fmt.Errorf("derive the values of Siphon %s: %w", r.Name, err)
	}
	return layers, nil
}
