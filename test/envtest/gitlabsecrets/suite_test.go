package gitlabsecrets_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabsecrets"
	"github.com/portcullis-operator/portcullis/internal/testing/expect"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

var w *world.Server

func TestGitLabSecrets(t *testing.T) {
	w = world.Start(t, world.Own(t))
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter)))
	RegisterFailHandler(Fail)
	RunSpecs(t, "GitLabSecrets against a real API server")
}

// instance is one resource under test, with the reconciler that looks after it.
type instance struct {
	namespace  string
	reconciler *gitlabsecrets.Reconciler
	counts     *world.Calls
	told       *told
	now        time.Time
}

// prepare makes a namespace and a reconciler, without a resource.
func prepare(ctx context.Context) *instance {
	GinkgoHelper()
	i := &instance{namespace: w.Namespace(ctx, GinkgoTB()), now: time.Now(), told: &told{}}
	i.restart()
	return i
}

// restart replaces the reconciler by one that remembers nothing.
func (i *instance) restart() {
	c, counts := world.Counting(w.Live)
	i.counts = counts
	i.reconciler = reconciler(c, i.told, func() time.Time { return i.now })
}

// through lets the reconciler talk through another client.
func (i *instance) through(c client.Client) {
	i.reconciler = reconciler(c, i.told, func() time.Time { return i.now })
}

// create stores a resource in a namespace of its own.
func create(ctx context.Context, entries ...v2alpha1.SecretEntry) *instance {
	GinkgoHelper()
	i := prepare(ctx)
	i.declare(ctx, entries...)
	return i
}

// labels are those of the resources of this suite, as the chart and the GitLabCore leave them.
func labels() map[string]string {
	return map[string]string{
		"app": "gitlab", "release": "instance", "app.kubernetes.io/name": "gitlab",
		"operator.gitlab.com/release-name": "instance", "operator.gitlab.com/release-kind": "gitlabcore",
	}
}

func (i *instance) declare(ctx context.Context, entries ...v2alpha1.SecretEntry) {
	GinkgoHelper()
	Expect(w.Live.Create(ctx, &v2alpha1.GitLabSecrets{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: i.namespace, Labels: labels()},
		Spec:       v2alpha1.GitLabSecretsSpec{Secrets: entries},
	})).To(Succeed())
}

// pass runs one reconcile that must not fail.
func (i *instance) pass(ctx context.Context) *v2alpha1.GitLabSecrets {
	GinkgoHelper()
	_, err := i.reconciler.Reconcile(ctx, request(i.namespace))
	Expect(err).NotTo(HaveOccurred())
	return i.read(ctx)
}

// settle reconciles as the manager would until the resource needs no more of it, and expects a sound status.
func (i *instance) settle(ctx context.Context) *v2alpha1.GitLabSecrets {
	GinkgoHelper()
	for range 40 {
		resource := i.pass(ctx)
		if apimeta.FindStatusCondition(resource.Status.Conditions, v2alpha1.ConditionReconciling) == nil {
			Expect(resource).To(expect.ObeyStatusLaws())
			return resource
		}
		select {
		case <-i.reconciler.Forge.Done():
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
	}
	Fail("the resource does not settle")
	return nil
}

func (i *instance) read(ctx context.Context) *v2alpha1.GitLabSecrets {
	GinkgoHelper()
	resource := &v2alpha1.GitLabSecrets{}
	Expect(w.Live.Get(ctx, request(i.namespace).NamespacedName, resource)).To(Succeed())
	return resource
}

// edit changes the stored resource.
func (i *instance) edit(ctx context.Context, change func(*v2alpha1.GitLabSecrets)) {
	GinkgoHelper()
	resource := i.read(ctx)
	change(resource)
	Expect(w.Live.Update(ctx, resource)).To(Succeed())
}

// store puts a Secret there as somebody else would.
func (i *instance) store(ctx context.Context, secret string, data map[string]string, change ...func(*corev1.Secret)) *corev1.Secret {
	GinkgoHelper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: secret}, StringData: data}
	for _, c := range change {
		c(s)
	}
	Expect(w.Live.Create(ctx, s)).To(Succeed())
	return s
}

// secret reads a Secret, nil when there is none.
func (i *instance) secret(ctx context.Context, secret string) *corev1.Secret {
	GinkgoHelper()
	s := &corev1.Secret{}
	err := w.Live.Get(ctx, client.ObjectKey{Namespace: i.namespace, Name: secret}, s)
	if apierrors.IsNotFound(err) {
		return nil
	}
	Expect(err).NotTo(HaveOccurred())
	return s
}

// remove deletes a Secret by hand.
func (i *instance) remove(ctx context.Context, secret string) {
	GinkgoHelper()
	Expect(w.Live.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: secret}})).To(Succeed())
}

// drop deletes one key of a Secret by hand.
func (i *instance) drop(ctx context.Context, secret string, keys ...string) {
	GinkgoHelper()
	s := i.secret(ctx, secret)
	for _, key := range keys {
		delete(s.Data, key)
	}
	Expect(w.Live.Update(ctx, s)).To(Succeed())
}

// keys lists the keys of a Secret.
func keys(s *corev1.Secret) []string { return slices.Sorted(maps.Keys(s.Data)) }

// says expects Ready and returns its message.
func says(resource *v2alpha1.GitLabSecrets, status metav1.ConditionStatus, reason string) string {
	GinkgoHelper()
	c := apimeta.FindStatusCondition(resource.Status.Conditions, v2alpha1.ConditionReady)
	Expect(c).NotTo(BeNil())
	Expect(string(c.Status)+"/"+c.Reason).To(Equal(string(status)+"/"+reason), c.Message)
	Expect(c.ObservedGeneration).To(Equal(resource.Generation))
	return c.Message
}

// ready expects that everything is there.
func ready(resource *v2alpha1.GitLabSecrets) {
	GinkgoHelper()
	says(resource, metav1.ConditionTrue, v2alpha1.ReasonSecretsReady)
}

// state is the status of one Secret.
func state(resource *v2alpha1.GitLabSecrets, secret string) v2alpha1.SecretStatus {
	GinkgoHelper()
	at := slices.IndexFunc(resource.Status.Secrets, func(s v2alpha1.SecretStatus) bool { return s.Name == secret })
	Expect(at).To(BeNumerically(">=", 0), "no status of Secret %s", secret)
	return resource.Status.Secrets[at]
}

// unitsReported lists the units of one Secret that are left to a person.
func unitsReported(resource *v2alpha1.GitLabSecrets, secret string) []string {
	GinkgoHelper()
	var out []string
	for _, u := range state(resource, secret).Reported {
		Expect(u.Reason).NotTo(BeEmpty())
		Expect(u.Message).NotTo(BeEmpty())
		out = append(out, u.Unit)
	}
	return out
}

// entry declares an Opaque Secret.
func entry(secret string, generators ...v2alpha1.Generator) v2alpha1.SecretEntry {
	return v2alpha1.SecretEntry{Name: secret, Type: "Opaque", Generators: generators}
}

func random(key string, length int32) v2alpha1.Generator {
	return v2alpha1.Generator{Type: v2alpha1.GeneratorRandom, Key: key, Charset: v2alpha1.CharsetAlphanumeric, Length: length}
}

func persistent(g v2alpha1.Generator) v2alpha1.Generator {
	g.Persistent = true
	return g
}

func static(key, value string) v2alpha1.Generator {
	return v2alpha1.Generator{Type: v2alpha1.GeneratorStatic, Key: key, Value: new(value)}
}

func rsaKey(key string) v2alpha1.Generator {
	return v2alpha1.Generator{Type: v2alpha1.GeneratorRSA, Key: key, Bits: 2048}
}

func x509Pair() v2alpha1.Generator {
	return v2alpha1.Generator{
		Type: v2alpha1.GeneratorX509, CommonName: "gitlab-issuer", Bits: 2048, Days: 3650, CertKey: "registry-auth.crt", KeyKey: "registry-auth.key",
	}
}

func sshHostKeys() v2alpha1.Generator { return v2alpha1.Generator{Type: v2alpha1.GeneratorSSHHostKeys} }

func rails(fields ...v2alpha1.RailsField) v2alpha1.Generator {
	return v2alpha1.Generator{Type: v2alpha1.GeneratorRailsSecrets, Key: "secrets.yml", Env: "production", Fields: fields}
}

func scalar(path string) v2alpha1.RailsField {
	return v2alpha1.RailsField{Path: path, Shape: v2alpha1.ShapeScalar, Charset: v2alpha1.CharsetHex, Length: 128}
}

func list(path string) v2alpha1.RailsField {
	return v2alpha1.RailsField{Path: path, Shape: v2alpha1.ShapeList, Charset: v2alpha1.CharsetAlphanumeric, Length: 32}
}

func pem(path string) v2alpha1.RailsField {
	return v2alpha1.RailsField{Path: path, Shape: v2alpha1.ShapePEM, Bits: 2048}
}

// certificates is a set as the chart renders it, on a curve so that it is made at once.
func certificates() v2alpha1.CertificateSet {
	return v2alpha1.CertificateSet{
		Authority: v2alpha1.CertificateAuthority{
			CommonName: "GitLab Helm Chart", Organization: "spec", OrganizationalUnit: "instance",
			Algorithm: v2alpha1.CertificateECDSA, KeySize: 256,
		},
		Domain: "example.com", CADays: 1825, CertDays: 365,
		TLSSecret: "tls", CASecret: "tls-ca", CAKey: "cfssl_ca", ChainSecret: "tls-chain", ChainKey: "gitlab.example.com.crt",
	}
}

// requeue runs one reconcile and returns how it asks to be called again.
func (i *instance) requeue(ctx context.Context) (ctrl.Result, error) {
	return i.reconciler.Reconcile(ctx, request(i.namespace))
}
