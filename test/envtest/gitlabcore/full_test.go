package gitlabcore_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// seventeen are the kinds of a full release.
var seventeen = []string{
	"apps/v1/Deployment", "apps/v1/StatefulSet", "autoscaling/v2/HorizontalPodAutoscaler", "batch/v1/CronJob", "batch/v1/Job",
	"gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy", "gateway.envoyproxy.io/v1alpha1/EnvoyProxy",
	"gateway.networking.k8s.io/v1/Gateway", "gateway.networking.k8s.io/v1/GatewayClass", "gateway.networking.k8s.io/v1/HTTPRoute",
	"gateway.networking.k8s.io/v1/TCPRoute", "policy/v1/PodDisruptionBudget",
	"v1/ConfigMap", "v1/PersistentVolumeClaim", "v1/Secret", "v1/Service", "v1/ServiceAccount",
}

// full is a GitLabCore whose release has everything the chart has by default, and a GatewayClass.
func full(namespace string) *v2alpha1.GitLabCore {
	core := routed(namespace)
	core.Spec.Chart = nil
	return core
}

var _ = Describe("A full GitLabCore", func() {
	It("has the seventeen kinds of its release on record, and each of them in the cluster", func(ctx context.Context) {
		i := create(ctx, full)
		core := i.pass(ctx)
		Expect(core.Status.RenderedKinds).To(Equal(seventeen), "they are on record before the first of them is applied")
		i.ends(ctx, secretsJob, batchv1.JobComplete)
		core = i.pass(ctx)
		Expect(core.Status.Version).To(Equal("10.4.0"))
		Expect(core.Status.RenderedKinds).To(Equal(seventeen))
		for _, kind := range seventeen {
			Expect(inventory(ctx, i.namespace, []string{kind})).NotTo(BeEmpty(), kind)
		}
	})
})
