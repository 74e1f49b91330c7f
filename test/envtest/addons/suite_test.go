package addons_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/controller/orbit"
	"github.com/portcullis-operator/portcullis/internal/controller/siphon"
	"github.com/portcullis-operator/portcullis/internal/facts"
	"github.com/portcullis-operator/portcullis/internal/testing/expect"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

var w *world.Releases

func TestAddOns(t *testing.T) {
	w = world.StartReleases(t, catalogue(t))
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter)))
	RegisterFailHandler(Fail)
	RunSpecs(t, "Siphon and Orbit against a real API server")
}

// place is a namespace with the two reconcilers that look after it. Neither may read a Secret unless a spec says so.
type place struct {
	namespace string
	siphons   *siphon.Reconciler
	orbits    *orbit.Reconciler
	counts    *world.Calls
	secrets   *secrets
	shelf     *shelf
	events    *events.FakeRecorder
	now       time.Time
}

func newPlace(ctx context.Context) *place {
	GinkgoHelper()
	p := &place{namespace: w.Namespace(ctx, GinkgoTB()), now: time.Now(), shelf: newShelf(), events: events.NewFakeRecorder(1000)}
	p.restart()
	return p
}

// restart puts reconcilers of a manager that has just started in place of those there were.
func (p *place) restart() {
	p.secrets = &secrets{}
	c, counts := world.Counting(p.secrets.closed(w.Live))
	p.counts = counts
	now := func() time.Time { return p.now }
	p.siphons = &siphon.Reconciler{Cached: c, Reviewer: w.Reviewer(c), Engine: w.Engine(c, siphon.Manager, p.events), Tables: p.shelf, Now: now}
	p.orbits = &orbit.Reconciler{Cached: c, Reviewer: w.Reviewer(c), Engine: w.Engine(c, orbit.Manager, p.events), Now: now}
}

// charts puts other charts in place of those the reconcilers came with.
func (p *place) charts(of *chart.Catalogue) {
	for _, r := range []*admit.Reviewer{p.siphons.Reviewer, p.orbits.Reviewer} {
		if known, ok := r.Facts.(*facts.Cluster); ok {
			known.Catalogue = of
		}
	}
}

// whole is a place with an instance that serves, a Siphon and an Orbit, both applied and rolled out.
func whole(ctx context.Context) *place {
	GinkgoHelper()
	p := newPlace(ctx)
	store(ctx, newCore(p.namespace), running)
	store(ctx, newSiphon(p.namespace), nil)
	p.passSiphon(ctx)
	p.rolledOut(ctx)
	p.passSiphon(ctx)
	store(ctx, newOrbit(p.namespace), nil)
	p.passOrbit(ctx)
	p.rolledOut(ctx)
	p.passOrbit(ctx)
	return p
}

// store creates a resource and writes its status.
func store[T client.Object](ctx context.Context, o T, status func(T)) {
	GinkgoHelper()
	Expect(w.Live.Create(ctx, o)).To(Succeed())
	if status != nil {
		status(o)
		Expect(w.Live.Status().Update(ctx, o)).To(Succeed())
	}
}

func key(namespace, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: name}
}

// edit changes a stored resource.
func edit[T client.Object](ctx context.Context, p *place, o T, name string, change func(T)) {
	GinkgoHelper()
	Expect(w.Live.Get(ctx, key(p.namespace, name), o)).To(Succeed())
	change(o)
	Expect(w.Live.Update(ctx, o)).To(Succeed())
}

// report changes what a stored resource reports.
func report[T client.Object](ctx context.Context, p *place, o T, name string, change func(T)) {
	GinkgoHelper()
	Expect(w.Live.Get(ctx, key(p.namespace, name), o)).To(Succeed())
	change(o)
	Expect(w.Live.Status().Update(ctx, o)).To(Succeed())
}

func (p *place) core(ctx context.Context, change func(*v2alpha1.GitLabCore)) {
	GinkgoHelper()
	edit(ctx, p, &v2alpha1.GitLabCore{}, instanceName, change)
}

func (p *place) coreReports(ctx context.Context, change func(*v2alpha1.GitLabCore)) {
	GinkgoHelper()
	report(ctx, p, &v2alpha1.GitLabCore{}, instanceName, change)
}

func (p *place) siphon(ctx context.Context, change func(*v2alpha1.Siphon)) {
	GinkgoHelper()
	edit(ctx, p, &v2alpha1.Siphon{}, siphonName, change)
}

func (p *place) siphonReports(ctx context.Context, change func(*v2alpha1.Siphon)) {
	GinkgoHelper()
	report(ctx, p, &v2alpha1.Siphon{}, siphonName, change)
}

func (p *place) orbit(ctx context.Context, change func(*v2alpha1.Orbit)) {
	GinkgoHelper()
	edit(ctx, p, &v2alpha1.Orbit{}, orbitName, change)
}

func (p *place) reconcile(ctx context.Context, r reconcile.Reconciler, name string) (ctrl.Result, error) {
	return r.Reconcile(ctx, ctrl.Request{NamespacedName: key(p.namespace, name)})
}

// passSiphon runs one reconcile that must not fail.
func (p *place) passSiphon(ctx context.Context) *v2alpha1.Siphon {
	GinkgoHelper()
	_, err := p.reconcile(ctx, p.siphons, siphonName)
	Expect(err).NotTo(HaveOccurred())
	s := &v2alpha1.Siphon{}
	Expect(w.Live.Get(ctx, key(p.namespace, siphonName), s)).To(Succeed())
	Expect(s).To(expect.ObeyStatusLaws())
	return s
}

// passOrbit runs one reconcile that must not fail.
func (p *place) passOrbit(ctx context.Context) *v2alpha1.Orbit {
	GinkgoHelper()
	_, err := p.reconcile(ctx, p.orbits, orbitName)
	Expect(err).NotTo(HaveOccurred())
	o := &v2alpha1.Orbit{}
	Expect(w.Live.Get(ctx, key(p.namespace, orbitName), o)).To(Succeed())
	Expect(o).To(expect.ObeyStatusLaws())
	return o
}

// exists reports whether an object of the namespace is there.
func (p *place) exists(ctx context.Context, o client.Object, name string) bool {
	GinkgoHelper()
	err := w.Live.Get(ctx, key(p.namespace, name), o)
	if apierrors.IsNotFound(err) {
		return false
	}
	Expect(err).NotTo(HaveOccurred())
	return o.GetDeletionTimestamp().IsZero()
}

// deployments lists those of the namespace.
func (p *place) deployments(ctx context.Context) []string {
	GinkgoHelper()
	var list appsv1.DeploymentList
	Expect(w.Live.List(ctx, &list, client.InNamespace(p.namespace))).To(Succeed())
	var out []string
	for _, d := range list.Items {
		out = append(out, d.Name)
	}
	slices.Sort(out)
	return out
}

// config is the text of a ConfigMap with one file.
func (p *place) config(ctx context.Context, name string) string {
	GinkgoHelper()
	cm := &corev1.ConfigMap{}
	Expect(w.Live.Get(ctx, key(p.namespace, name), cm)).To(Succeed())
	var text strings.Builder
	for _, content := range cm.Data {
		text.WriteString(content)
	}
	return text.String()
}

// rolledOut plays the controllers of workloads, for the named Deployments or for all.
func (p *place) rolledOut(ctx context.Context, names ...string) {
	GinkgoHelper()
	Expect(world.RollOut(ctx, w.Live, p.namespace, names...)).To(Succeed())
}

// says expects a condition and returns its message.
func says(o client.Object, conditionType string, status metav1.ConditionStatus, reason string) string {
	GinkgoHelper()
	c, found, err := expect.Condition(o, conditionType)
	Expect(err).NotTo(HaveOccurred())
	Expect(found).To(BeTrue(), conditionType)
	Expect(string(c.Status)+"/"+c.Reason).To(Equal(string(status)+"/"+reason), "%s: %s", conditionType, oneLine(c.Message))
	return c.Message
}

// told returns the events sent so far, as type, reason and text.
func (p *place) told() []string {
	var out []string
	for {
		select {
		case e := <-p.events.Events:
			out = append(out, e)
		default:
			return out
		}
	}
}

// get returns an object that must be there.
func (p *place) get(ctx context.Context, o client.Object, name string) client.Object {
	GinkgoHelper()
	Expect(w.Live.Get(ctx, key(p.namespace, name), o)).To(Succeed())
	return o
}

func (p *place) deployment(ctx context.Context, name string) *appsv1.Deployment {
	GinkgoHelper()
	d := &appsv1.Deployment{}
	p.get(ctx, d, name)
	return d
}
