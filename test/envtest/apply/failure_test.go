package apply_test

import (
	"context"
	"errors"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// eventually bounds what the API server does in its own time, such as serving a new definition.
const eventually = 20 * time.Second

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

// listFails reports whether the client can no longer list the kind whose definition was removed.
func listFails(ctx context.Context, c client.Client) bool {
	list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "suite.portcullis.dev/v1", Kind: "PassingList"}}
	return c.List(ctx, list) != nil
}

// permitted is a client with what the Operator's role allows.
func permitted(c client.WithWatch) client.WithWatch {
	return world.Through(c, func(_ context.Context, call world.Call, send func() error) error {
		if call.Verb == "deletecollection" {
			return errors.New("the Operator's role does not allow deletecollection")
		}
		return send()
	})
}

// life is one release from its installation over a change to its end, as a reconciler drives it: record the kinds, apply,
// prune when all applied, keep what remains on record.
type life struct {
	release
	recorded []string
}

// pass is one pass; done is true when nothing is left to do again.
func (l *life) pass(ctx context.Context, manifests []string) (done bool) {
	objects := decode(manifests...)
	kinds := l.engine.Kinds(objects)
	l.recorded = append(l.recorded, kinds...)
	changes := l.engine.Apply(ctx, l.owner, objects, apply.Options{Guarded: []object.Ref{
		{GVK: corev1.SchemeGroupVersion.WithKind("Secret"), Namespace: l.namespace(), Name: "unseal"},
	}})
	if len(changes.Failed()) > 0 {
		return false
	}
	result := l.engine.Prune(ctx, l.owner, changes.Refs(), l.recorded)
	l.recorded = append(slices.Clone(kinds), result.Remaining...)
	return len(result.Changes.Failed()) == 0 && len(result.Changes.Of(apply.Deleted)) == 0
}

// until repeats passes until one finds nothing left to do, checking after each that nothing was lost.
func (l *life) until(ctx context.Context, manifests []string, lost func() []string) {
	GinkgoHelper()
	for range 4 {
		done := l.pass(ctx, manifests)
		Expect(lost()).To(BeEmpty(), "lost or wrongly deleted")
		if done {
			return
		}
	}
	Fail("four passes were not enough after one failed call")
}

// state lists what the release has in the cluster, with the values of the Secrets and ConfigMaps.
func (l *life) state(ctx context.Context) []string {
	GinkgoHelper()
	var out []string
	for _, kind := range []string{"v1/ConfigMap", "v1/Secret", "v1/Service", "v1/PersistentVolumeClaim", "apps/v1/StatefulSet", "suite.portcullis.dev/v1/Class"} {
		list := &unstructured.UnstructuredList{}
		slash := len(kind) - 1
		for kind[slash] != '/' {
			slash--
		}
		list.SetAPIVersion(kind[:slash])
		list.SetKind(kind[slash+1:] + "List")
		Expect(live.List(ctx, list, client.MatchingLabels(l.owner.Release.Labels()))).To(Succeed())
		for _, u := range list.Items {
			value, _, _ := unstructured.NestedString(u.Object, "data", "key")
			out = append(out, u.GetKind()+"/"+u.GetName()+"="+value)
		}
	}
	slices.Sort(out)
	return out
}

var _ = Describe("an API server that fails each call once", func() {
	const (
		claim  = `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: claim}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`
		secret = `{apiVersion: v1, kind: Secret, metadata: {name: unseal}, stringData: {key: "%s"}}`
		svc    = `{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}`
	)

	// lifetime drives one release through its life with one failing call and returns how many calls it took in all.
	lifetime := func(ctx context.Context, f world.Fault) int64 {
		GinkgoHelper()
		l := &life{release: newRelease(ctx, live)}
		c, calls := world.Counting(world.Failing(permitted(live), f))
		l.engine.Client = c
		bystander := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: l.namespace(), Name: "bystander"}}
		Expect(live.Create(ctx, bystander)).To(Succeed())

		// lost names those of the given objects that should be there and are not.
		lost := func(want ...string) func() []string {
			return func() []string {
				state := l.state(ctx)
				missing := slices.DeleteFunc(slices.Clone(want), func(w string) bool { return slices.Contains(state, w) })
				if fetch(ctx, "v1", "ConfigMap", l.namespace(), "bystander") == nil || fetch(ctx, "v1", "ConfigMap", l.namespace(), "gitlabcore-acme") == nil {
					missing = append(missing, "an object of somebody else")
				}
				return missing
			}
		}
		const sealed, kept, held = "Secret/unseal=Zmlyc3Q=", "ConfigMap/stays=1", "PersistentVolumeClaim/claim="
		gw := "Class/gw-" + l.namespace() + "="

		l.until(ctx, []string{sprintf(secret, "first"), configMap("stays", "1"), configMap("goes", "1"), claim, svc, sprintf(statefulSet, "1Gi"), l.class("gw")}, lost())
		Expect(l.state(ctx)).To(Equal([]string{gw, "ConfigMap/goes=1", kept, held, sealed, "Service/web=", "StatefulSet/gitaly="}))

		l.until(ctx, []string{sprintf(secret, "second"), configMap("stays", "1"), configMap("new", "1")}, lost(sealed, kept, held))
		Expect(l.state(ctx)).To(Equal([]string{"ConfigMap/new=1", kept, held, sealed}))

		l.until(ctx, nil, lost(sealed, held))
		Expect(l.state(ctx)).To(Equal([]string{held, sealed}), "what holds data outlives the release")
		Expect(l.recorded).To(BeEmpty())
		return calls.Total()
	}

	DescribeTable("loses nothing and prunes nothing wrongly, whichever call it is",
		func(after bool, err error) {
			ctx := context.Background()
			total := lifetime(ctx, world.Fault{})
			Expect(total).To(BeNumerically(">", 30), "the scenario makes too few calls to show anything")
			for turn := int64(1); turn <= total; turn++ {
				By(sprintf("failing call %d of %d", turn, total))
				lifetime(ctx, world.Fault{Call: turn, After: after, Err: err})
			}
			AddReportEntry("calls failed in turn", total)
		},
		Entry("failed by an internal error", false, apierrors.NewInternalError(errors.New("failed calling webhook"))),
		Entry("with a conflict", false, apierrors.NewConflict(corev1.Resource("configmaps"), "x", errors.New("changed"))),
		Entry("done, and the answer lost", true, world.ErrNoAnswer),
	)
})
