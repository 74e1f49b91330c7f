package addons_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/portcullis-operator/portcullis/internal/tables"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// secrets are closed to a client until a spec opens them.
type secrets struct {
	open atomic.Bool
	// refused counts the reads that were refused.
	refused atomic.Int64
}

var errSecret = errors.New("no Secret may be read here")

// closed returns a client that reads no Secret.
func (s *secrets) closed(c client.WithWatch) client.WithWatch {
	return world.Through(c, func(_ context.Context, call world.Call, send func() error) error {
		if !call.Reads() || s.open.Load() {
			return send()
		}
		gvk, err := apiutil.GVKForObject(call.Object.(runtime.Object), c.Scheme())
		if err != nil {
			return fmt.Errorf("tell whether it is a Secret: %w", err)
		}
		if gvk.Group != corev1.GroupName || strings.TrimSuffix(gvk.Kind, "List") != "Secret" {
			return send()
		}
		s.refused.Add(1)
		return errSecret
	})
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
