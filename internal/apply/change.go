package apply

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// Action is what became of one object.
type Action string

// The closed set of actions.
const (
	// Created says the object was not there and is now.
	Created Action = "created"
	// Configured says the object was there and was changed, which includes drift that was put right.
	Configured Action = "configured"
	// Unchanged says the object was as it should be.
	Unchanged Action = "unchanged"
	// Deleted says the API server accepted the deletion; the object may still be finishing.
	Deleted Action = "deleted"
	// Skipped says the object was left alone on purpose; Reason says why.
	Skipped Action = "skipped"
	// Failed says the object could not be applied or deleted; Err says why.
	Failed Action = "failed"
	// Foreign says the object belongs to somebody else and was not touched; Err is a *ForeignError naming both.
	Foreign Action = "foreign"
)

// Change is what became of one object.
type Change struct {
	// Ref is the object, with the namespace it has in the cluster.
	Ref object.Ref
	// Action is what was done.
	Action Action
	// Reason is a sentence for a reader when the action needs one: why skipped, why foreign.
	Reason string
	// Err is set when the action is Failed (an *Error) or Foreign (a *ForeignError). It never quotes a Secret.
	Err error
	// Transient says the same pass may well succeed next time with nothing changed: the API server was busy, a webhook
	// was away, somebody wrote at the same moment. Otherwise the object or the cluster has to change first.
	Transient bool
	// Live is the object as the API server stored it, after Created, Configured and Unchanged. Nil otherwise.
	Live *unstructured.Unstructured
}

// ChangeSet is what became of each object, in the order they were handled.
type ChangeSet []Change

// Failed returns the objects that are not as they should be: those that failed and those that belong to somebody else.
// While it is not empty nothing may be pruned.
func (s ChangeSet) Failed() []Change {
	var out []Change
	for _, c := range s {
		if c.Action == Failed || c.Action == Foreign {
			out = append(out, c)
		}
	}
	return out
}

// Of returns the changes with one action.
func (s ChangeSet) Of(action Action) []Change {
	var out []Change
	for _, c := range s {
		if c.Action == action {
			out = append(out, c)
		}
	}
	return out
}

// Refs returns the objects that were handed to Apply and are now in the cluster or were left alone in it: what a prune
// has to keep of this list. Foreign and failed objects are in it too, since failing to write an object is no reason to
// delete it.
func (s ChangeSet) Refs() []object.Ref {
	out := make([]object.Ref, 0, len(s))
	for _, c := range s {
		out = append(out, c.Ref)
	}
	return out
}

// PruneResult is what a prune did and what it leaves to look at again.
type PruneResult struct {
	// Changes holds one entry per object that was deleted, protected or could not be deleted, and one per kind that
	// could not be listed (its Ref has no name).
	Changes ChangeSet
	// Remaining lists, of the kinds given, those a later prune must look at again, in the form they were given and
	// sorted. See Engine.Prune for when a kind leaves it.
	Remaining []string
}
