package gitlabcore_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

var _ = Describe("The events of a GitLabCore", func() {
	It("name what was deleted or changed by hand and put right, and nothing that was asked for", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) { core.Spec.Version.Version = "10.4.1" })
		i.pass(ctx)
		Expect(i.told(v2alpha1.EventDriftCorrected)).To(BeEmpty(), "an upgrade changes much, and nobody did anything by hand")

		Expect(w.Live.Delete(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: shell}})).To(Succeed())
		i.pass(ctx)
		Expect(i.told(v2alpha1.EventDriftCorrected)).To(Equal([]string{
			"Normal DriftCorrected made again, since somebody deleted it: Deployment " + i.namespace + "/" + shell}))
		i.edits(ctx, webservice, 0)
		i.pass(ctx)
		Expect(i.told(v2alpha1.EventDriftCorrected)).To(Equal([]string{
			"Normal DriftCorrected put back, since somebody changed it: Deployment " + i.namespace + "/" + webservice}))
		i.pass(ctx)
		Expect(i.told(v2alpha1.EventDriftCorrected)).To(BeEmpty())
	})

	It("name what a component that was switched off left behind and the prune deleted", func(ctx context.Context) {
		i := create(ctx, small)
		i.pass(ctx)
		i.edit(ctx, func(core *v2alpha1.GitLabCore) { core.Spec.Chart.Values.Raw = without("gitlab-shell") })
		i.pass(ctx)
		Expect(i.told(v2alpha1.EventPruned)).To(ConsistOf(And(
			HavePrefix("Normal Pruned "), ContainSubstring("Deployment "+i.namespace+"/"+shell), ContainSubstring("Service "+i.namespace+"/"+shell),
			Not(ContainSubstring(webservice)), Not(ContainSubstring(shell+"-motd")))))
		i.pass(ctx)
		Expect(i.told(v2alpha1.EventPruned)).To(BeEmpty())
	})
})
