//go:build !bridge

package cli

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// checker is what a build without the GitLab kinds knows of resources: nothing.
type checker struct{}

func newChecker(*command, store) (*checker, error) { return &checker{}, nil }

func (*checker) kinds() []schema.GroupVersionKind { return nil }

// review is never reached, since no kind is known; it says so rather than letting anything pass.
func (*checker) review(_ context.Context, u *unstructured.Unstructured, _ request) (*reviewed, error) {
	return nil, cannot("this build cannot check a %s", u.GetKind())
}

// secrets is never reached either.
func (*checker) secrets(d document, _ map[string]liveSecret) (decidedSecrets, error) {
	return decidedSecrets{}, cannot("this build cannot plan %s", d.named())
}
