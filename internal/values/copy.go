package values

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// DeepCopy returns a copy that shares nothing with the tree, with every number a float64. A nil tree gives an empty one.
func DeepCopy(tree map[string]any) map[string]any {
	out := make(map[string]any, len(tree))
	for key, value := range tree {
		out[key] = normal(value)
	}
	return out
}

// Digest returns the sha256 of the tree in hex, the same whatever order the keys were written in and whatever Go type
// carries a number.
func Digest(tree map[string]any) string {
	// A normal tree is maps, lists, strings, booleans, finite numbers and nil: marshalling it cannot fail, and
	// encoding/json writes keys in order.
	data, err := json.Marshal(DeepCopy(tree))
	if err != nil {
		data = []byte(err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// normal returns a deep copy of a value in the one form trees have here: map[string]any, []any, string, bool, float64
// and nil. What has no such form becomes what its JSON decodes to, and nil where it has no JSON either.
func normal(value any) any {
	switch v := value.(type) {
	case nil, string, bool:
		return v
	case map[string]any:
		return DeepCopy(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = normal(item)
		}
		return out
	case float64:
		return finite(v)
	default:
		return normalOther(value)
	}
}

func normalOther(value any) any {
	switch v := value.(type) {
	case int:
		return float64(v)
	case int32:
		return float64(v)
	case int64:
		return float64(v)
	case float32:
		return finite(float64(v))
	case json.Number:
		if f, err := strconv.ParseFloat(v.String(), 64); err == nil {
			return finite(f)
		}
		return v.String()
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return nil
	}
	return out
}

// finite drops what JSON cannot carry. No decoder here produces such a number, but a caller could.
func finite(f float64) any {
	if f-f != 0 {
		return nil
	}
	return f
}
