package secretsyml

import "fmt"

// Reason names why a secrets.yml is left to a person.
type Reason string

// The reasons. Each is one case in which adding a field could touch what is there, or say something else than it seems.
const (
	// NotUTF8 says that the text is not UTF-8.
	NotUTF8 Reason = "SecretsYmlNotUTF8"
	// NotYAML says that the text does not parse.
	NotYAML Reason = "SecretsYmlNotYAML"
	// ManyDocuments says that a second document follows the first.
	ManyDocuments Reason = "SecretsYmlManyDocuments"
	// DuplicateKey says that a mapping, anywhere in the file, has one key twice.
	DuplicateKey Reason = "SecretsYmlDuplicateKey"
	// TooDeep says that the file is nested deeper, or its keys expand to more, than any real one.
	TooDeep Reason = "SecretsYmlTooDeep"
	// RootNull says that the document is null.
	RootNull Reason = "SecretsYmlRootNull"
	// RootNotMapping says that the document is neither null nor a mapping.
	RootNotMapping Reason = "SecretsYmlRootNotMapping"
	// EnvironmentNull says that the environment is null.
	EnvironmentNull Reason = "SecretsYmlEnvironmentNull"
	// EnvironmentNotMapping says that the environment is neither null nor a mapping.
	EnvironmentNotMapping Reason = "SecretsYmlEnvironmentNotMapping"
	// EnvironmentShared says that the environment is an alias, or comes from a merge key: a field added to it would be
	// added elsewhere too, or hide what is merged.
	EnvironmentShared Reason = "SecretsYmlEnvironmentShared"
	// FieldAliased says that an alias or an anchor makes a declared field null or empty.
	FieldAliased Reason = "SecretsYmlFieldAliased"
	// FieldTagged says that a tag makes a declared field null or empty.
	FieldTagged Reason = "SecretsYmlFieldTagged"
	// FieldMerged says that a merge key provides a declared field.
	FieldMerged Reason = "SecretsYmlFieldMerged"
	// NotRewritable says that the file cannot be written back without changing a value or losing a comment.
	NotRewritable Reason = "SecretsYmlNotRewritable"
)

// ProblemError says why nothing is added to a secrets.yml. Text is for a person: it names lines, never a key or a value
// of the file, since a file that is not what it should be may hold a value anywhere.
type ProblemError struct {
	Reason Reason
	Text   string
}

// Error is the text.
func (e *ProblemError) Error() string { return e.Text }

func problem(reason Reason, format string, args ...any) *ProblemError {
	return &ProblemError{Reason: reason, Text: fmt.Sprintf(format, args...)}
}
