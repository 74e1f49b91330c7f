package secretsyml

import "go.yaml.in/yaml/v3"

// FieldState says what a declared field holds.
type FieldState int

const (
	// Present is a field with a value. It is never touched.
	Present FieldState = iota
	// Absent is a field that is not there.
	Absent
	// Null is a field that is null.
	Null
	// Empty is a field that holds an empty string, list or mapping.
	Empty
	// Foreign is a field that an alias or a tag makes null or empty, or that a merge key provides. It cannot be filled
	// in its place, so the whole file is left to a person; Problem says why.
	Foreign
)

// Field says what a field of the environment holds.
func (f *File) Field(name string) FieldState {
	state, _ := f.field(name)
	return state
}

// Problem says why a field is Foreign; nil for a field that is not.
func (f *File) Problem(name string) *ProblemError {
	_, err := f.field(name)
	return err
}

func (f *File) field(name string) (FieldState, *ProblemError) {
	if f.fields == nil {
		return Absent, nil
	}
	value := lookup(f.fields, name)
	if value == nil {
		if merged(f.fields, name) {
			return Foreign, problem(FieldMerged, "a merge key provides the field %s.%s", f.env, name)
		}
		return Absent, nil
	}
	state := emptiness(resolve(value))
	switch {
	case state == Present:
		return Present, nil
	case value.Kind == yaml.AliasNode:
		return Foreign, problem(FieldAliased, "an alias makes the field %s.%s null or empty, at line %d", f.env, name, value.Line)
	case value.Anchor != "":
		return Foreign, problem(FieldAliased, "the field %s.%s is null or empty and has an anchor, at line %d: filling it would fill its aliases", f.env, name, value.Line)
	case value.Style&yaml.TaggedStyle != 0 || hasForeignTag(value):
		return Foreign, problem(FieldTagged, "a tag makes the field %s.%s null or empty, at line %d", f.env, name, value.Line)
	}
	return state, nil
}

// emptiness looks at a value without asking where it comes from.
func emptiness(n *yaml.Node) FieldState {
	switch {
	case isNull(n):
		return Null
	case n.Kind == yaml.ScalarNode && n.Value == "", n.Kind != yaml.ScalarNode && len(n.Content) == 0:
		return Empty
	}
	return Present
}

// hasForeignTag finds a tag that the value would not have by itself.
func hasForeignTag(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!str", "!!null", "!!seq", "!!map":
		return false
	}
	return true
}
