package values_test

import (
	"fmt"
	"math/rand/v2"
)

// randomTree makes small trees out of few keys, so that layers meet often: nulls, empty maps, lists, scalars and maps
// all under the same names.
func randomTree(r *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	for range r.IntN(5) {
		out[string(rune('a'+r.IntN(4)))] = randomValue(r, depth)
	}
	return out
}

func randomValue(r *rand.Rand, depth int) any {
	kind := r.IntN(9)
	if depth <= 0 && kind >= 6 {
		kind = r.IntN(6)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return map[string]any{}
	case 2:
		return []any{float64(r.IntN(3)), map[string]any{"a": nil}}
	case 3:
		return fmt.Sprintf("text %d", r.IntN(3))
	case 4:
		return float64(r.IntN(3))
	case 5:
		return r.IntN(2) == 0
	default:
		return randomTree(r, depth-1)
	}
}

func source(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 7)) }
