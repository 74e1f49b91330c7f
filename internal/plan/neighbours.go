package plan

import (
	"context"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// meetInterval is when a neighbour is looked at again at the latest; a watch on it comes first.
const meetInterval = 30 * time.Second

const fieldGitLabRef = "spec.gitlabRef.name"

// meetGitLab waits for the instance an add-on belongs to: that it is there, is available and says its version, and that
// its spec tells its values, which nothing may stand in for in a release. An instance on its way out is no longer
// available to anybody.
func meetGitLab(name string, n Neighbours) Meeting {
	core := n.GitLabCore
	wait := func(reason outcome.Reason, text string) Meeting {
		return Meeting{Field: fieldGitLabRef, Outcome: outcome.Wait{Reason: reason, Message: text, After: meetInterval}}
	}
	switch {
	case core.Object == nil:
		return wait(v2alpha1.ReasonGitLabNotFound, fmt.Sprintf("GitLabCore %s does not exist in this namespace", name))
	case !core.Object.DeletionTimestamp.IsZero():
		return wait(v2alpha1.ReasonGitLabNotReady, fmt.Sprintf("GitLabCore %s is being deleted", name))
	case !available(core.Object.Status.ReleaseStatus):
		return wait(v2alpha1.ReasonGitLabNotReady, fmt.Sprintf("GitLabCore %s is not available yet%s", name, because(core.Object.Status.ReleaseStatus)))
	case core.Object.Status.GitLabVersion == "":
		return wait(v2alpha1.ReasonGitLabVersionPending, fmt.Sprintf("GitLabCore %s does not say yet which version of GitLab it runs", name))
	}
	if !n.Instance.Known {
		return wait(v2alpha1.ReasonGitLabNotReady, fmt.Sprintf("the spec of GitLabCore %s gives no values, so its address is not known: see its conditions, and correct it", name))
	}
	return met()
}

// available reports whether a neighbour's workloads are rolled out. The condition may be of an earlier generation: what
// runs then still runs, and an add-on must not stop for every edit of its instance.
func available(status v2alpha1.ReleaseStatus) bool {
	return apimeta.IsStatusConditionTrue(status.Conditions, v2alpha1.ConditionAvailable)
}

// because passes on what a neighbour says of itself.
func because(status v2alpha1.ReleaseStatus) string {
	c := apimeta.FindStatusCondition(status.Conditions, v2alpha1.ConditionReady)
	if c == nil || c.Status == metav1.ConditionTrue {
		return ""
	}
	return fmt.Sprintf(": %s: %s", c.Reason, c.Message)
}

// Instance is what an add-on knows of the values of its instance.
type Instance struct {
	values.Effective
	// Known says that there is an instance and that its values can be read, those of its ConfigMaps too.
	Known bool
}

// instanceOf reads the values of an instance as far as its spec and the ConfigMaps it names tell them. A Secret is not
// read for the sake of another resource.
func instanceOf(ctx context.Context, facts Facts, core *v2alpha1.GitLabCore) (Instance, error) {
	if core == nil {
		return Instance{}, nil
	}
	var references []derive.Reference
	known := true
	for i, ref := range OfCore(core).valuesFrom() {
		if ref.Kind != v2alpha1.ValuesReferenceConfigMap || !readable(ref) {
			continue
		}
		found, err := reference(ctx, facts, core.Namespace, i, ref)
		if err != nil {
			return Instance{}, fmt.Errorf("read the values of GitLabCore %s: %w", core.Name, err)
		}
		known = known && !found.Unread
		references = append(references, found.Reference)
	}
	// What is wrong with the values, the instance itself says.
	effective, err := derive.InstanceValues(core, references...)
	return Instance{Effective: effective, Known: known && err == nil}, nil
}

// absent says that a neighbour is not there: a warning, since a GitOps tool may create it a second later, and a dry run
// never does. Nothing is said of one that nobody could look for.
func absent(presence Presence, field, who string) []rules.Fault {
	if presence != Missing {
		return nil
	}
	return []rules.Fault{fault(rules.Warning, rules.ReferenceMissing, field, who+" does not exist in this namespace; nothing is applied until it does")}
}

// unfit says that a neighbour cannot be worked with, as a warning too: it may be replaced before this resource is.
func unfit(m Meeting) []rules.Fault {
	refusal, refused := m.Outcome.(outcome.Refuse)
	if !refused {
		return nil
	}
	return []rules.Fault{fault(rules.Warning, rules.NeighbourUnfit, m.Field, refusal.Message)}
}
