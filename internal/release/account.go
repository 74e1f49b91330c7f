package release

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/apply"
)

// maxNamed bounds how many objects an event names; an event has room for 1024 bytes. The log names all.
const maxNamed = 8

// account says in the log what an apply changed, also one that failed half-way, and tells in an event what it put right
// although nobody asked for anything new.
func (e *Engine) account(ctx context.Context, p *Pass, changes, drifted apply.ChangeSet) {
	created, configured := changes.Of(apply.Created), changes.Of(apply.Configured)
	log := logf.FromContext(ctx)
	for _, c := range changes {
		log.V(1).Info("object", "object", c.Ref.String(), "action", c.Action, "reason", c.Reason)
	}
	if len(created)+len(configured) == 0 {
		return
	}
	log.Info("applied the release", "version", p.Next.TargetVersion, "generation", p.Object.GetGeneration(), "created", refs(created),
		"configured", refs(configured), "unchanged", len(changes.Of(apply.Unchanged)), "failed", len(changes.Failed()))
	if len(drifted) > 0 {
		e.Events.Eventf(p.Object, nil, corev1.EventTypeNormal, v2alpha1.EventDriftCorrected, "Apply", "%s",
			corrected(drifted.Of(apply.Created), drifted.Of(apply.Configured)))
	}
}

// corrected is what an event says of objects that were not as they were left.
func corrected(created, configured []apply.Change) string {
	var said []string
	if len(created) > 0 {
		said = append(said, "made again, since somebody deleted it: "+named(created))
	}
	if len(configured) > 0 {
		said = append(said, "put back, since somebody changed it: "+named(configured))
	}
	return strings.Join(said, "; ")
}

// accountPruned says in the log and in an event what was deleted, so that nothing goes silently.
func (e *Engine) accountPruned(ctx context.Context, p *Pass, changes apply.ChangeSet) {
	deleted := changes.Of(apply.Deleted)
	if len(deleted) == 0 {
		return
	}
	logf.FromContext(ctx).Info("deleted what the release no longer renders",
		"version", p.Next.TargetVersion, "generation", p.Object.GetGeneration(), "deleted", refs(deleted))
	e.Events.Eventf(p.Object, nil, corev1.EventTypeNormal, v2alpha1.EventPruned, "Prune",
		"deleted what the release no longer renders: %s", named(deleted))
}

// refs names objects for the log.
func refs(changes []apply.Change) []string {
	out := make([]string, 0, len(changes))
	for _, c := range changes {
		out = append(out, c.Ref.String())
	}
	return out
}

// named names objects for an event, as many as it has room for.
func named(changes []apply.Change) string {
	all := refs(changes)
	if len(all) <= maxNamed {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:maxNamed], ", "), len(all)-maxNamed)
}
