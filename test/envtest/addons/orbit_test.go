package addons_test

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/object"
)

var _ = Describe("An Orbit", func() {
	It("is available once the webserver, the dispatcher and every pool are rolled out", func(ctx context.Context) {
		p := beside(ctx, nil)
		o := p.goes(ctx)
		Expect(says(o, v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonWorkloadsNotReady)).To(ContainSubstring("graph-orbit-"))
		all := []string{webserver, dispatcher, sdlc, code}
		for i, name := range all {
			p.rolledOut(ctx, name)
			o = p.passOrbit(ctx)
			if i < len(all)-1 {
				says(o, v2alpha1.ConditionAvailable, metav1.ConditionFalse, v2alpha1.ReasonWorkloadsNotReady)
			}
		}
		says(o, v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
		Expect(says(o, v2alpha1.ConditionReady, metav1.ConditionTrue, v2alpha1.ReasonReconcileSucceeded)).To(
			Equal("Orbit chart 4.1.0 runs beside GitLab 19.4.0"))
		Expect(o.Status.Phase).To(Equal(v2alpha1.PhaseRunning))
	})

	It("keeps the webserver, the dispatcher and the indexer on, and product analytics off unless the values say otherwise", func(ctx context.Context) {
		p := beside(ctx, nil)
		p.orbit(ctx, func(o *v2alpha1.Orbit) {
			o.Spec.Chart = freeForm(`{"webserver":{"enabled":false,"replicas":1},"dispatcher":{"enabled":false},"indexer":{"enabled":false}}`)
		})
		p.goes(ctx)
		Expect(p.config(ctx, webserver+"-config")).To(ContainSubstring("analytics:\n  enabled: false"))
		p.orbit(ctx, func(o *v2alpha1.Orbit) {
			o.Spec.Chart = freeForm(`{"analytics":{"enabled":true},"nats":{"url":"nats://of-my-own:4222"},"clickhouse":{"graph":{"database":"of_my_own"}}}`)
		})
		p.goes(ctx)
		config := p.config(ctx, sdlc+"-config")
		for _, part := range []string{"analytics:\n  enabled: true", "nats://of-my-own:4222", `database: "of_my_own"`} {
			Expect(config).To(ContainSubstring(part))
		}
	})

	It("records the versions, and the endpoint and its Secret exactly while the webserver serves TLS", func(ctx context.Context) {
		p := beside(ctx, nil)
		o := p.goes(ctx)
		Expect([]string{o.Status.Version, o.Status.TargetVersion, o.Status.GitLabVersion}).To(Equal([]string{"4.1.0", "4.1.0", "19.4.0"}))
		Expect(o.Status.GRPCEndpoint).To(Equal("tls://" + webserver + "." + p.namespace + ".svc:50054"))
		Expect(o.Status.CASecretRef).To(Equal(&v2alpha1.ReportedSecretKey{Name: "orbit-tls", Key: "ca.crt"}))
		Expect(p.exists(ctx, &corev1.Service{}, webserver)).To(BeTrue(), "it is the Service the endpoint names")
		Expect(p.config(ctx, webserver+"-config")).To(ContainSubstring("/etc/orbit/tls/tls.crt"), "gRPC is served over TLS")

		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart = freeForm(`{"tls":{"existingSecret":"of-my-own"}}`) })
		Expect(p.passOrbit(ctx).Status.CASecretRef.Name).To(Equal("of-my-own"))
		p.orbit(ctx, func(o *v2alpha1.Orbit) { o.Spec.Chart, o.Spec.TLS = nil, nil })
		o = p.passOrbit(ctx)
		Expect(o.Status.GRPCEndpoint).To(BeEmpty())
		Expect(p.config(ctx, webserver+"-config")).NotTo(ContainSubstring("/etc/orbit/tls"))
		Expect(o.Status.CASecretRef).To(BeNil())
	})

	It("brings every credential to the pods as a mounted Secret key, reads no Secret and renders none", func(ctx context.Context) {
		p := whole(ctx)
		Expect(p.secrets.refused.Load()).To(BeZero())
		mounted := map[string]bool{}
		var list appsv1.DeploymentList
		Expect(w.Live.List(ctx, &list, client.InNamespace(p.namespace), client.MatchingLabels{object.LabelReleaseKind: "orbit"})).To(Succeed())
		for _, d := range list.Items {
			for _, v := range d.Spec.Template.Spec.Volumes {
				if v.Secret != nil {
					mounted[v.Secret.SecretName] = true
				}
			}
			for _, c := range d.Spec.Template.Spec.Containers {
				Expect(c.Env).To(BeEmpty())
			}
		}
		Expect(mounted).To(HaveLen(4))
		for _, name := range []string{"orbit-datalake", "orbit-graph", "orbit-jwt", "orbit-tls"} {
			Expect(mounted).To(HaveKey(name))
		}
		var secrets corev1.SecretList
		Expect(w.Live.List(ctx, &secrets, client.InNamespace(p.namespace))).To(Succeed())
		Expect(secrets.Items).To(BeEmpty())
		Expect(p.get(ctx, &v2alpha1.Orbit{}, orbitName).(*v2alpha1.Orbit).Status.RenderedKinds).NotTo(ContainElement("v1/Secret"))
	})

	It("applies as orbit-controller, stamps and owns what it applies, and applies no RBAC", func(ctx context.Context) {
		p := beside(ctx, nil)
		p.orbit(ctx, func(o *v2alpha1.Orbit) {
			o.Spec.Chart = freeForm(`{"extraResources":[
				{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"extra"},"rules":[]},
				{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"extra-of-an-orbit"},"rules":[]},
				{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"extra"},"data":{"a":"b"}}]}`)
		})
		o := p.goes(ctx)
		d := p.get(ctx, &appsv1.Deployment{}, webserver)
		Expect(d.GetManagedFields()[0].Manager).To(Equal("orbit-controller"))
		Expect(d.GetLabels()).To(HaveKeyWithValue(object.LabelReleaseKind, "orbit"))
		Expect(metav1.GetControllerOf(d).Kind).To(Equal("Orbit"))
		Expect(p.exists(ctx, &corev1.ConfigMap{}, "extra")).To(BeTrue())
		Expect(p.exists(ctx, &rbacv1.Role{}, "extra")).To(BeFalse())
		err := w.Live.Get(ctx, client.ObjectKey{Name: "extra-of-an-orbit"}, &rbacv1.ClusterRole{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue())
		Expect(strings.Join(o.Status.RenderedKinds, " ")).NotTo(ContainSubstring("Role"))
	})

	It("restores what was deleted or edited by hand", func(ctx context.Context) {
		p := whole(ctx)
		d := &appsv1.Deployment{}
		Expect(p.exists(ctx, d, webserver)).To(BeTrue())
		image := d.Spec.Template.Spec.Containers[0].Image
		d.Spec.Template.Spec.Containers[0].Image = "edited.example.com/by:hand"
		Expect(w.Live.Update(ctx, d)).To(Succeed())
		Expect(w.Live.Delete(ctx, &appsv1.Deployment{ObjectMeta: meta(p.namespace, dispatcher)})).To(Succeed())
		cm := p.get(ctx, &corev1.ConfigMap{}, sdlc+"-config").(*corev1.ConfigMap)
		cm.Data["default.yaml"] = "edited: true"
		Expect(w.Live.Update(ctx, cm)).To(Succeed())
		p.passOrbit(ctx)
		Expect(p.get(ctx, d, webserver).(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Image).To(Equal(image))
		Expect(p.exists(ctx, &appsv1.Deployment{}, dispatcher)).To(BeTrue())
		Expect(p.config(ctx, sdlc+"-config")).To(ContainSubstring("siphon_stream_main_db"))
	})

	It("prunes the pool that its values remove, and leaves the others", func(ctx context.Context) {
		p := whole(ctx)
		Expect(p.exists(ctx, &policyv1.PodDisruptionBudget{}, code)).To(BeTrue())
		p.orbit(ctx, func(o *v2alpha1.Orbit) {
			o.Spec.Chart = freeForm(`{"indexer":{"pools":{"code":null,"fast":{"replicas":1}}}}`)
		})
		p.passOrbit(ctx)
		for _, o := range []client.Object{&appsv1.Deployment{}, &policyv1.PodDisruptionBudget{}} {
			Expect(p.exists(ctx, o, code)).To(BeFalse(), "%T", o)
		}
		Expect(p.exists(ctx, &corev1.ConfigMap{}, code+"-config")).To(BeFalse())
		Expect(p.deployments(ctx)).To(ContainElements(sdlc, "graph-orbit-indexer-fast", webserver, producer))
	})

	It("costs nothing while nothing changes: no render, no write", func(ctx context.Context) {
		p := whole(ctx)
		p.passOrbit(ctx)
		writes, renders := p.counts.Writes.Load(), w.Renders.Load()
		p.siphonReports(ctx, func(s *v2alpha1.Siphon) { s.Status.TableCount++ })
		p.now = p.now.Add(5 * time.Minute)
		o := p.passOrbit(ctx)
		Expect([]int64{p.counts.Writes.Load(), w.Renders.Load()}).To(Equal([]int64{writes, renders}))
		says(o, v2alpha1.ConditionReady, metav1.ConditionTrue, v2alpha1.ReasonReconcileSucceeded)
		p.now = p.now.Add(6 * time.Minute)
		p.passOrbit(ctx)
		Expect(w.Renders.Load()).To(BeNumerically(">", renders), "a full pass still runs every ten minutes")
	})

	It("does not know whether it is available when an object did not apply, and applies the rest", func(ctx context.Context) {
		p := beside(ctx, nil)
		store(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: dispatcher + "-config", Labels: object.Release{
			Name: "another", Namespace: p.namespace, Kind: "orbit"}.Labels()}}, nil)
		_, err := p.reconcile(ctx, p.orbits, orbitName)
		Expect(err).To(HaveOccurred(), "it is tried again")
		o := p.get(ctx, &v2alpha1.Orbit{}, orbitName)
		Expect(says(o, v2alpha1.ConditionAvailable, metav1.ConditionUnknown, v2alpha1.ReasonApplyFailed)).To(
			And(ContainSubstring(dispatcher+"-config"), ContainSubstring("another")))
		Expect(o.(*v2alpha1.Orbit).Status.Phase).To(Equal(v2alpha1.PhaseFailed))
		Expect(p.exists(ctx, &appsv1.Deployment{}, webserver)).To(BeTrue())
	})

	It("is deleted with what it rendered, and leaves its neighbours as they are", func(ctx context.Context) {
		p := whole(ctx)
		core, siphon := p.get(ctx, &v2alpha1.GitLabCore{}, instanceName), p.get(ctx, &v2alpha1.Siphon{}, siphonName)
		Expect(w.Live.Delete(ctx, newOrbit(p.namespace))).To(Succeed())
		renders := w.Renders.Load()
		_, err := p.reconcile(ctx, p.orbits, orbitName)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Renders.Load()).To(Equal(renders))
		err = w.Live.Get(ctx, key(p.namespace, orbitName), &v2alpha1.Orbit{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue())
		Expect(p.deployments(ctx)).To(Equal([]string{consumer, producer, reconciler}))
		Expect(p.exists(ctx, &corev1.Service{}, webserver)).To(BeFalse())
		Expect(p.exists(ctx, &corev1.ServiceAccount{}, "graph-orbit")).To(BeFalse())
		Expect(p.get(ctx, &v2alpha1.GitLabCore{}, instanceName).GetResourceVersion()).To(Equal(core.GetResourceVersion()))
		Expect(p.get(ctx, &v2alpha1.Siphon{}, siphonName).GetResourceVersion()).To(Equal(siphon.GetResourceVersion()))
	})
})
