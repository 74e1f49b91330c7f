package addons_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// held expects that an Orbit renders and applies nothing, for a reason, and does not know whether it is available.
func (p *place) held(ctx context.Context, phase v2alpha1.Phase, reason, text string) *v2alpha1.Orbit {
	GinkgoHelper()
	renders := w.Renders.Load()
	o := p.passOrbit(ctx)
	Expect(says(o, v2alpha1.ConditionInitialized, metav1.ConditionFalse, reason)).To(ContainSubstring(text))
	says(o, v2alpha1.ConditionAvailable, metav1.ConditionUnknown, reason)
	says(o, v2alpha1.ConditionReady, metav1.ConditionFalse, reason)
	Expect(o.Status.Phase).To(Equal(phase))
	Expect(w.Renders.Load()).To(Equal(renders), "nothing renders")
	Expect(o.Generation).To(BeEquivalentTo(1), "nobody changed the Orbit")
	return o
}

// goes expects that an Orbit is applied.
func (p *place) goes(ctx context.Context) *v2alpha1.Orbit {
	GinkgoHelper()
	o := p.passOrbit(ctx)
	says(o, v2alpha1.ConditionInitialized, metav1.ConditionTrue, v2alpha1.ReasonChartRendered)
	Expect(p.deployments(ctx)).To(ContainElements(webserver, dispatcher, sdlc, code))
	return o
}

// beside is a place with an instance and a Siphon that serve as the spec says, and an Orbit that was never looked at.
func beside(ctx context.Context, change func(*v2alpha1.GitLabCore, *v2alpha1.Siphon)) *place {
	GinkgoHelper()
	p := newPlace(ctx)
	core, siphon := newCore(p.namespace), newSiphon(p.namespace)
	if change != nil {
		change(core, siphon)
	}
	store(ctx, core, running)
	store(ctx, siphon, publishing)
	store(ctx, newOrbit(p.namespace), nil)
	return p
}

var _ = Describe("An Orbit and its neighbours", func() {
	It("waits for its instance and its Siphon step by step, and each wait resolves without a change to the Orbit", func(ctx context.Context) {
		p := newPlace(ctx)
		store(ctx, newOrbit(p.namespace), nil)
		waits := func(reason, text string) {
			GinkgoHelper()
			p.held(ctx, v2alpha1.PhasePreparing, reason, text)
			result, err := p.reconcile(ctx, p.orbits, orbitName)
			Expect(err).NotTo(HaveOccurred())
			Expect(result.RequeueAfter).To(Equal(30 * time.Second))
			Expect(p.deployments(ctx)).To(BeEmpty())
		}
		waits(v2alpha1.ReasonGitLabNotFound, "GitLabCore gitlab does not exist")
		store(ctx, newCore(p.namespace), nil)
		waits(v2alpha1.ReasonGitLabNotReady, "GitLabCore gitlab is not available yet")
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.Conditions = available(metav1.ConditionTrue, "") })
		waits(v2alpha1.ReasonGitLabVersionPending, "which version of GitLab")
		p.coreReports(ctx, running)
		waits(v2alpha1.ReasonSiphonNotFound, "Siphon events does not exist")
		store(ctx, newSiphon(p.namespace), nil)
		waits(v2alpha1.ReasonSiphonNotReady, "Siphon events is not available yet")
		p.siphonReports(ctx, func(s *v2alpha1.Siphon) {
			s.Status.Conditions = available(metav1.ConditionFalse, "the consumer crashes")
		})
		waits(v2alpha1.ReasonSiphonNotReady, "the consumer crashes")
		p.siphonReports(ctx, func(s *v2alpha1.Siphon) { s.Status.Conditions = available(metav1.ConditionTrue, "") })
		waits(v2alpha1.ReasonSiphonStreamPending, "which stream it publishes to")
		p.siphonReports(ctx, publishing)
		p.goes(ctx)
	})

	It("refuses a GitLab that is too old, names both versions, and goes on after the upgrade", func(ctx context.Context) {
		p := beside(ctx, nil)
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "19.2.1" })
		o := p.held(ctx, v2alpha1.PhaseFailed, v2alpha1.ReasonGitLabTooOld, "19.2.1")
		Expect(says(o, v2alpha1.ConditionStalled, metav1.ConditionTrue, v2alpha1.ReasonGitLabTooOld)).To(ContainSubstring("19.2.2"))
		Expect(p.told()).To(ContainElement(HavePrefix("Warning ConfigError ")))
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "19.2.2" })
		o = p.goes(ctx)
		Expect(o.Status.GitLabVersion).To(Equal("19.2.2"))
	})

	It("refuses a Siphon of another instance, names both, and goes on with one of its own", func(ctx context.Context) {
		p := beside(ctx, func(_ *v2alpha1.GitLabCore, s *v2alpha1.Siphon) { s.Spec.GitLabRef.Name = "another" })
		o := p.held(ctx, v2alpha1.PhaseFailed, v2alpha1.ReasonGitLabMismatch, "GitLabCore another")
		Expect(says(o, v2alpha1.ConditionInitialized, metav1.ConditionFalse, v2alpha1.ReasonGitLabMismatch)).To(ContainSubstring("GitLabCore gitlab"))
		p.siphon(ctx, func(s *v2alpha1.Siphon) { s.Spec.GitLabRef.Name = instanceName })
		p.goes(ctx)
	})

	It("refuses a Siphon with NATS credentials, and goes on with one without", func(ctx context.Context) {
		p := beside(ctx, func(_ *v2alpha1.GitLabCore, s *v2alpha1.Siphon) {
			s.Spec.Queue.Auth = &v2alpha1.QueueAuth{UsernameSecretRef: secretKey("nats"), PasswordSecretRef: secretKey("nats")}
		})
		p.held(ctx, v2alpha1.PhaseFailed, v2alpha1.ReasonSiphonUsesCredentials, "spec.queue.auth")
		p.siphon(ctx, func(s *v2alpha1.Siphon) { s.Spec.Queue.Auth = nil })
		p.goes(ctx)
	})

	It("waits while its Siphon is being deleted, whatever it reports, and goes on with the next one", func(ctx context.Context) {
		p := beside(ctx, func(_ *v2alpha1.GitLabCore, s *v2alpha1.Siphon) { s.Finalizers = []string{"example.com/held"} })
		p.goes(ctx)
		Expect(w.Live.Delete(ctx, newSiphon(p.namespace))).To(Succeed())
		p.held(ctx, v2alpha1.PhasePreparing, v2alpha1.ReasonSiphonDeleting, "Siphon events is being deleted")
		Expect(p.deployments(ctx)).To(HaveLen(4), "what is applied keeps running")
		p.siphon(ctx, func(s *v2alpha1.Siphon) { s.Finalizers = nil })
		p.held(ctx, v2alpha1.PhasePreparing, v2alpha1.ReasonSiphonNotFound, "Siphon events does not exist")
		Expect(p.deployments(ctx)).To(HaveLen(4))
		store(ctx, newSiphon(p.namespace), publishing)
		p.goes(ctx)
	})

	It("keeps what runs while a neighbour is away, and does not say that it is available", func(ctx context.Context) {
		p := whole(ctx)
		runs := p.deployments(ctx)
		before := p.get(ctx, &v2alpha1.Orbit{}, orbitName).(*v2alpha1.Orbit)
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.Conditions = available(metav1.ConditionFalse, "down") })
		o := p.held(ctx, v2alpha1.PhasePreparing, v2alpha1.ReasonGitLabNotReady, "down")
		Expect(p.deployments(ctx)).To(Equal(runs))
		Expect([]any{o.Status.Version, o.Status.GitLabVersion, o.Status.GRPCEndpoint}).To(
			Equal([]any{before.Status.Version, before.Status.GitLabVersion, before.Status.GRPCEndpoint}))
		p.coreReports(ctx, running)
		says(p.goes(ctx), v2alpha1.ConditionAvailable, metav1.ConditionTrue, v2alpha1.ReasonWorkloadsReady)
	})

	It("takes the address of GitLab from the instance, and NATS, the datalake and the stream from the Siphon", func(ctx context.Context) {
		p := beside(ctx, func(_ *v2alpha1.GitLabCore, s *v2alpha1.Siphon) {
			s.Spec.Queue.TLS = &v2alpha1.QueueTLS{SecretName: "nats-certificates"}
			s.Spec.Sink.Port = 9440
		})
		p.siphonReports(ctx, func(s *v2alpha1.Siphon) { s.Status.StreamName = "a_stream_of_its_own" })
		p.goes(ctx)
		config := p.config(ctx, sdlc+"-config")
		for _, part := range []string{"https://gitlab.example.com", "nats://nats:4222", "a_stream_of_its_own", "http://clickhouse:8123", `database: "gitlab"`, "/etc/orbit/nats/ca.pem"} {
			Expect(config).To(ContainSubstring(part))
		}
		Expect(config).NotTo(ContainSubstring("9440"), "the Siphon's port speaks another protocol")
		p.siphon(ctx, func(s *v2alpha1.Siphon) { s.Spec.Queue.URL, s.Spec.Sink.Host = "nats://other:4222", "other-clickhouse" })
		p.core(ctx, func(c *v2alpha1.GitLabCore) { c.Spec.Hostname = "git.example.org" })
		p.goes(ctx)
		config = p.config(ctx, sdlc+"-config")
		for _, part := range []string{"nats://other:4222", "http://other-clickhouse:8123", "https://git.example.org"} {
			Expect(config).To(ContainSubstring(part))
		}
	})

	It("reports the version of its instance when that moves, and renders nothing for it", func(ctx context.Context) {
		p := whole(ctx)
		p.coreReports(ctx, func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "19.4.1" })
		renders := w.Renders.Load()
		Expect(p.passOrbit(ctx).Status.GitLabVersion).To(Equal("19.4.1"))
		Expect(w.Renders.Load()).To(Equal(renders), "nothing it renders depends on it")
	})

	It("changes nothing about its instance, whether that names it or not", func(ctx context.Context) {
		p := beside(ctx, func(c *v2alpha1.GitLabCore, _ *v2alpha1.Siphon) {
			c.Spec.OrbitRef = &v2alpha1.OrbitReference{Name: orbitName}
		})
		before := p.get(ctx, &v2alpha1.GitLabCore{}, instanceName).GetResourceVersion()
		p.goes(ctx)
		Expect(p.get(ctx, &v2alpha1.GitLabCore{}, instanceName).GetResourceVersion()).To(Equal(before))
	})
})
