package apply

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// Prune deletes what belongs to the owner's release, is of one of the recorded kinds and is not in keep. It lists each
// kind by the release labels (namespaced kinds in the owner's namespace, cluster-scoped ones everywhere), and deletes one
// by one in the reverse of the install order, with background propagation, naming each object by UID and
// resourceVersion, so that what changed since it was looked at is looked at again. With an empty keep it is the cleanup
// of a finalizer.
//
// Nothing here fails a pass: what goes wrong is in the result, and the kind stays in Remaining. A kind leaves Remaining
// only when a complete list of it showed no object of this release, wanted ones included. Objects that are never pruned
// do not hold their kind back, since they would hold it for ever: what is kept when its release drops it is from then on
// its owner's alone. A kind the cluster no longer serves is clean, and so are kinds that are never applied or never
// pruned, which are not even listed.
//
// It must not be called in a pass in which any object failed to decode or apply, or the cluster's APIs could be read
// only in part.
func (e *Engine) Prune(ctx context.Context, owner Owner, keep []object.Ref, kinds []string) PruneResult {
	if err := owner.check(); err != nil {
		return PruneResult{
			Changes:   ChangeSet{{Action: Failed, Err: &Error{Class: Refused, Text: err.Error(), Err: err}}},
			Remaining: slices.Compact(slices.Sorted(slices.Values(kinds))),
		}
	}
	p := &pruning{engine: e, owner: owner, keep: keepSet{refs: keep}, scopes: newScopes(e.Client.RESTMapper())}
	for _, g := range groups(kinds) {
		p.survey(ctx, g)
	}
	p.deleteAll(ctx)
	slices.Sort(p.result.Remaining)
	return p.result
}

// pruning is one prune under way.
type pruning struct {
	engine *Engine
	owner  Owner
	keep   keepSet
	scopes *scopes
	// doomed are the objects to delete.
	doomed []found
	result PruneResult
}

// found is an object as a list showed it, and whether its kind is namespaced.
type found struct {
	*metav1.PartialObjectMetadata
	namespaced bool
}

// survey lists one kind and sorts what it finds into doomed, protected and left alone.
func (p *pruning) survey(ctx context.Context, g group) {
	objects, err := p.list(ctx, g.gk)
	if err != nil {
		ref := object.Ref{GVK: g.gk.WithVersion("")}
		if gvk, ok := object.ParseKind(g.keys[0]); ok {
			ref.GVK = gvk
		}
		p.result.Changes = append(p.result.Changes, failed(ref, "listed", err))
		p.result.Remaining = append(p.result.Remaining, g.keys...)
		return
	}
	left := false
	for _, f := range objects {
		verdict, why := judge(p.owner, p.engine.Manager, f.namespaced, p.keep, f.PartialObjectMetadata)
		switch verdict {
		case notOurs:
		case protected:
			if !p.keep.has(f.PartialObjectMetadata, f.namespaced, p.owner.Release.Namespace) {
				p.result.Changes = append(p.result.Changes, Change{Ref: refOf(f), Action: Skipped, Reason: why})
			}
		case wanted, leaving:
			left = true
		case orphaned:
			left = true
			p.doomed = append(p.doomed, f)
		}
	}
	if left {
		p.result.Remaining = append(p.result.Remaining, g.keys...)
	}
}

// list returns the objects of a kind that carry the release's name and namespace. It is empty when the cluster does not
// serve the kind; a mapping may be older than the removal of a version, so one that answers «no such resource» only
// counts once every other known version did so as well.
func (p *pruning) list(ctx context.Context, gk schema.GroupKind) ([]found, error) {
	mappings, err := p.scopes.mappings(gk)
	if err != nil {
		if notServed(err) {
			return nil, nil
		}
		return nil, err
	}
	for _, mapping := range mappings {
		objects, err := p.listVersion(ctx, mapping)
		if err == nil || !apierrors.IsNotFound(err) && !notServed(err) {
			return objects, err
		}
	}
	return nil, nil
}

// listVersion lists a kind in one version, metadata only: a prune has no use for the rest, least of all a Secret's.
func (p *pruning) listVersion(ctx context.Context, mapping *meta.RESTMapping) ([]found, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(mapping.GroupVersionKind.GroupVersion().WithKind(mapping.GroupVersionKind.Kind + "List"))
	namespaced := mapping.Scope.Name() == meta.RESTScopeNameNamespace
	opts := []client.ListOption{client.MatchingLabels{
		object.LabelReleaseName:      p.owner.Release.Name,
		object.LabelReleaseNamespace: p.owner.Release.Namespace,
	}}
	if namespaced {
		opts = append(opts, client.InNamespace(p.owner.Release.Namespace))
	}
	if err := p.engine.Client.List(ctx, list, opts...); err != nil {
		return nil, fmt.Errorf("list the release's objects: %w", err)
	}
	objects := make([]found, 0, len(list.Items))
	for i := range list.Items {
		list.Items[i].SetGroupVersionKind(mapping.GroupVersionKind)
		objects = append(objects, found{PartialObjectMetadata: &list.Items[i], namespaced: namespaced})
	}
	return objects, nil
}

// deleteAll deletes what is doomed. An object that two kinds list is deleted once.
func (p *pruning) deleteAll(ctx context.Context) {
	object.SortUninstall(p.doomed)
	var seen []string
	for _, f := range p.doomed {
		if uid := string(f.GetUID()); !slices.Contains(seen, uid) {
			seen = append(seen, uid)
			if change := p.delete(ctx, f); change.Action != "" {
				p.result.Changes = append(p.result.Changes, change)
			}
		}
	}
}

// delete deletes one object. After a conflict it is read and judged anew, since somebody may have marked it to be kept.
// The change has no action when there turned out to be nothing to do.
func (p *pruning) delete(ctx context.Context, f found) Change {
	ref := refOf(f)
	var err error
	for range attempts {
		verdict, why := judge(p.owner, p.engine.Manager, f.namespaced, p.keep, f.PartialObjectMetadata)
		if verdict == protected {
			return Change{Ref: ref, Action: Skipped, Reason: why}
		}
		if verdict != orphaned {
			return Change{}
		}
		var alias bool
		if alias, err = p.wantedElsewhere(ctx, f); err != nil || alias {
			break
		}
		uid, version := f.GetUID(), f.GetResourceVersion()
		err = p.engine.Client.Delete(ctx, f.PartialObjectMetadata,
			client.Preconditions{UID: &uid, ResourceVersion: &version}, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if err == nil || apierrors.IsNotFound(err) {
			return Change{Ref: ref, Action: Deleted}
		}
		if !apierrors.IsConflict(err) {
			break
		}
		key := client.ObjectKeyFromObject(f.PartialObjectMetadata)
		if again := p.engine.Client.Get(ctx, key, f.PartialObjectMetadata); again != nil {
			if apierrors.IsNotFound(again) {
				return Change{Ref: ref, Action: Deleted}
			}
			err = fmt.Errorf("read it again after a conflict: %w", again)
			break
		}
	}
	if err != nil {
		return failed(ref, "deleted", err)
	}
	return Change{}
}

// wantedElsewhere reports whether the object is one the keep set names in another group. When that cannot be found out
// the object must stay, so the error counts.
func (p *pruning) wantedElsewhere(ctx context.Context, f found) (bool, error) {
	for _, ref := range p.keep.aliases(f.PartialObjectMetadata, f.namespaced, p.owner.Release.Namespace) {
		twin := &metav1.PartialObjectMetadata{}
		twin.SetGroupVersionKind(ref.GVK)
		err := p.engine.Client.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, twin)
		switch {
		case err == nil && twin.GetUID() == f.GetUID():
			return true, nil
		case err != nil && !apierrors.IsNotFound(err) && !notServed(err):
			return false, fmt.Errorf("compare it with the %s of %s that is wanted: %w", ref.GVK.Kind, ref.GVK.GroupVersion(), err)
		}
	}
	return false, nil
}

// refOf returns the identity of an object found in the cluster.
func refOf(f found) object.Ref {
	return object.Ref{GVK: f.GroupVersionKind(), Namespace: f.GetNamespace(), Name: f.GetName()}
}
