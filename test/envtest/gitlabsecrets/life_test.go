package gitlabsecrets_test

import (
	"context"
	"crypto/x509"
	encodingpem "encoding/pem"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen"
)

var _ = Describe("A declared Secret", func() {
	It("is made when it is missing, and is then left alone", func(ctx context.Context) {
		i := create(ctx, entry("root-password", random("password", 64)), entry("tokens", random("token", 32), static("extra", "")))
		resource := i.settle(ctx)
		ready(resource)
		password := i.secret(ctx, "root-password")
		Expect(string(password.Data["password"])).To(MatchRegexp(`^[a-zA-Z0-9]{64}$`))
		Expect(password.Type).To(Equal(corev1.SecretTypeOpaque))
		Expect(keys(i.secret(ctx, "tokens"))).To(Equal([]string{"extra", "token"}))
		Expect(state(resource, "root-password").Ready).To(BeTrue())
		Expect(resource.Status.ObservedGeneration).To(Equal(resource.Generation))
		Expect(i.told.all(v2alpha1.EventSecretGenerated)).To(HaveLen(2))

		writes := i.counts.Writes.Load()
		result, err := i.requeue(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(30 * time.Second))
		Expect(i.counts.Writes.Load()).To(Equal(writes), "an unchanged pass writes nothing")
		Expect(i.secret(ctx, "root-password").ResourceVersion).To(Equal(password.ResourceVersion))
	})

	It("keeps the value of a key that is present, even empty, gains a missing key, and loses none", func(ctx context.Context) {
		i := create(ctx, entry("tokens", random("token", 32), random("empty", 32), random("missing", 32)))
		i.store(ctx, "tokens", map[string]string{"token": "mine", "empty": "", "other": "theirs"}, func(s *corev1.Secret) {
			s.Type, s.Annotations = "example.com/own", map[string]string{"note": "kept"}
		})
		ready(i.settle(ctx))
		after := i.secret(ctx, "tokens")
		Expect(string(after.Data["token"])).To(Equal("mine"))
		Expect(after.Data).To(HaveKeyWithValue("empty", BeEmpty()))
		Expect(string(after.Data["other"])).To(Equal("theirs"))
		Expect(after.Data["missing"]).To(HaveLen(32))
		Expect(string(after.Type)).To(Equal("example.com/own"))
		Expect(after.Annotations).To(HaveKeyWithValue("note", "kept"))
	})

	It("of another type keeps its type and stays ready, and an event names both types once", func(ctx context.Context) {
		i := create(ctx, entry("tokens", random("token", 32)))
		i.store(ctx, "tokens", map[string]string{"token": "mine"}, func(s *corev1.Secret) { s.Type = "example.com/own" })
		ready(i.settle(ctx))
		i.pass(ctx)
		Expect(i.secret(ctx, "tokens").Type).To(BeEquivalentTo("example.com/own"))
		Expect(i.told.all(v2alpha1.EventSecretTypeDiffers)).To(ConsistOf(And(
			HavePrefix(corev1.EventTypeNormal), ContainSubstring("example.com/own"), ContainSubstring("Opaque"))))
	})

	It("that is immutable and lacks a key is reported, and is ready when it lacks none", func(ctx context.Context) {
		i := create(ctx, entry("lacking", random("token", 32), random("other", 32)), entry("whole", random("token", 32)))
		fixed := func(s *corev1.Secret) { s.Immutable = new(true) }
		i.store(ctx, "lacking", map[string]string{"token": "mine"}, fixed)
		i.store(ctx, "whole", map[string]string{"token": "mine"}, fixed)
		resource := i.settle(ctx)
		says(resource, metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		Expect(unitsReported(resource, "lacking")).To(Equal([]string{"other"}))
		Expect(state(resource, "whole").Ready).To(BeTrue())
		Expect(i.secret(ctx, "whole").Labels).To(HaveKeyWithValue("app", "gitlab"), "labels do not touch the data")
		Expect(keys(i.secret(ctx, "lacking"))).To(Equal([]string{"token"}))
	})

	It("named by two entries gets the keys of both; a key with two different generators is reported, and none makes it", func(ctx context.Context) {
		i := create(ctx,
			entry("merged", random("a", 32)), entry("merged", random("b", 32), random("a", 32)),
			entry("torn", random("a", 32)), entry("torn", random("a", 64)))
		i.store(ctx, "torn", map[string]string{"own": "value"})
		resource := i.settle(ctx)
		Expect(keys(i.secret(ctx, "merged"))).To(Equal([]string{"a", "b"}))
		says(resource, metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		Expect(unitsReported(resource, "torn")).To(Equal([]string{"a"}))
		Expect(keys(i.secret(ctx, "torn"))).To(Equal([]string{"own"}))
	})

	It("with a reported unit is not created, not even with its other keys, and others are", func(ctx context.Context) {
		i := create(ctx, entry("torn", random("a", 32), random("b", 32)), entry("torn", random("a", 64)), entry("whole", random("a", 32)))
		resource := i.settle(ctx)
		Expect(i.secret(ctx, "torn")).To(BeNil())
		Expect(i.secret(ctx, "whole")).NotTo(BeNil())
		Expect(state(resource, "torn").Ready).To(BeFalse())
		Expect(state(resource, "whole").Ready).To(BeTrue())
	})

	It("carries no owner reference and every label of its GitLabSecrets but those of the release", func(ctx context.Context) {
		i := create(ctx, entry("made", random("a", 32)), entry("found", random("a", 32)))
		i.store(ctx, "found", map[string]string{"a": "mine"}, func(s *corev1.Secret) {
			s.Labels = map[string]string{"app": "another", "own": "kept"}
		})
		i.settle(ctx)
		want := map[string]string{"app": "gitlab", "release": "instance", "app.kubernetes.io/name": "gitlab"}
		Expect(i.secret(ctx, "made").Labels).To(Equal(want))
		Expect(i.secret(ctx, "made").OwnerReferences).To(BeEmpty())
		found := i.secret(ctx, "found")
		Expect(found.OwnerReferences).To(BeEmpty())
		Expect(found.Labels).To(Equal(map[string]string{"app": "gitlab", "release": "instance", "app.kubernetes.io/name": "gitlab", "own": "kept"}))
		Expect(string(found.Data["a"])).To(Equal("mine"))

		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Labels["team"] = "platform" })
		i.settle(ctx)
		Expect(i.secret(ctx, "made").Labels).To(HaveKeyWithValue("team", "platform"))
	})

	It("that another GitLabSecrets declares too keeps its labels, and a warning tells so once", func(ctx context.Context) {
		i := create(ctx, entry("shared", random("a", 32)), entry("own", random("a", 32)))
		i.store(ctx, "shared", map[string]string{"a": "mine"}, func(s *corev1.Secret) { s.Labels = map[string]string{"app": "another"} })
		Expect(w.Live.Create(ctx, &v2alpha1.GitLabSecrets{
			ObjectMeta: metav1.ObjectMeta{Name: "second", Namespace: i.namespace},
			Spec:       v2alpha1.GitLabSecretsSpec{Secrets: []v2alpha1.SecretEntry{entry("shared", random("a", 32))}},
		})).To(Succeed())
		ready(i.settle(ctx))
		i.pass(ctx)
		Expect(i.secret(ctx, "shared").Labels).To(Equal(map[string]string{"app": "another"}))
		Expect(i.secret(ctx, "own").Labels).To(HaveKeyWithValue("app", "gitlab"))
		Expect(i.told.all(v2alpha1.EventSecretShared)).To(ConsistOf(And(
			HavePrefix(corev1.EventTypeWarning), ContainSubstring("shared"), ContainSubstring("second"))))
	})

	It("is made again at once when it is deleted and holds no data, under events that name keys and no values", func(ctx context.Context) {
		i := create(ctx, entry("tokens", random("token", 32)))
		i.settle(ctx)
		first := i.secret(ctx, "tokens").Data["token"]
		i.remove(ctx, "tokens")
		ready(i.settle(ctx))
		second := i.secret(ctx, "tokens").Data["token"]
		Expect(second).To(HaveLen(32))
		Expect(second).NotTo(Equal(first))
		for _, event := range i.told.all(v2alpha1.EventSecretGenerated) {
			Expect(event).To(ContainSubstring("token"))
			Expect(event).NotTo(ContainSubstring(string(first)))
			Expect(event).NotTo(ContainSubstring(string(second)))
		}
	})

	It("leaves nothing of its key in the memory of the manager once it is written", func(ctx context.Context) {
		i := create(ctx, entry("key", rsaKey("key")))
		resource := i.settle(ctx)
		made, unfinished, err := i.reconciler.Forge.Collect(resource, secretgen.Decide(resource.Spec, nil, nil).Work())
		Expect(err).NotTo(HaveOccurred())
		Expect(made).To(BeEmpty())
		Expect(unfinished).To(Equal(1))
	})

	It("stays when its GitLabSecrets is deleted", func(ctx context.Context) {
		i := create(ctx, entry("tokens", random("token", 32)))
		resource := i.settle(ctx)
		Expect(resource.Finalizers).To(BeEmpty())
		Expect(w.Live.Delete(ctx, resource)).To(Succeed())
		_, err := i.requeue(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(i.secret(ctx, "tokens")).NotTo(BeNil())
	})

	It("is not made for a GitLabSecrets that is being deleted", func(ctx context.Context) {
		i := create(ctx, entry("tokens", random("token", 32)))
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Finalizers = []string{"example.com/held"} })
		Expect(w.Live.Delete(ctx, i.read(ctx))).To(Succeed())
		i.pass(ctx)
		Expect(i.secret(ctx, "tokens")).To(BeNil())
		Expect(i.counts.Writes.Load()).To(BeZero())
	})

	It("is not made in a namespace that is being deleted", func(ctx context.Context) {
		i := create(ctx, entry("tokens", random("token", 32)))
		Expect(w.Live.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: i.namespace}})).To(Succeed())
		result, err := i.requeue(ctx)
		Expect(err).NotTo(HaveOccurred(), "it is no failure that is tried again and again")
		Expect(result.RequeueAfter).To(BeNumerically(">=", time.Second))
		Expect(i.secret(ctx, "tokens")).To(BeNil())
	})
})

var _ = Describe("The definition", func() {
	refused := func(ctx context.Context, change func(map[string]any)) error {
		GinkgoHelper()
		i := prepare(ctx)
		set := map[string]any{
			"authority": map[string]any{"commonName": "GitLab", "algorithm": "rsa", "keySize": int64(2048)},
			"domain":    "example.com", "caDays": int64(1825), "certDays": int64(365), "tlsSecret": "tls",
			"caSecret": "tls-ca", "caKey": "cfssl_ca", "chainSecret": "tls-chain", "chainKey": "gitlab.example.com.crt",
		}
		change(set)
		resource := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"certificates": []any{set}}}}
		resource.SetGroupVersionKind(v2alpha1.GroupVersion.WithKind(v2alpha1.KindGitLabSecrets))
		resource.SetNamespace(i.namespace)
		resource.SetName(name)
		return w.Live.Create(ctx, resource, client.DryRunAll)
	}
	authority := func(set map[string]any) map[string]any { return set["authority"].(map[string]any) }

	It("accepts an even RSA size, and refuses an ed25519 certificate and an odd RSA size", func(ctx context.Context) {
		Expect(refused(ctx, func(map[string]any) {})).To(Succeed())
		Expect(refused(ctx, func(set map[string]any) { authority(set)["algorithm"] = "ed25519" })).NotTo(Succeed())
		Expect(refused(ctx, func(set map[string]any) { authority(set)["keySize"] = int64(2049) })).NotTo(Succeed())
	})
})

// certificate reads the first certificate of a PEM text.
func certificate(text []byte) *x509.Certificate {
	GinkgoHelper()
	block, _ := encodingpem.Decode(text)
	Expect(block).NotTo(BeNil())
	c, err := x509.ParseCertificate(block.Bytes)
	Expect(err).NotTo(HaveOccurred())
	return c
}
