// Package neighbours answers, in tests, what a plan asks about the resources of ours that others build on. A fake of
// plan.Facts embeds one of its types.
package neighbours

import (
	"context"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/plan"
)

// Known are the neighbours there are, by name. What is not among them is missing, or unknown in Unlisted's case.
type Known struct {
	Cores   map[string]*v2alpha1.GitLabCore
	Siphons map[string]*v2alpha1.Siphon
	Orbits  map[string]*v2alpha1.Orbit
	// Unlisted is what is said of a neighbour that is not listed; the zero value is plan.Unknown.
	Unlisted plan.Presence
}

// GitLabCore returns one of Cores.
func (k Known) GitLabCore(_ context.Context, _, name string) (plan.Found[v2alpha1.GitLabCore], error) {
	return among(k.Cores, name, k.Unlisted), nil
}

// Siphon returns one of Siphons.
func (k Known) Siphon(_ context.Context, _, name string) (plan.Found[v2alpha1.Siphon], error) {
	return among(k.Siphons, name, k.Unlisted), nil
}

// Orbit returns one of Orbits.
func (k Known) Orbit(_ context.Context, _, name string) (plan.Found[v2alpha1.Orbit], error) {
	return among(k.Orbits, name, k.Unlisted), nil
}

func among[T any](list map[string]*T, name string, otherwise plan.Presence) plan.Found[T] {
	if found, ok := list[name]; ok {
		return plan.Found[T]{Presence: plan.Present, Object: found}
	}
	return plan.Found[T]{Presence: otherwise}
}
