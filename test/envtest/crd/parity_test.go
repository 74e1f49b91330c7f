package crd_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

const (
	mutants = 300
	seed    = 20260101
)

var _ = Describe("The check without an API server", func() {
	It("refuses what the API server refuses, and names every field it names", func(ctx SpecContext) {
		random := rand.New(rand.NewPCG(seed, seed)) // the same mutants every time
		refused := 0
		for range mutants {
			for _, sample := range samples() {
				if !offline.Knows(sample.GroupVersionKind()) || random.IntN(4) > 0 {
					continue
				}
				for range 1 + random.IntN(3) {
					mutate(random, sample.Object["spec"].(map[string]any))
				}
				if agree(ctx, sample) {
					refused++
				}
			}
		}
		Expect(refused).To(BeNumerically(">", 20), "too few of the mutants are wrong")
	})
})

// agree compares the two verdicts of one object and reports whether it was refused.
func agree(ctx SpecContext, u *unstructured.Unstructured) bool {
	faults := offline.Check(u, nil)
	unknown := offline.Unknown(u)
	err := ask(ctx, u, nil)
	if apierrors.IsBadRequest(err) {
		Expect(unknown).NotTo(BeEmpty(), "the API server refuses a field and we know it: %v\n%v", err, u.Object)
		return true
	}
	Expect(unknown).To(BeEmpty(), "the API server accepts a field we do not know: %v", u.Object)
	if err == nil {
		Expect(faults).To(BeEmpty(), "the API server accepts what we refuse: %v", u.Object)
		return false
	}
	var fields []string
	for _, f := range faults {
		Expect(f.Severity).To(Equal(rules.Error))
		fields = append(fields, f.Field)
	}
	for _, c := range causes(err) {
		Expect(fields).To(ContainElement(HavePrefix(strings.TrimPrefix(c.Field, "<nil>"))), "%v\n%v", err, u.Object)
	}
	return true
}

// mutate breaks one place of an object: it drops a key, or gives it a value of another type or form.
func mutate(random *rand.Rand, object map[string]any) {
	keys := slices.Sorted(maps.Keys(object))
	if len(keys) == 0 {
		return
	}
	key := keys[random.IntN(len(keys))]
	switch child := object[key].(type) {
	case map[string]any:
		if random.IntN(4) > 0 {
			mutate(random, child)
			return
		}
	case []any:
		if len(child) == 0 {
			break
		}
		if entry, ok := child[random.IntN(len(child))].(map[string]any); ok && random.IntN(4) > 0 {
			mutate(random, entry)
			return
		}
	}
	odd := []any{
		nil, "", "Odd Value", "odd.value", "10.4", int64(5), int64(-1), int64(3000000000), 1.5, true,
		[]any{}, []any{"a", nil}, map[string]any{}, map[string]any{"name": "a"}, strings.Repeat("a", 300),
	}
	switch random.IntN(8) {
	case 0:
		delete(object, key)
	case 1:
		object[key+"x"] = "unknown"
	default:
		object[key] = odd[random.IntN(len(odd))]
	}
}
