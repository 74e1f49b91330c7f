package gitlabcore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// pass is one look at one resource: what it found, and what its status will say. The status is written once, from here.
type pass struct {
	// core is the resource as it was read; its status is what earlier passes recorded.
	core  *v2alpha1.GitLabCore
	owner apply.Owner
	now   time.Time
	// next becomes the status.
	next v2alpha1.GitLabCoreStatus
	// secrets knows what must not appear in a message.
	secrets values.Redactor
	// hooksRan says that the hooks completed in this very pass, so that the next one has to clean up after them.
	hooksRan bool
	// unpruned says that a prune did not get through for a reason that passes, so that the next pass has to prune again.
	unpruned bool
	// remembered says that this pass lets the next ones be free, which holds only once its status is written.
	remembered bool
	// partial says that the cluster did not tell all it serves, so that nothing may be pruned.
	partial bool

	// The outcomes the conditions are made of; nil leaves a condition as it was.
	initializing, available, upgrading outcome.Outcome
}

func newPass(core *v2alpha1.GitLabCore, now time.Time) *pass {
	return &pass{core: core, owner: owner(core), now: now, next: *core.Status.DeepCopy()}
}

// initialize notes the outcome of a stage before the first object is applied.
func (p *pass) initialize(o outcome.Outcome) outcome.Outcome {
	p.initializing = o
	return o
}

// initialized reports whether the hooks of the target completed for this generation: the record the seeds name.
func (p *pass) initialized() bool {
	c := p.recorded()
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == p.core.Generation &&
		p.core.Status.HooksVersion == p.next.TargetVersion
}

// hooksFailed reports whether the last pass recorded a failure of this generation's hooks.
func (p *pass) hooksFailed() bool {
	c := p.recorded()
	return c != nil && c.Reason == v2alpha1.ReasonHooksFailed && c.ObservedGeneration == p.core.Generation
}

func (p *pass) recorded() *metav1.Condition {
	return apimeta.FindStatusCondition(p.core.Status.Conditions, v2alpha1.ConditionInitialized)
}

// ran reports whether a release of this resource was applied before.
func (p *pass) ran() bool { return p.core.Status.Version != "" }

// hookToken names the run of the hooks: another generation or another version is another run.
func (p *pass) hookToken() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%s", p.core.UID, p.core.Generation, p.next.TargetVersion))
	return hex.EncodeToString(sum[:8])
}

// digest identifies what this pass would do: the inputs, and the generation whose hooks must have run.
func (p *pass) digest(in plan.Inputs) string {
	return fmt.Sprintf("%d/%s", p.core.Generation, in.Digest())
}
