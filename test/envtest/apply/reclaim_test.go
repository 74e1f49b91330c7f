package apply_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/apply"
)

const service = `
apiVersion: v1
kind: Service
metadata: {name: shell}
spec:
  selector: {app: shell}
  ports: [{name: ssh, port: 22, targetPort: %v}]
`

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web, env: [{name: MODE, value: fast}]}]
      volumes: [{name: scratch, emptyDir: {}}]
`

// The API server merges what is applied with what others wrote. These are edits whose merge it refuses.
var _ = Describe("an edit that cannot be merged with", func() {
	var ctx context.Context
	var r release
	BeforeEach(func() {
		ctx = context.Background()
		r = newRelease(ctx, live)
	})
	byHand := func(o client.Object, name string, edit func()) {
		Expect(live.Get(ctx, client.ObjectKey{Namespace: r.namespace(), Name: name}, o)).To(Succeed())
		edit()
		Expect(live.Update(ctx, o, client.FieldOwner("kubectl-edit"))).To(Succeed())
	}

	It("is taken back: the number of a Service's port, whose address stays, and what a cloud controller wrote", func() {
		r.mustApply(ctx, sprintf(service, 22))
		s := &corev1.Service{}
		Expect(live.Get(ctx, client.ObjectKey{Namespace: r.namespace(), Name: "shell"}, s)).To(Succeed())
		s.Finalizers = append(s.Finalizers, "service.kubernetes.io/load-balancer-cleanup")
		s.Annotations = map[string]string{"cloud.example.com/id": "4711"}
		s.Spec.SessionAffinity = corev1.ServiceAffinityClientIP
		Expect(live.Update(ctx, s, client.FieldOwner("cloud-controller-manager"))).To(Succeed())
		byHand(s, "shell", func() { s.Spec.Ports[0].Port = 2222 })
		address := s.Spec.ClusterIP
		Expect(actions(r.mustApply(ctx, sprintf(service, 22)))).To(Equal([]string{"configured Service/shell"}))
		Expect(live.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
		Expect(s.Spec.Ports).To(HaveLen(1))
		Expect(s.Spec.Ports[0].Port).To(BeEquivalentTo(22))
		Expect(s.Spec.ClusterIP).To(Equal(address))
		Expect(s.Finalizers).To(ConsistOf("service.kubernetes.io/load-balancer-cleanup"))
		Expect(s.Annotations).To(HaveKey("cloud.example.com/id"))
		Expect(s.Spec.SessionAffinity).To(Equal(corev1.ServiceAffinityClientIP))
		Expect(actions(r.mustApply(ctx, sprintf(service, 22)))).To(Equal([]string{"unchanged Service/shell"}))
	})

	It("is taken back: a value made a reference, a volume made another kind of volume", func() {
		r.mustApply(ctx, web)
		d := &appsv1.Deployment{}
		byHand(d, "web", func() {
			d.Spec.Template.Spec.Containers[0].Env[0] = corev1.EnvVar{Name: "MODE", ValueFrom: &corev1.EnvVarSource{
				FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"},
			}}
			d.Spec.Template.Spec.Volumes[0].VolumeSource = corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/tmp"}}
		})
		Expect(actions(r.mustApply(ctx, web))).To(Equal([]string{"configured Deployment/web"}))
		Expect(live.Get(ctx, client.ObjectKeyFromObject(d), d)).To(Succeed())
		Expect(d.Spec.Template.Spec.Containers[0].Env).To(Equal([]corev1.EnvVar{{Name: "MODE", Value: "fast"}}))
		Expect(d.Spec.Template.Spec.Volumes[0].HostPath).To(BeNil())
	})

	It("is taken back from a Service made by hand that is adopted", func() {
		Expect(live.Create(ctx, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: "shell"},
			Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "ssh", Port: 2222, TargetPort: intstr.FromInt32(22)}}},
		}, client.FieldOwner("kubectl-create"))).To(Succeed())
		Expect(actions(r.mustApply(ctx, sprintf(service, 22)))).To(Equal([]string{"configured Service/shell"}))
	})

	It("is taken back: a strategy with the settings of another", func() {
		recreate := strings.Replace(web, "  selector:", "  strategy: {type: Recreate}\n  selector:", 1)
		r.mustApply(ctx, recreate)
		d := &appsv1.Deployment{}
		byHand(d, "web", func() {
			one := intstr.FromInt32(1)
			d.Spec.Strategy = appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &one},
			}
		})
		Expect(actions(r.mustApply(ctx, recreate))).To(Equal([]string{"configured Deployment/web"}))
		Expect(live.Get(ctx, client.ObjectKeyFromObject(d), d)).To(Succeed())
		Expect(d.Spec.Strategy).To(Equal(appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}))
	})

	It("is left to its owner while the chart's object is refused for itself, and the refusal is told", func() {
		r.mustApply(ctx, sprintf(service, 22))
		s := &corev1.Service{}
		byHand(s, "shell", func() { s.Spec.Ports[0].Port = 2222 })
		before := s.ManagedFields
		changes := r.apply(ctx, sprintf(service, 123456))
		Expect(changes).To(HaveLen(1))
		expectError(changes[0], apply.Refused, "targetPort")
		Expect(live.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
		Expect(s.ManagedFields).To(Equal(before))
	})

	It("is no reason to take the replicas from who scales, nor what somebody else applies", func() {
		r.mustApply(ctx, web)
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace(), Name: "web"}}
		scale := &autoscalingv1.Scale{ObjectMeta: d.ObjectMeta, Spec: autoscalingv1.ScaleSpec{Replicas: 5}}
		Expect(live.SubResource("scale").Update(ctx, d, client.WithSubResourceBody(scale), client.FieldOwner("autoscaler"))).To(Succeed())
		other := decode(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {nodeSelector: {disk: fast}}}}}`)[0]
		other.SetNamespace(r.namespace())
		Expect(live.Apply(ctx, client.ApplyConfigurationFromUnstructured(other), client.FieldOwner("placement"))).To(Succeed())
		byHand(d, "web", func() {
			d.Spec.Template.Spec.Volumes[0].VolumeSource = corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/tmp"}}
		})
		r.mustApply(ctx, web)
		Expect(live.Get(ctx, client.ObjectKeyFromObject(d), d)).To(Succeed())
		Expect(d.Spec.Template.Spec.Volumes[0].HostPath).To(BeNil())
		Expect(*d.Spec.Replicas).To(BeEquivalentTo(5))
		Expect(d.Spec.Template.Spec.NodeSelector).To(HaveKeyWithValue("disk", "fast"))
	})
})
