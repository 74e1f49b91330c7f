package apply

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// Apply brings the objects to the cluster one by one in the order given, each by a server-side apply with forced
// ownership, and returns what became of each in that order. The objects are not changed. One that fails stops no other.
//
// Definitions and RBAC are skipped. An object that belongs to somebody else is never taken over (see foreign). Namespaced
// objects without a namespace go to the owner's; a namespace on a cluster-scoped object is dropped, the cluster being
// asked which kind is which. Objects in the owner's namespace get a controller reference, except those that outlive the
// owner: kept ones, claims on volumes and guarded Secrets.
//
// A caller must not prune in a pass in which Failed is not empty, some object could not be decoded, or the cluster's
// APIs could be read only in part: the list of what to keep would not be what it seems.
func (e *Engine) Apply(ctx context.Context, owner Owner, objects []*unstructured.Unstructured, opts Options) ChangeSet {
	changes := make(ChangeSet, 0, len(objects))
	ownerErr := owner.check()
	scopes := newScopes(e.Client.RESTMapper())
	for _, u := range objects {
		ref := object.RefOf(u)
		if ownerErr != nil {
			changes = append(changes, Change{Ref: ref, Action: Failed, Err: &Error{Ref: ref, Class: Refused, Text: ownerErr.Error(), Err: ownerErr}})
			continue
		}
		changes = append(changes, e.applyOne(ctx, owner, u, opts, scopes))
	}
	return changes
}

// applyOne decides whether and where an object goes, and sends it.
func (e *Engine) applyOne(ctx context.Context, owner Owner, u *unstructured.Unstructured, opts Options, scopes *scopes) Change {
	ref := object.RefOf(u)
	if why, never := object.NeverApplied(u); never {
		return Change{Ref: ref, Action: Skipped, Reason: why}
	}
	if err := ctx.Err(); err != nil {
		return failed(ref, "applied", err)
	}
	if ref.Name == "" {
		text := fmt.Sprintf("a %s has no metadata.name; generated names cannot be applied twice. Give it a name in the chart.", ref.GVK.Kind)
		return Change{Ref: ref, Action: Failed, Err: &Error{Ref: ref, Class: Refused, Text: text}}
	}
	namespaced, err := scopes.namespaced(ref.GVK)
	if err != nil {
		return failed(ref, "applied", err)
	}
	desired := prepare(u, owner, place{namespaced: namespaced})
	guarded := opts.guarded(object.RefOf(desired))
	if guarded {
		desired = prepare(u, owner, place{namespaced: namespaced, guarded: true})
	}
	return e.send(ctx, owner, desired, guarded)
}

// send reads the live object, decides whether it may be written and writes it; after a conflict, and once after it took
// over an edit that cannot be merged with, it does so again.
func (e *Engine) send(ctx context.Context, owner Owner, desired *unstructured.Unstructured, guarded bool) Change {
	ref := object.RefOf(desired)
	reclaimed := guarded
	var err error
	for range attempts {
		var live *unstructured.Unstructured
		if live, err = e.live(ctx, ref); err != nil {
			return failed(ref, "applied", err)
		}
		if live != nil {
			if other := foreign(owner, ref, live); other != nil {
				return Change{Ref: ref, Action: Foreign, Reason: other.Error(), Err: other, Transient: other.Hint == hintForeignEarlier}
			}
		}
		var stored *unstructured.Unstructured
		if stored, err = e.write(ctx, desired, live, guarded); err == nil {
			return outcomeOf(ref, live, stored)
		}
		if lookedOutdated(err) {
			continue
		}
		if reclaimed || !e.reclaim(ctx, desired, live, err) {
			break
		}
		reclaimed = true
	}
	return failed(ref, "applied", err)
}

// live returns the object as it is stored, nil when it is not there.
func (e *Engine) live(ctx context.Context, ref object.Ref) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(ref.GVK)
	err := e.Client.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, u)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read it before writing: %w", err)
	}
	return u, nil
}

// write sends the object and returns it as stored. What was found there is named by its UID, so an object that was
// deleted and made by somebody else in between is read again rather than taken over. A guarded Secret that was not
// there is created rather than applied, so that one made in between is not overwritten.
func (e *Engine) write(ctx context.Context, desired, live *unstructured.Unstructured, guarded bool) (*unstructured.Unstructured, error) {
	sent := desired.DeepCopy()
	if live == nil && guarded {
		if err := e.Client.Create(ctx, sent, client.FieldOwner(e.Manager)); err != nil {
			return nil, fmt.Errorf("create it: %w", err)
		}
		return sent, nil
	}
	if live != nil {
		sent.SetUID(live.GetUID())
		if guarded {
			keepExisting(sent, live, e.Manager)
		}
	}
	err := e.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(sent), client.FieldOwner(e.Manager), client.ForceOwnership)
	if err != nil {
		return nil, fmt.Errorf("apply it: %w", err)
	}
	return sent, nil
}

// outcomeOf names what a successful write did.
func outcomeOf(ref object.Ref, live, stored *unstructured.Unstructured) Change {
	change := Change{Ref: ref, Live: stored}
	switch {
	case live == nil:
		change.Action = Created
	case sameContent(live, stored):
		change.Action = Unchanged
	default:
		change.Action = Configured
	}
	if stored.GetDeletionTimestamp() != nil {
		change.Reason = "it is being deleted; it is made again when it is gone"
	}
	return change
}

// failed turns an error into the change it means.
func failed(ref object.Ref, verb string, err error) Change {
	explained := explain(ref, verb, err)
	return Change{Ref: ref, Action: Failed, Err: explained, Transient: explained.Class == Transient}
}
