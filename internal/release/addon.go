package release

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/version"
)

// GatherAddOn asks for the facts of an add-on's plan and ends the pass where a neighbour, the version or the chart does
// not let it go on. What is applied keeps running meanwhile.
func GatherAddOn(ctx context.Context, p *Pass, facts plan.Facts, resource plan.Resource, settings derive.Settings) (plan.Inputs, outcome.Outcome) {
	in, err := plan.Gather(ctx, facts, resource, settings)
	if err != nil {
		return plan.Inputs{}, outcome.Fail{Reason: v2alpha1.ReasonDiscoveryFailed, Err: err}
	}
	p.Partial = in.Capabilities.Partial
	if in.Target != "" {
		p.Next.TargetVersion = in.Target
	}
	if m := resource.Meet(in); !m.Goes() {
		return in, p.Initialize(m.Outcome)
	}
	if reference, ok := errors.AsType[*version.ReferenceError](in.VersionErr); ok {
		return in, p.Initialize(outcome.Wait{Reason: v2alpha1.ReasonVersionUnresolved, Message: reference.Error(), After: Interval})
	}
	if in.VersionErr != nil {
		return in, p.Initialize(outcome.Refuse{Reason: v2alpha1.ReasonVersionUnresolved, Message: in.VersionErr.Error()})
	}
	if in.ChartErr != nil {
		return in, p.Initialize(outcome.Refuse{Reason: v2alpha1.ReasonChartVersionUnavailable, Message: unavailable(in.ChartErr)})
	}
	return in, outcome.Continue{}
}

// unavailable lists the versions there are: an add-on's chart comes with the Operator and is never pulled.
func unavailable(err error) string {
	missing, ok := errors.AsType[*chart.NotFoundError](err)
	if !ok {
		return err.Error()
	}
	if len(missing.Available) == 0 {
		return fmt.Sprintf("chart %s %s does not come with this Operator, nor does any other version of it", missing.Ref.Name, missing.Ref.Version)
	}
	return fmt.Sprintf("chart %s %s does not come with this Operator; it has %s", missing.Ref.Name, missing.Ref.Version, strings.Join(missing.Available, ", "))
}

// SeenByNeighbours is what of a resource those that build on it look at: its spec, what it says of its versions, its
// stream and whether it is ready; of an Orbit, its endpoint and the key GitLab signs with. It is for watches, so that the
// rest of a status wakes nobody.
func SeenByNeighbours(o client.Object) any {
	type seen struct {
		Spec, Own  any
		Version    string
		Conditions []metav1.Condition
	}
	of := func(spec, own any, s v2alpha1.ReleaseStatus) any {
		return seen{Spec: spec, Own: own, Version: s.GitLabVersion, Conditions: s.Conditions}
	}
	switch o := o.(type) {
	case *v2alpha1.GitLabCore:
		return of(o.Spec, nil, o.Status.ReleaseStatus)
	case *v2alpha1.Siphon:
		return of(o.Spec, o.Status.StreamName, o.Status.ReleaseStatus)
	case *v2alpha1.Orbit:
		return of(o.Spec.JWTSecretRef, o.Status.GRPCEndpoint, v2alpha1.ReleaseStatus{})
	}
	return nil
}
