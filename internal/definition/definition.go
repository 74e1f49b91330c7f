// Package definition checks an object against its resource definition exactly as the API server would, without one.
//
// Floor 1, pure. It runs the API server's own libraries (structural schema, defaulting, list types, CEL rules) over the
// definitions it is given, so that the webhook and the offline CLI say no where the API server would, and say it with
// every fault at once: the API server stops before its CEL rules when a type is wrong, this package does not.
package definition

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// ErrNoSchema is a definition with a version that has no schema, which nothing can be checked against.
var ErrNoSchema = errors.New("the definition has a version without a schema")

// Set is a number of resource definitions, compiled once. It is immutable and safe for concurrent use.
type Set struct {
	kinds map[schema.GroupVersionKind]*kind
}

// kind is one served version of one definition.
type kind struct {
	gvk        schema.GroupVersionKind
	namespaced bool
	hasStatus  bool
	structural *structuralschema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator
}

// New compiles definitions of apiextensions.k8s.io/v1, each given as one YAML document. It fails on a definition that
// is not readable or not structural; it does not repeat the API server's check of the definition itself.
func New(crdYAML ...[]byte) (*Set, error) {
	set := &Set{kinds: make(map[schema.GroupVersionKind]*kind)}
	for _, data := range crdYAML {
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(data, &crd); err != nil {
			return nil, fmt.Errorf("read a resource definition: %w", err)
		}
		for i := range crd.Spec.Versions {
			if !crd.Spec.Versions[i].Served {
				continue
			}
			k, err := compile(&crd, &crd.Spec.Versions[i])
			if err != nil {
				return nil, fmt.Errorf("compile the definition %s, version %s: %w", crd.Name, crd.Spec.Versions[i].Name, err)
			}
			set.kinds[k.gvk] = k
		}
	}
	return set, nil
}

func compile(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion) (*kind, error) {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return nil, ErrNoSchema
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &props, nil); err != nil {
		return nil, fmt.Errorf("convert the schema: %w", err)
	}
	structural, err := structuralschema.NewStructural(&props)
	if err != nil {
		return nil, fmt.Errorf("read the schema as a structural one: %w", err)
	}
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, fmt.Errorf("prune the defaults: %w", err)
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	return &kind{
		gvk:        schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind},
		namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		hasStatus:  v.Subresources != nil && v.Subresources.Status != nil,
		structural: structural,
		schema:     validator,
		rules:      cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}, nil
}

// Kinds returns the kinds the set can check, in order.
func (s *Set) Kinds() []schema.GroupVersionKind {
	out := make([]schema.GroupVersionKind, 0, len(s.kinds))
	for gvk := range s.kinds {
		out = append(out, gvk)
	}
	slices.SortFunc(out, func(a, b schema.GroupVersionKind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

// Knows reports whether the set has a definition of this kind in this version.
func (s *Set) Knows(gvk schema.GroupVersionKind) bool { return s.kinds[gvk] != nil }
