package render

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// recorder answers lookup from what the request holds and notes every question. It stands where Helm wants a client;
// it has no connection to anything.
type recorder struct {
	found map[LookupKey]map[string]any
	asked map[LookupKey]struct{}
}

func newRecorder(found map[LookupKey]map[string]any) *recorder {
	return &recorder{found: found, asked: map[LookupKey]struct{}{}}
}

// keys returns what was asked, sorted.
func (r *recorder) keys() []LookupKey {
	return slices.SortedFunc(maps.Keys(r.asked), func(a, b LookupKey) int {
		return cmp.Or(
			cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
		)
	})
}

// GetClientFor implements the interface of Helm's engine. Every kind counts as namespaced, so that the namespace a
// template names is seen; a cluster-scoped lookup names none.
func (r *recorder) GetClientFor(apiVersion, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	return lookupClient{recorder: r, key: LookupKey{APIVersion: apiVersion, Kind: kind}}, true, nil
}

func (r *recorder) answer(key LookupKey) (map[string]any, error) {
	r.asked[key] = struct{}{}
	if live, ok := r.found[key]; ok {
		// Templates may change what they are given.
		return runtime.DeepCopyJSON(live), nil
	}
	// The engine turns this kind of error into an empty answer.
	return nil, fmt.Errorf("lookup: %w", apierrors.NewNotFound(schema.GroupResource{Resource: key.Kind}, key.Name))
}

// lookupClient is the part of a client that lookup uses. The embedded interface is nil: the engine reads only.
type lookupClient struct {
	dynamic.NamespaceableResourceInterface
	recorder *recorder
	key      LookupKey
}

// Namespace narrows the lookup.
func (c lookupClient) Namespace(namespace string) dynamic.ResourceInterface {
	c.key.Namespace = namespace
	return c
}

// Get answers a lookup of one object.
func (c lookupClient) Get(_ context.Context, name string, _ metav1.GetOptions, _ ...string) (*unstructured.Unstructured, error) {
	c.key.Name = name
	content, err := c.recorder.answer(c.key)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// List answers a lookup of all objects of a kind.
func (c lookupClient) List(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	content, err := c.recorder.answer(c.key)
	if err != nil {
		return nil, err
	}
	list := &unstructured.UnstructuredList{}
	list.SetUnstructuredContent(content)
	return list, nil
}
