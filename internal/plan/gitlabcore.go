package plan

import (
	"context"
	"fmt"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/rules/apps"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// ReleaseKindGitLabCore is what the release labels call a GitLabCore.
const ReleaseKindGitLabCore = "gitlabcore"

// OfCore makes a resource of a GitLabCore.
func OfCore(core *v2alpha1.GitLabCore) Resource { return gitlabCore{core} }

type gitlabCore struct{ *v2alpha1.GitLabCore }

func (r gitlabCore) Object() Object { return r.GitLabCore }

func (r gitlabCore) Release() object.Release {
	return object.Release{Name: r.Name, Namespace: r.Namespace, Kind: ReleaseKindGitLabCore}
}

func (r gitlabCore) Rules(stored Object, target string) []rules.Fault {
	old, _ := stored.(*v2alpha1.GitLabCore)
	return apps.CheckGitLabCore(r.GitLabCore, old, target)
}

// Meet never waits: an instance starts without its Orbit, whose endpoint only configures it.
func (gitlabCore) Meet(Inputs) Meeting { return met() }

func (gitlabCore) missing() string                 { return "the missing values of spec.chart.valuesFrom" }
func (gitlabCore) chart() string                   { return "gitlab" }
func (r gitlabCore) version() v2alpha1.VersionSpec { return r.Spec.Version }
func (r gitlabCore) spec() any                     { return r.Spec }
func (gitlabCore) standsIn(Inputs) []standIn       { return nil }

func (gitlabCore) check(values.Effective, func() map[string]any) []rules.Fault { return nil }

func (r gitlabCore) valuesFrom() []v2alpha1.ValuesReference {
	if r.Spec.Chart == nil {
		return nil
	}
	return r.Spec.Chart.ValuesFrom
}

func (r gitlabCore) greet(in Inputs) []rules.Fault {
	if r.Spec.OrbitRef == nil || in.Neighbours.Orbit.Presence != Missing {
		return nil
	}
	return []rules.Fault{fault(rules.Warning, rules.ReferenceMissing, "spec.orbitRef.name", fmt.Sprintf(
		"Orbit %s does not exist in this namespace; GitLab runs without one until it reports its endpoint", r.Spec.OrbitRef.Name))}
}

func (r gitlabCore) neighbours(ctx context.Context, facts Facts) (Neighbours, error) {
	var n Neighbours
	if r.Spec.OrbitRef == nil || r.Spec.OrbitRef.Name == "" {
		return n, nil
	}
	var err error
	if n.Orbit, err = facts.Orbit(ctx, r.Namespace, r.Spec.OrbitRef.Name); err != nil {
		return n, fmt.Errorf("read Orbit %s of spec.orbitRef: %w", r.Spec.OrbitRef.Name, err)
	}
	return n, nil
}

func (r gitlabCore) facts(in Inputs) derive.GitLabCoreFacts {
	return derive.GitLabCoreFacts{Settings: in.Settings, ChartVersion: in.Target, Orbit: endpoint(in.Neighbours.Orbit.Object)}
}

func (r gitlabCore) derived(in Inputs) any { return r.facts(in) }

func (r gitlabCore) layers(in Inputs) ([]values.Layer, error) {
	facts := r.facts(in)
	for _, ref := range in.References {
		facts.References = append(facts.References, ref.Reference)
	}
	layers, err := derive.GitLabCore(r.GitLabCore, facts)
	if err != nil {
		return nil, fmt.Errorf("derive the values of GitLabCore %s: %w", r.Name, err)
	}
	return layers, nil
}

// endpoint is what an Orbit reports, nil as long as it reports none.
func endpoint(orbit *v2alpha1.Orbit) *derive.OrbitEndpoint {
	if orbit == nil || orbit.Status.GRPCEndpoint == "" {
		return nil
	}
	return &derive.OrbitEndpoint{
		GRPCEndpoint:  orbit.Status.GRPCEndpoint,
		JWTSecretName: orbit.Spec.JWTSecretRef.Name,
		JWTSecretKey:  orbit.Spec.JWTSecretRef.Key,
	}
}
