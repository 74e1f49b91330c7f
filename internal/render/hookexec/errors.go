package hookexec

import (
	"fmt"
	"time"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// FailedError says that a hook ran and did not succeed.
type FailedError struct {
	// Hook is the hook that failed.
	Hook object.Ref
	// Event is the event it ran for.
	Event string
	// Message is what its Job says, with the container that is stuck when there is one.
	Message string
	// TimedOut is how long the hook was given when it was still running then, else 0.
	TimedOut time.Duration
}

// Error names the hook, why it failed and where to look.
func (e *FailedError) Error() string {
	if e.TimedOut > 0 {
		return fmt.Sprintf("%s hook %s did not complete within %s: %s", e.Event, e.Hook, e.TimedOut, e.Message)
	}
	return fmt.Sprintf("%s hook %s did not succeed: %s", e.Event, e.Hook, e.Message)
}

// ForeignError says that an object with the name of a hook is there and belongs to somebody else. It is never touched.
type ForeignError struct {
	// Hook is the object that is in the way.
	Hook object.Ref
	// Owner says whose it is, as far as its labels and its controller tell.
	Owner string
	// Release is the release whose hook it should have been.
	Release object.Release
}

// Error names the object and both owners, and what to do.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("hook %s of %s cannot run: an object of that name exists and belongs to %s; rename or delete it, or turn the hook off in the values",
		e.Hook, e.Release, e.Owner)
}

// RefusedError says that a hook is one that is never run. Trying again does not help: the chart has to change.
type RefusedError struct {
	Hook object.Ref
	Why  string
}

// Error names the hook and the reason.
func (e *RefusedError) Error() string { return fmt.Sprintf("hook %s is refused: %s", e.Hook, e.Why) }

// UnservedError says that the cluster could not place the kind of a hook, most often since it does not serve it.
type UnservedError struct {
	Hook object.Ref
	Err  error
}

// Error names the kind that is missing.
func (e *UnservedError) Error() string {
	return fmt.Sprintf("hook %s needs the kind %s, which the cluster does not serve: %v", e.Hook, object.KindKey(e.Hook.GVK), e.Err)
}

// Unwrap returns the cluster's answer.
func (e *UnservedError) Unwrap() error { return e.Err }
