package rules

// Code is the stable name of a rule, as it appears in the webhook's causes and in the CLI's brackets.
type Code string

// The codes of the product. docs/codes.md has an example of each.
const (
	// FieldInvalid is a fault against the resource definition: type, pattern, bound, enum or missing field.
	FieldInvalid Code = "FieldInvalid"
	// FieldUnknown is a structured field the definition does not have.
	FieldUnknown Code = "FieldUnknown"
	// RuleViolated is a fault against a CEL rule of the resource definition.
	RuleViolated Code = "RuleViolated"
	// SchemaViolation is an effective value the chart's values.schema.json refuses.
	SchemaViolation Code = "SchemaViolation"
	// SchemaUnreadable is a schema, or a part of one, that could not be used and so was not checked.
	SchemaUnreadable Code = "SchemaUnreadable"
	// UnknownValue is a free-form key that neither the chart's values nor its schema know.
	UnknownValue Code = "UnknownValue"
	// OverriddenValue is a value an Operator override replaces.
	OverriddenValue Code = "OverriddenValue"
	// ShadowedField is a structured field whose value a free-form value replaces.
	ShadowedField Code = "ShadowedField"
	// TableReplaced is a table replaced by a scalar or a list, or the reverse.
	TableReplaced Code = "TableReplaced"
	// NullWithoutEffect is a null that deletes nothing.
	NullWithoutEffect Code = "NullWithoutEffect"
	// ValuesTypeMismatch is a value that is no table where a subchart's table must be.
	ValuesTypeMismatch Code = "ValuesTypeMismatch"
	// VersionInvalid is a version that is not a semantic version.
	VersionInvalid Code = "VersionInvalid"
	// VersionDowngrade is a version below the one that ran.
	VersionDowngrade Code = "VersionDowngrade"
	// VersionUnavailable is a version for which no chart is at hand.
	VersionUnavailable Code = "VersionUnavailable"
	// VersionUnresolved is a version reference that cannot be read yet.
	VersionUnresolved Code = "VersionUnresolved"
	// VersionTypeUnsupported is a version type this build does not follow.
	VersionTypeUnsupported Code = "VersionTypeUnsupported"
	// MinorChangeUnsupported is a change of the minor of an instance that ran, which this build does not step through.
	MinorChangeUnsupported Code = "MinorChangeUnsupported"
	// FeatureNeedsVersion is a field that needs a newer chart than the target version.
	FeatureNeedsVersion Code = "FeatureNeedsVersion"
	// OptionRefused is a chart option the Operator refuses by name.
	OptionRefused Code = "OptionRefused"
	// ValuesReferenceInvalid is a referenced ConfigMap or Secret whose content is no values table.
	ValuesReferenceInvalid Code = "ValuesReferenceInvalid"
	// ReferenceMissing is a referenced object or key that is not there, or lacks the label it needs.
	ReferenceMissing Code = "ReferenceMissing"
	// RenderFailed is a chart that does not render with the effective values.
	RenderFailed Code = "RenderFailed"
	// RenderLimit is a render that passed a bound of size or memory.
	RenderLimit Code = "RenderLimit"
	// RenderSkipped is a render that was not run to its end; the rest of the verdict stands.
	RenderSkipped Code = "RenderSkipped"
	// DuplicateObject is an object the chart renders twice.
	DuplicateObject Code = "DuplicateObject"
	// KindNotServed is a rendered kind the cluster does not serve.
	KindNotServed Code = "KindNotServed"
	// ObjectSkipped is a rendered object the Operator never applies: RBAC and definitions.
	ObjectSkipped Code = "ObjectSkipped"
	// ChartFault is a fault of the chart itself: its own defaults break its own schema, or its archive is unusable.
	ChartFault Code = "ChartFault"
	// TooManyFaults closes a list that was cut at its limit and says how many more there are.
	TooManyFaults Code = "TooManyFaults"
	// ManifestInvalid is a file the offline command cannot read as YAML or JSON.
	ManifestInvalid Code = "ManifestInvalid"
	// FieldDuplicate is a key that stands twice in one map of a file: kubectl silently takes the last one.
	FieldDuplicate Code = "FieldDuplicate"
	// KindUnknown is a resource of one of our groups whose kind or version this build does not know.
	KindUnknown Code = "KindUnknown"
	// NoIndexerPool is an Orbit whose values leave no indexer pool.
	NoIndexerPool Code = "NoIndexerPool"
	// NeighbourUnfit is a resource of ours that another one names and cannot work with.
	NeighbourUnfit Code = "NeighbourUnfit"
)
