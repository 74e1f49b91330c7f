package addons_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/portcullis-operator/portcullis/internal/tables"
)

// calls counts what a client sent, and the reads of Secrets it refused.
type calls struct {
	writes, secrets atomic.Int64
	// mayReadSecrets lets reads of Secrets through.
	mayReadSecrets atomic.Bool
}

var errSecret = errors.New("no Secret may be read here")

// counting returns a client that refuses every read of a Secret, and counts.
func counting(c client.WithWatch) (client.Client, *calls) {
	n := &calls{}
	wrote := func(do func() error) error {
		n.writes.Add(1)
		return do()
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if err := n.refuse(c, o, "Secret"); err != nil {
				return err
			}
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			if err := n.refuse(c, l, "SecretList"); err != nil {
				return err
			}
			return c.List(ctx, l, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return wrote(func() error { return c.Create(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return wrote(func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			return wrote(func() error { return c.Apply(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return wrote(func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return wrote(func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	}), n
}

func (n *calls) refuse(c client.Client, o runtime.Object, kind string) error {
	gvk, err := apiutil.GVKForObject(o, c.Scheme())
	if err != nil {
		return fmt.Errorf("tell whether it is a Secret: %w", err)
	}
	if gvk.Group != corev1.GroupName || gvk.Kind != kind || n.mayReadSecrets.Load() {
		return nil
	}
	n.secrets.Add(1)
	return errSecret
}

// shelf is a registry with one image of tables.
type shelf struct {
	digest string
	files  map[string][]byte
	err    error
	// asked counts the questions, and secret is the pull Secret the last one came with.
	asked  int
	secret string
	image  string
}

func newShelf() *shelf {
	return &shelf{digest: "sha256:one", files: map[string][]byte{
		"db/projects.yaml": []byte("table: projects\n"), "db/issues.yaml": []byte("table: issues\n"),
	}}
}

func (s *shelf) Digest(_ context.Context, image string, pullSecret []byte) (string, error) {
	s.asked++
	s.image, s.secret = image, string(pullSecret)
	return s.digest, s.err
}

func (s *shelf) Read(_ context.Context, image string, pullSecret []byte) (tables.Content, error) {
	s.asked++
	s.image, s.secret = image, string(pullSecret)
	return tables.Content{Digest: s.digest, Files: s.files}, s.err
}
