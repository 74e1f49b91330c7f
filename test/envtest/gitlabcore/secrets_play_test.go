package gitlabcore_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/testing/expect"
)

// hookJob is the only hook of a release that has a GitLabSecrets. It stays after it ran, so that its UID tells whether it
// ran again.
const hookJob = "instance-check"

// sparse are values that leave of chart 10.5 a GitLabSecrets, one hook and a handful of components. More is added to
// the shared-secrets values.
func sparse(sharedSecrets string) []byte {
	return fmt.Appendf(nil, `{"prometheus":{"install":false},"gitlab":{"toolbox":{"enabled":false}},"shared-secrets":{%s},
		"extraResources":[{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":%q,"annotations":{"helm.sh/hook":"pre-install"}},
		"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"check","image":"registry.example.com/check:1"}]}}}}]}`, sharedSecrets, hookJob)
}

// withSecrets is a GitLabCore whose release has a GitLabSecrets and one hook.
func withSecrets(namespace string) *v2alpha1.GitLabCore {
	core := small(namespace)
	core.Spec.Version.Version = "10.5.0"
	core.Spec.Chart.Values.Raw = sparse(`"selfsign":{"keySize":2048}`)
	return core
}

// declared reads the GitLabSecrets of the release.
func (i *instance) declared(ctx context.Context) *v2alpha1.GitLabSecrets {
	GinkgoHelper()
	secrets := &v2alpha1.GitLabSecrets{}
	Expect(w.Live.Get(ctx, request(i.namespace).NamespacedName, secrets)).To(Succeed())
	return secrets
}

// secretsSay plays the GitLabSecrets controller: Ready for a generation, by default the one there is.
func (i *instance) secretsSay(ctx context.Context, status metav1.ConditionStatus, reason, message string, generation ...int64) {
	GinkgoHelper()
	secrets := i.declared(ctx)
	at := secrets.Generation
	if len(generation) > 0 {
		at = generation[0]
	}
	secrets.Status.Conditions = []metav1.Condition{{
		Type: v2alpha1.ConditionReady, Status: status, Reason: reason, Message: message, ObservedGeneration: at, LastTransitionTime: metav1.Now(),
	}}
	Expect(w.Live.Status().Update(ctx, secrets)).To(Succeed())
}

func (i *instance) secretsReady(ctx context.Context) {
	GinkgoHelper()
	i.secretsSay(ctx, metav1.ConditionTrue, v2alpha1.ReasonSecretsReady, "all declared Secrets are there")
}

// lost is what a GitLabSecrets says when a data-bearing value is gone.
const lost = "Secret instance-rails-secret: db_key_base was there and is missing"

func (i *instance) secretsLost(ctx context.Context) {
	GinkgoHelper()
	i.secretsSay(ctx, metav1.ConditionFalse, v2alpha1.ReasonUnitsReported, lost)
}

// waits expects that the pass stopped for the GitLabSecrets, and returns the words for it.
func waits(core *v2alpha1.GitLabCore) string {
	GinkgoHelper()
	message := says(core, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonWaitingForSecrets)
	Expect(core.Status.Phase).To(Equal(v2alpha1.PhasePreparing))
	Expect(core).To(expect.ObeyStatusLaws())
	return message
}

// rest is what there is of the release beside its GitLabSecrets.
func (i *instance) rest(ctx context.Context, core *v2alpha1.GitLabCore) []string {
	GinkgoHelper()
	var out []string
	for _, line := range inventory(ctx, i.namespace, core.Status.RenderedKinds) {
		if !strings.HasPrefix(line, "apps.gitlab.com/v2alpha1/GitLabSecrets ") {
			out = append(out, line)
		}
	}
	return out
}

// running takes a new instance to the point where everything of it is applied, cleaned up and rolled out.
func running(ctx context.Context) *instance {
	GinkgoHelper()
	i := create(ctx, withSecrets)
	i.pass(ctx)
	i.secretsReady(ctx)
	i.pass(ctx)
	i.ends(ctx, hookJob, batchv1.JobComplete)
	i.pass(ctx)
	i.rolledOut(ctx)
	i.pass(ctx)
	core := i.pass(ctx)
	says(core, v2alpha1.ConditionReady, metav1.ConditionTrue, v2alpha1.ReasonReconcileSucceeded)
	Expect(core.Status.RenderedKinds).To(And(
		ContainElement("apps.gitlab.com/v2alpha1/GitLabSecrets"), Not(ContainElement(HavePrefix("rbac.authorization.k8s.io")))))
	return i
}

// hooksAgain lets the hooks of a changed spec run to their end and the release be applied and pruned.
func (i *instance) hooksAgain(ctx context.Context) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		core := i.pass(ctx)
		if core.Status.HooksGeneration == core.Generation {
			return
		}
		job := &batchv1.Job{}
		if i.exists(ctx, job, hookJob) && job.Status.Succeeded == 0 {
			i.ends(ctx, hookJob, batchv1.JobComplete)
		} else if !job.DeletionTimestamp.IsZero() {
			i.collected(ctx, hookJob)
		}
		g.Expect(core.Status.HooksGeneration).To(Equal(core.Generation))
	}).WithTimeout(30 * time.Second).Should(Succeed())
}
