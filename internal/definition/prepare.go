package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

const (
	// maxDepth is how deep an object may be nested; the API server's own decoder stops at the same depth.
	maxDepth = 10000
	// generatedBase is how much of generateName the API server keeps before it appends five characters of its own.
	generatedBase = 58
)

// Default returns a copy of the object with the defaults of its definition filled in, as the API server stores it.
// Unknown fields stay. An object the set does not know, or that JSON cannot carry, comes back as it is.
func (s *Set) Default(u *unstructured.Unstructured) *unstructured.Unstructured {
	k := s.kindOf(u)
	if k == nil {
		return u
	}
	object, err := plain(u.Object, 0)
	if err != nil {
		return u
	}
	content := object.(map[string]any)
	defaulting.PruneNonNullableNullsWithoutDefaults(content, k.structural)
	defaulting.Default(content, k.structural)
	return &unstructured.Unstructured{Object: content}
}

// prepared is an object in the form the API server validates: unknown fields and senseless nulls dropped, defaults
// filled in, metadata decoded.
type prepared struct {
	content  map[string]any
	metadata *metav1.ObjectMeta
	// broken holds what the API server's decoder refuses before any validation.
	broken []rules.Fault
}

func (k *kind) prepare(u *unstructured.Unstructured) (prepared, error) {
	object, err := plain(u.Object, 0)
	if err != nil {
		return prepared{}, err
	}
	p := prepared{content: wholeNumbers(object).(map[string]any)}
	p.decodeMetadata(k.namespaced)
	pruning.Prune(p.content, k.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(p.content, k.structural)
	defaulting.Default(p.content, k.structural)
	return p, nil
}

// decodeMetadata turns each metadata field the decoder would stop at into a fault, drops it, and decodes the rest. A
// file may leave out what the API server or kubectl fills in: the namespace, and the end of a generated name.
func (p *prepared) decodeMetadata(namespaced bool) {
	metadata, _ := p.content["metadata"].(map[string]any)
	if raw, found := p.content["metadata"]; found && raw != nil && metadata == nil {
		p.broken = append(p.broken, fault(rules.FieldInvalid, "metadata", notA("object", raw), raw))
	}
	if metadata == nil {
		metadata = map[string]any{}
	}
	p.content["metadata"] = metadata
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if faults := malformed(key, metadata[key]); len(faults) > 0 {
			p.broken = append(p.broken, faults...)
			delete(metadata, key)
			if key == "name" {
				metadata[key] = "placeholder"
			}
		}
	}
	if base, _ := metadata["generateName"].(string); base != "" && (metadata["name"] == nil || metadata["name"] == "") {
		metadata["name"] = base[:min(len(base), generatedBase)] + "00000"
	}
	if namespaced && (metadata["namespace"] == nil || metadata["namespace"] == "") {
		metadata["namespace"] = "default"
	}
	decoded, _, err := objectmeta.GetObjectMeta(p.content, true)
	if err != nil || decoded == nil {
		decoded = &metav1.ObjectMeta{}
	}
	p.metadata = decoded
}

// malformed returns the faults of one metadata field that does not decode: at the label or annotation where that is
// the trouble, else at the field.
func malformed(key string, value any) []rules.Fault {
	data, err := json.Marshal(map[string]any{"metadata": map[string]any{key: value}})
	if err != nil {
		return []rules.Fault{fault(rules.FieldInvalid, "metadata."+key, "cannot be read", value)}
	}
	var target struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if json.Unmarshal(data, &target) == nil {
		return nil
	}
	field := "metadata." + key
	entries, isMap := value.(map[string]any)
	switch {
	case (key == "labels" || key == "annotations") && isMap:
		var faults []rules.Fault
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			if _, ok := entries[name].(string); !ok {
				faults = append(faults, fault(rules.FieldInvalid, field+"."+name, notA("string", entries[name]), entries[name]))
			}
		}
		return faults
	case key == "labels" || key == "annotations":
		return []rules.Fault{fault(rules.FieldInvalid, field, notA("object", value), value)}
	case key == "name" || key == "namespace" || key == "generateName":
		return []rules.Fault{fault(rules.FieldInvalid, field, notA("string", value), value)}
	}
	return []rules.Fault{fault(rules.FieldInvalid, field, "does not have the form this field needs"+found(field, value), value)}
}

// validateMetadata applies the rules every Kubernetes object follows: names, labels, annotations, owners, finalizers.
func (k *kind) validateMetadata(m *metav1.ObjectMeta) field.ErrorList {
	return validation.ValidateObjectMeta(m, k.namespaced, validation.NameIsDNSSubdomain, field.NewPath("metadata"))
}

// plain returns a deep copy that holds nothing but what a JSON decoder produces. Objects built in code carry other
// numbers and would make the libraries below panic.
func plain(value any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	switch v := value.(type) {
	case nil, bool, string, int64:
		return v, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, child := range v {
			c, err := plain(child, depth+1)
			if err != nil {
				return nil, err
			}
			out[key] = c
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			c, err := plain(child, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = c
		}
		return out, nil
	}
	return plainNumber(value)
}

// wholeNumbers turns a float without a fraction into the int64 the API server's decoder makes of it, in place. Readers of
// YAML hand out floats alone, and the CEL rules tell the two apart.
func wholeNumbers(value any) any {
	const exact = 1 << 53
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			v[key] = wholeNumbers(child)
		}
	case []any:
		for i, child := range v {
			v[i] = wholeNumbers(child)
		}
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= exact {
			return int64(v)
		}
	}
	return value
}

func plainNumber(value any) (any, error) {
	switch v := value.(type) {
	case int:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("holds a number that JSON cannot write")
		}
		return v, nil
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole, nil
		}
		broken, err := v.Float64()
		if err != nil {
			return nil, errors.New("holds a number that is out of range")
		}
		return plainNumber(broken)
	}
	return nil, errors.New("holds a value that JSON cannot write")
}
