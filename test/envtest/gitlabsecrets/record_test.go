package gitlabsecrets_test

import (
	"context"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

var _ = Describe("A data-bearing unit", func() {
	It("that is deleted by hand is reported and not made again, while a token is", func(ctx context.Context) {
		i := create(ctx, entry("root-password", persistent(random("password", 64))), entry("token", random("token", 64)),
			entry("host-keys", sshHostKeys()), entry("rails", rails(scalar("db_key_base"))))
		resource := i.settle(ctx)
		Expect(state(resource, "root-password").ReadyUnits).To(Equal([]string{"password"}))
		Expect(state(resource, "token").ReadyUnits).To(BeEmpty())
		Expect(state(resource, "host-keys").ReadyUnits).To(HaveLen(3))
		for _, secret := range []string{"root-password", "token", "host-keys", "rails"} {
			i.remove(ctx, secret)
		}
		for range 3 {
			i.restart()
			resource = i.settle(ctx)
			says(resource, metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
			for _, secret := range []string{"root-password", "host-keys", "rails"} {
				Expect(i.secret(ctx, secret)).To(BeNil(), secret)
				Expect(unitsReported(resource, secret)).NotTo(BeEmpty(), secret)
				Expect(state(resource, secret).ReadyUnits).NotTo(BeEmpty(), "the record survives")
			}
			Expect(i.secret(ctx, "token")).NotTo(BeNil())
		}
		Expect(i.told.all(v2alpha1.EventUnitReported)).To(HaveLen(5))
	})

	It("is ready again when it is put back by hand", func(ctx context.Context) {
		i := create(ctx, entry("root-password", persistent(random("password", 64))))
		i.settle(ctx)
		backup := i.secret(ctx, "root-password").Data
		i.remove(ctx, "root-password")
		says(i.settle(ctx), metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		i.store(ctx, "root-password", map[string]string{"password": string(backup["password"])})
		resource := i.settle(ctx)
		ready(resource)
		Expect(state(resource, "root-password").Reported).To(BeEmpty())
	})

	It("that is present but empty is ready, and is not reported", func(ctx context.Context) {
		i := create(ctx, entry("root-password", persistent(random("password", 64))))
		i.settle(ctx)
		s := i.secret(ctx, "root-password")
		s.Data["password"] = nil
		Expect(w.Live.Update(ctx, s)).To(Succeed())
		ready(i.settle(ctx))
	})

	It("is made anew by deleting the Secret and then the GitLabSecrets", func(ctx context.Context) {
		i := create(ctx, entry("root-password", persistent(random("password", 64))), entry("kept", persistent(random("password", 64))))
		resource := i.settle(ctx)
		first, kept := i.secret(ctx, "root-password").Data, i.secret(ctx, "kept").Data
		i.remove(ctx, "root-password")
		says(i.settle(ctx), metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
		Expect(w.Live.Delete(ctx, resource)).To(Succeed())
		i.declare(ctx, entry("root-password", persistent(random("password", 64))), entry("kept", persistent(random("password", 64))))
		ready(i.settle(ctx))
		Expect(i.secret(ctx, "root-password").Data["password"]).To(HaveLen(64))
		Expect(i.secret(ctx, "root-password").Data).NotTo(Equal(first))
		Expect(i.secret(ctx, "kept").Data).To(Equal(kept))
	})

	It("is made anew after its entry left the spec and came back", func(ctx context.Context) {
		i := create(ctx, entry("database", persistent(random("password", 64))), entry("token", random("token", 32)))
		i.settle(ctx)
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Spec.Secrets = s.Spec.Secrets[1:] })
		i.settle(ctx)
		Expect(i.secret(ctx, "database")).NotTo(BeNil(), "what is no longer declared stays")
		i.remove(ctx, "database")
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) {
			s.Spec.Secrets = append(s.Spec.Secrets, entry("database", persistent(random("password", 64))))
		})
		ready(i.settle(ctx))
		Expect(i.secret(ctx, "database")).NotTo(BeNil())
	})

	It("keeps its record through passes that fail, and gets it in the next pass when the write of the status fails", func(ctx context.Context) {
		i := create(ctx, entry("database", persistent(random("password", 64))))
		var refuse, unread atomic.Bool
		broken := func() error { return apierrors.NewInternalError(world.ErrNoAnswer) }
		i.through(interceptor.NewClient(w.Live, interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if _, secret := o.(*corev1.Secret); secret && unread.Load() {
					return broken()
				}
				return c.Get(ctx, key, o, opts...)
			},
			SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
				if refuse.Load() {
					return broken()
				}
				return c.SubResource(sub).Patch(ctx, o, p, opts...)
			},
		}))
		refuse.Store(true)
		_, err := i.requeue(ctx)
		Expect(err).To(HaveOccurred())
		Expect(i.secret(ctx, "database")).NotTo(BeNil())
		Expect(i.read(ctx).Status.Secrets).To(BeEmpty())
		refuse.Store(false)
		Expect(state(i.settle(ctx), "database").ReadyUnits).To(Equal([]string{"password"}))

		unread.Store(true)
		_, err = i.requeue(ctx)
		Expect(err).To(HaveOccurred())
		resource := i.read(ctx)
		says(resource, metav1.ConditionFalse, v2alpha1.ReasonApplyFailed)
		Expect(state(resource, "database").ReadyUnits).To(Equal([]string{"password"}))
		unread.Store(false)
		i.remove(ctx, "database")
		says(i.settle(ctx), metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
	})

	It("that was recorded and deleted while a pass went by an older record is not made again", func(ctx context.Context) {
		i := create(ctx, entry("database", persistent(random("password", 64))))
		stale := i.read(ctx)
		i.settle(ctx)
		i.remove(ctx, "database")
		behind := interceptor.NewClient(w.Live, interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if resource, ok := o.(*v2alpha1.GitLabSecrets); ok {
					stale.DeepCopyInto(resource)
					return nil
				}
				return c.Get(ctx, key, o, opts...)
			},
		})
		i.reconciler.Cached = behind
		_, err := i.requeue(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(i.secret(ctx, "database")).To(BeNil())
		says(i.read(ctx), metav1.ConditionFalse, v2alpha1.ReasonUnitsReported)
	})
})

var _ = Describe("The status", func() {
	It("speaks of the generation it was judged at", func(ctx context.Context) {
		i := create(ctx, entry("token", random("token", 64)))
		first := i.settle(ctx)
		ready(first)
		i.edit(ctx, func(s *v2alpha1.GitLabSecrets) { s.Spec.Secrets = append(s.Spec.Secrets, entry("key", rsaKey("key"))) })
		before := i.read(ctx)
		Expect(before.Status.ObservedGeneration).To(BeNumerically("<", before.Generation))
		waiting := i.pass(ctx)
		says(waiting, metav1.ConditionUnknown, v2alpha1.ReasonProgressing)
		Expect(state(waiting, "token").Ready).To(BeTrue())
		Expect(state(waiting, "key").Ready).To(BeFalse())
		after := i.settle(ctx)
		ready(after)
		Expect(after.Status.ObservedGeneration).To(Equal(after.Generation))
	})
})
