package release

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// Pass is one look at one resource: what it found, and what its status will say. The status is written once, from here.
type Pass struct {
	// Object is the resource as it was read.
	Object client.Object
	// Owner is the resource as the owner of its release.
	Owner apply.Owner
	// Now is the time of the pass.
	Now time.Time
	// Was is what earlier passes recorded, and Next becomes the status.
	Was, Next v2alpha1.ReleaseStatus
	// Secrets knows what must not appear in a message.
	Secrets values.Redactor
	// Partial says that the cluster did not tell all it serves, so that nothing may be pruned.
	Partial bool
	// Applied says that every object of the release was applied in this pass.
	Applied bool
	// Initializing and Available are the outcomes of what comes before the first object is applied and of what comes
	// after; nil leaves a condition as it was.
	Initializing, Available outcome.Outcome

	// failed is how the last full pass ended, in a pass that comes too soon after it to be another.
	failed outcome.Outcome
	// hooksRan says that the hooks completed in this very pass, so that the next one has to clean up after them.
	hooksRan bool
	// unpruned says that a prune did not get through for a reason that passes, so that the next pass has to prune again.
	unpruned bool
	// remembered says that this pass lets the next ones be free, which holds only once its status is written.
	remembered bool
}

// Begin begins a pass on a resource whose status says what was. What it has on record is watched from now on, also by a
// process that has applied nothing of it yet and may not for a while, since the resource waits or is refused.
func (e *Engine) Begin(owner apply.Owner, o client.Object, was v2alpha1.ReleaseStatus, now time.Time) *Pass {
	if e.Drift != nil {
		// A watch that cannot be had is tried for again before the next apply, which then says so.
		_ = e.Drift.Watch(was.RenderedKinds)
	}
	return &Pass{Object: o, Owner: owner, Now: now, Was: was, Next: *was.DeepCopy()}
}

// OwnerOf is a resource as the owner of its release.
func OwnerOf(resource plan.Resource, kind string) apply.Owner {
	return apply.Owner{Release: resource.Release(), Object: resource.Object(), GVK: v2alpha1.GroupVersion.WithKind(kind)}
}

// Initialize notes the outcome of a stage before the first object is applied, and returns it. A spec that gives no
// release, a hook that failed and a GitLabSecrets that the API server refused take back that the hooks ran, so that they
// run again. A wait does not, nor does what the spec is not to blame for: a render for which no process was free, a read
// that failed, a check that a webhook should have made.
func (p *Pass) Initialize(o outcome.Outcome) outcome.Outcome {
	p.Initializing = o
	again := false
	switch o := o.(type) {
	case outcome.Refuse:
		again = o.Reason != v2alpha1.ReasonAdmissionRefused
	case outcome.Fail:
		again = o.Reason == v2alpha1.ReasonHooksFailed || o.Reason == v2alpha1.ReasonApplyFailed
	case outcome.Wait, outcome.Continue:
	}
	if again {
		p.Next.HooksGeneration = 0
	}
	return o
}

// Initialized reports whether the hooks of the target completed for this generation.
func (p *Pass) Initialized() bool {
	return p.Was.HooksGeneration == p.Object.GetGeneration() && p.Was.HooksVersion == p.Next.TargetVersion
}

// Ran reports whether a release of this resource was applied before.
func (p *Pass) Ran() bool { return p.Was.Version != "" }

// hooksFailed reports whether the last pass recorded a failure of this generation's hooks.
func (p *Pass) hooksFailed() bool {
	c := apimeta.FindStatusCondition(p.Was.Conditions, v2alpha1.ConditionInitialized)
	return c != nil && c.Reason == v2alpha1.ReasonHooksFailed && c.ObservedGeneration == p.Object.GetGeneration()
}

// hookToken names the run of the hooks: another generation or another version is another run.
func (p *Pass) hookToken() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%s", p.Object.GetUID(), p.Object.GetGeneration(), p.Next.TargetVersion))
	return hex.EncodeToString(sum[:8])
}

// digest identifies what this pass would do: the inputs, and the generation whose hooks must have run.
func (p *Pass) digest(in plan.Inputs) string {
	return fmt.Sprintf("%d/%s", p.Object.GetGeneration(), in.Digest())
}

// turned returns the condition of a type when it became what it is in this pass: another status, reason or message.
func turned(was, is []metav1.Condition, conditionType string) *metav1.Condition {
	after := apimeta.FindStatusCondition(is, conditionType)
	if after == nil {
		return nil
	}
	before := apimeta.FindStatusCondition(was, conditionType)
	if before != nil && before.Status == after.Status && before.Reason == after.Reason && before.Message == after.Message {
		return nil
	}
	return after
}

// Stop reports whether an outcome ends a pass.
func Stop(o outcome.Outcome) bool {
	_, goOn := o.(outcome.Continue)
	return !goOn
}

// bad reports whether an outcome needs somebody to look.
func bad(o outcome.Outcome) bool {
	switch o.(type) {
	case outcome.Refuse, outcome.Fail:
		return true
	}
	return false
}
