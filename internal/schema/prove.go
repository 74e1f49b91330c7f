package schema

import (
	"errors"
	"math"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// prover finds out quickly that values are valid, which nearly all are. Its yes is the library's yes; its no only means
// that the library has to be asked, which also says what is wrong. It follows the keywords that lead from map to map
// itself and asks the library for the parts of a schema that use any other. A map of defaults that was found valid once
// is not looked at again: only what a person wrote, and the maps it lies in, are walked.
type prover struct {
	// valid is filled once, with no values of a person, and only read afterwards. Whoever holds it keeps all maps it
	// knows, so that no identity is ever reused.
	valid    map[held]struct{}
	learning bool
}

// held is a map that was held against a schema.
type held struct {
	by    *jsonschema.Schema
	table uintptr
}

// proves reports that the values are valid for sure. Schemas whose references depend on where one comes from cannot be
// taken apart.
func (p prover) proves(c *compiled, given map[string]any) (valid bool) {
	if c.scoped {
		return false
	}
	defer func() {
		if recover() != nil {
			valid = false
		}
	}()
	return p.holds(c.schema, given, 0)
}

// holds counts the references it followed in place: whatever the library has let pass, they end here.
func (p prover) holds(s *jsonschema.Schema, value any, hops int) bool {
	table, isTable := value.(map[string]any)
	switch {
	case hops > maxRefDepth:
		return false
	case s.Always != nil:
		return *s.Always
	case needsLibrary(s), !isTable && bounded(s, value):
		return s.Validate(value) == nil
	case isTable:
		return p.table(s, table, hops)
	}
	return hasType(s, value) && inEnum(s, value) && p.inPlace(s, value, hops)
}

func (p prover) table(s *jsonschema.Schema, table map[string]any, hops int) bool {
	pair := held{by: s, table: identity(table)}
	if _, known := p.valid[pair]; known {
		return true
	}
	if len(s.Enum) > 0 || len(s.Dependencies) > 0 || len(s.DependentRequired) > 0 || len(s.DependentSchemas) > 0 {
		return s.Validate(table) == nil
	}
	if !hasType(s, table) || !hasSize(s, table) || !p.properties(s, table) || !p.inPlace(s, table, hops) {
		return false
	}
	if p.learning {
		p.valid[pair] = struct{}{}
	}
	return true
}

// properties judges the values of a map each by the schemas that speak of its key.
func (p prover) properties(s *jsonschema.Schema, table map[string]any) bool {
	if s.AdditionalProperties == nil && len(s.PatternProperties) == 0 {
		for key, below := range s.Properties {
			if value, there := table[key]; there && !p.holds(below, value, 0) {
				return false
			}
		}
		return true
	}
	for key, value := range table {
		below, named := s.Properties[key]
		if named && !p.holds(below, value, 0) {
			return false
		}
		for pattern, below := range s.PatternProperties {
			if pattern.MatchString(key) {
				if named = true; !p.holds(below, value, 0) {
					return false
				}
			}
		}
		if !named && !p.additional(s, value) {
			return false
		}
	}
	return true
}

func (p prover) additional(s *jsonschema.Schema, value any) bool {
	switch more := s.AdditionalProperties.(type) {
	case bool:
		return more
	case *jsonschema.Schema:
		return p.holds(more, value, 0)
	}
	return true
}

// inPlace judges the same value by what a schema refers to.
func (p prover) inPlace(s *jsonschema.Schema, value any, hops int) bool {
	if s.Ref != nil && !p.holds(s.Ref, value, hops+1) {
		return false
	}
	if slices.ContainsFunc(s.AllOf, func(each *jsonschema.Schema) bool { return !p.holds(each, value, hops+1) }) {
		return false
	}
	return s.If == nil || p.conditional(s, value, hops)
}

// conditional follows the branch that applies. Which one that is has to be known for sure: the library says it.
func (p prover) conditional(s *jsonschema.Schema, value any, hops int) bool {
	branch := s.Then
	if err := s.If.Validate(value); err != nil {
		if _, invalid := errors.AsType[*jsonschema.ValidationError](err); !invalid {
			return false
		}
		branch = s.Else
	}
	return branch == nil || p.holds(branch, value, hops+1)
}

// needsLibrary reports whether a schema has keywords that are not followed here.
func needsLibrary(s *jsonschema.Schema) bool {
	return s.Not != nil || len(s.AnyOf) > 0 || len(s.OneOf) > 0 || len(s.Constant) > 0 || s.Format != "" ||
		s.RecursiveRef != nil || s.DynamicRef != nil || len(s.Extensions) > 0 ||
		s.PropertyNames != nil || s.RegexProperties || s.UnevaluatedProperties != nil
}

// bounded reports whether a value that is no map has more to it than a type and a list of values.
func bounded(s *jsonschema.Schema, value any) bool {
	switch value.(type) {
	case nil, bool:
		return false
	case string:
		return s.MinLength >= 0 || s.MaxLength >= 0 || s.Pattern != nil || s.ContentEncoding != "" || s.ContentMediaType != "" || s.ContentSchema != nil
	case float64:
		return len(s.Enum) > 0 || s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil || s.MultipleOf != nil
	}
	return true
}

func hasType(s *jsonschema.Schema, value any) bool {
	if len(s.Types) == 0 {
		return true
	}
	name, whole := "", false
	switch v := value.(type) {
	case nil:
		name = "null"
	case bool:
		name = "boolean"
	case string:
		name = "string"
	case float64:
		name, whole = "number", v == math.Trunc(v)
	case map[string]any:
		name = "object"
	}
	return slices.Contains(s.Types, name) || whole && slices.Contains(s.Types, "integer")
}

// inEnum finds texts, booleans and nulls; other values were bounded.
func inEnum(s *jsonschema.Schema, value any) bool {
	if len(s.Enum) == 0 {
		return true
	}
	return slices.ContainsFunc(s.Enum, func(allowed any) bool {
		switch allowed.(type) {
		case nil, bool, string:
			return allowed == value
		}
		return false
	})
}

func hasSize(s *jsonschema.Schema, table map[string]any) bool {
	if len(table) < s.MinProperties || s.MaxProperties >= 0 && len(table) > s.MaxProperties {
		return false
	}
	for _, name := range s.Required {
		if _, there := table[name]; !there {
			return false
		}
	}
	return true
}
