// Package apply brings rendered objects to a cluster and takes away what is no longer rendered.
//
// Floor 2, effect. It talks to an API server through the client it is given and knows none of our kinds: whose objects
// they are is an Owner, which objects they are is a list. The one idea: nothing is lost or taken over by accident. So
// every object is looked at before it is written, every deletion names the exact object it means, one object that fails
// stops no other, and both Apply and Prune return a ChangeSet that says what became of each.
//
// Decisions (whose an object is, what is sent, what may be deleted, what an error means) are pure functions in
// ownership.go, prepare.go, guarded.go, candidates.go and explain.go; the files apply.go and prune.go only carry them out.
package apply

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// attempts is how often one object is read and written again after a conflict before the pass gives up on it. A
// conflict means somebody else wrote at the same moment; more than a few in a row is left to the next pass.
const attempts = 4

// ErrOwner says the owner is not complete enough to tell its objects from others', so nothing was touched.
var ErrOwner = errors.New("the owner needs a UID, a kind and a complete release to apply or prune for it")

// Owner is the resource whose release is applied.
type Owner struct {
	// Release is stamped on every object as labels, and is what a prune looks for.
	Release object.Release
	// Object is the stored resource: its UID is what owner references and deletions go by.
	Object metav1.Object
	// GVK is its kind, for the owner references.
	GVK schema.GroupVersionKind
}

// check refuses an owner whose labels or UID would match more than its own objects.
func (o Owner) check() error {
	r := o.Release
	if o.Object == nil || o.Object.GetUID() == "" || o.GVK.Kind == "" || r.Name == "" || r.Namespace == "" || r.Kind == "" {
		return ErrOwner
	}
	return nil
}

// String returns "GitLabCore ns/name", as messages print an owner.
func (o Owner) String() string {
	return o.GVK.Kind + " " + o.Release.Namespace + "/" + o.Release.Name
}

// Engine applies and prunes. It keeps no state between calls and may be used by several passes at once.
type Engine struct {
	// Client reads and writes without a cache: a decision to overwrite or delete must not rest on an old copy.
	Client client.Client
	// Manager is the field manager, such as gitlabcore-controller.
	Manager string
}

// Options of one Apply.
type Options struct {
	// Guarded names the Secrets whose existing keys are never replaced: those a chart looks up to decide what to
	// generate. They get no owner reference, so they outlive their owner.
	Guarded []object.Ref
}

// guarded reports whether the object is one of the guarded Secrets.
func (o Options) guarded(ref object.Ref) bool {
	for _, g := range o.Guarded {
		if isSecret(ref.GVK.GroupKind()) && g.Same(ref) {
			return true
		}
	}
	return false
}

// isSecret reports whether objects of the kind hold text that must never be printed.
func isSecret(gk schema.GroupKind) bool { return gk == schema.GroupKind{Kind: "Secret"} }
