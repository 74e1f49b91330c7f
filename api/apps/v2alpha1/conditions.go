package v2alpha1

// The condition types. Each carries the generation it was judged at.
const (
	// ConditionReady is the summary: True when the asked-for version is applied and every workload rolled out.
	ConditionReady = "Ready"
	// ConditionInitialized says that the chart was resolved and rendered and its hooks are done. Its generation is the
	// one whose hooks ran.
	ConditionInitialized = "Initialized"
	// ConditionAvailable says that every rendered Deployment and StatefulSet is rolled out.
	ConditionAvailable = "Available"
	// ConditionProgressing says that an upgrade is under way.
	ConditionProgressing = "Progressing"
	// ConditionUpgradeable says that the way to the target version is open.
	ConditionUpgradeable = "Upgradeable"
	// ConditionReconciling is kstatus' sign that the resource is being worked on. It is absent otherwise.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is kstatus' sign that only a change by a person helps. It is absent otherwise.
	ConditionStalled = "Stalled"
)

// The reasons of the conditions of a GitLabCore. They are untyped so that one name serves a condition and a typed
// reason alike.
const (
	// ReasonChartRendered says that the chart was resolved and rendered and its hooks are done.
	ReasonChartRendered = "ChartRendered"
	// ReasonRenderFailed says that the spec cannot produce a release; the message has the chart's own words.
	ReasonRenderFailed = "RenderFailed"
	// ReasonHooksRunning says that a hook of this release is still running.
	ReasonHooksRunning = "HooksRunning"
	// ReasonHooksFailed says that a hook failed or ran out of time; the hooks run again on the next pass.
	ReasonHooksFailed = "HooksFailed"
	// ReasonVersionUnresolved says that spec.version, or the ConfigMap it names, gives no version that can be used.
	ReasonVersionUnresolved = "VersionUnresolved"
	// ReasonChartUnavailable says that no chart of the target version is at hand.
	ReasonChartUnavailable = "ChartUnavailable"
	// ReasonValuesReferenceNotFound says that an object of spec.chart.valuesFrom, its key or its label is missing.
	ReasonValuesReferenceNotFound = "ValuesReferenceNotFound"
	// ReasonValuesReferenceInvalid says that an object of spec.chart.valuesFrom holds no table of values.
	ReasonValuesReferenceInvalid = "ValuesReferenceInvalid"
	// ReasonAdmissionRefused says that the reconciler's own check refuses what a missing webhook let in.
	ReasonAdmissionRefused = "AdmissionRefused"
	// ReasonApplyFailed says that an object did not apply; the message names every one.
	ReasonApplyFailed = "ApplyFailed"
	// ReasonDiscoveryFailed says that the cluster did not tell what it serves.
	ReasonDiscoveryFailed = "DiscoveryFailed"

	// ReasonWorkloadsReady says that every rendered Deployment and StatefulSet is rolled out.
	ReasonWorkloadsReady = "WorkloadsReady"
	// ReasonWorkloadsNotReady says that one is not; the message names the first, with a cause when a pod gives one.
	ReasonWorkloadsNotReady = "WorkloadsNotReady"

	// ReasonUpgradePathValid says that every version between the applied and the target one is at hand.
	ReasonUpgradePathValid = "UpgradePathValid"
	// ReasonDowngradeRefused says that the asked-for version is below the one that ran.
	ReasonDowngradeRefused = "DowngradeRefused"
	// ReasonMinorChangeUnsupported says that the asked-for version is of another minor than the one that ran.
	ReasonMinorChangeUnsupported = "MinorChangeUnsupported"

	// ReasonReconcileSucceeded says that the pass did all it had to do.
	ReasonReconcileSucceeded = "ReconcileSucceeded"
	// ReasonProgressing says that the resource is on its way to the asked-for state.
	ReasonProgressing = "Progressing"
	// ReasonUpgradeComplete says that the target version is applied.
	ReasonUpgradeComplete = "UpgradeComplete"
)

// The reasons of the events of a GitLabCore.
const (
	// EventConfigError (Warning) says that the spec cannot produce a release.
	EventConfigError = "ConfigError"
	// EventTargetVersionChanged (Normal) says that the resource now converges to another version.
	EventTargetVersionChanged = "TargetVersionChanged"
	// EventDowngradeRefused (Warning) says that a version below the one that ran was asked for.
	EventDowngradeRefused = "DowngradeRefused"
	// EventDriftContested (Warning) says that another writer keeps undoing what the Operator applies.
	EventDriftContested = "DriftContested"
	// EventDriftCorrected (Normal) names the objects that somebody changed or deleted and the Operator put back.
	EventDriftCorrected = "DriftCorrected"
	// EventPruned (Normal) names the objects that were deleted because the release no longer renders them.
	EventPruned = "Pruned"
)

// The reasons of the Ready condition of a GitLabSecrets, beside ReasonApplyFailed.
const (
	// ReasonSecretsReady says that every declared unit is there.
	ReasonSecretsReady = "SecretsReady"
	// ReasonUnitsReported says that a unit is missing and only a person can help; the message names each.
	ReasonUnitsReported = "UnitsReported"
)

// The reasons of the events of a GitLabSecrets.
const (
	// EventSecretShared (Warning) says that two GitLabSecrets declare one Secret.
	EventSecretShared = "SecretShared"
	// EventSecretTypeDiffers (Normal) says that an existing Secret has another type than the declared one.
	EventSecretTypeDiffers = "SecretTypeDiffers"
	// EventUnitReported (Warning) says that a unit is missing and is not made.
	EventUnitReported = "UnitReported"
	// EventSecretGenerated (Normal) names the keys that were made.
	EventSecretGenerated = "SecretGenerated"
)

// ReasonWaitingForSecrets says that a GitLabCore waits for its GitLabSecrets; the message has that one's own words.
const ReasonWaitingForSecrets = "WaitingForSecrets"

// ConditionTablesResolved says that the list of replicated tables of a Siphon reached the pods.
const ConditionTablesResolved = "TablesResolved"

// The reasons of the conditions that Siphon and Orbit share, beside those of a GitLabCore. The first three are waits:
// each resolves by itself.
const (
	// ReasonGitLabNotFound says that there is no GitLabCore of the name in spec.gitlabRef.
	ReasonGitLabNotFound = "GitLabNotFound"
	// ReasonGitLabNotReady says that the referenced GitLabCore does not report Available.
	ReasonGitLabNotReady = "GitLabNotReady"
	// ReasonGitLabVersionPending says that the referenced GitLabCore does not report its GitLab version yet.
	ReasonGitLabVersionPending = "GitLabVersionPending"
	// ReasonChartVersionUnavailable says that the Operator comes without the asked-for chart version; the message lists
	// those it has.
	ReasonChartVersionUnavailable = "ChartVersionUnavailable"
)

// The reasons of the conditions of a Siphon.
const (
	// ReasonGitLabClickHouseNotConfigured is a wait: the referenced GitLabCore has no ClickHouse.
	ReasonGitLabClickHouseNotConfigured = "GitLabClickHouseNotConfigured"

	// ReasonTablesMounted says that the pods mount the tables image.
	ReasonTablesMounted = "TablesMounted"
	// ReasonTablesPublished says that this pass wrote the tables into the ConfigMap.
	ReasonTablesPublished = "TablesPublished"
	// ReasonTablesUnchanged says that the ConfigMap already holds the tables of the image.
	ReasonTablesUnchanged = "TablesUnchanged"
	// ReasonTablesFetchFailed says that the tables image could not be read; what was published stays.
	ReasonTablesFetchFailed = "TablesFetchFailed"
	// ReasonTablesTooLarge says that the tables do not fit into a ConfigMap.
	ReasonTablesTooLarge = "TablesTooLarge"
)

// EventReplicationSlotRetained (Normal) says, when a Siphon is deleted, which replication slot stays in PostgreSQL.
const EventReplicationSlotRetained = "ReplicationSlotRetained"

// The reasons of the conditions of an Orbit. Those of a Siphon in the way are waits: each resolves by itself.
const (
	// ReasonSiphonNotFound says that there is no Siphon of the name in spec.siphonRef.
	ReasonSiphonNotFound = "SiphonNotFound"
	// ReasonSiphonDeleting says that the referenced Siphon is being deleted, whatever it reports.
	ReasonSiphonDeleting = "SiphonDeleting"
	// ReasonSiphonNotReady says that the referenced Siphon does not report Available.
	ReasonSiphonNotReady = "SiphonNotReady"
	// ReasonSiphonStreamPending says that the referenced Siphon does not report the name of its stream yet.
	ReasonSiphonStreamPending = "SiphonStreamPending"

	// ReasonGitLabTooOld says that Orbit needs a newer GitLab; the message names both versions.
	ReasonGitLabTooOld = "GitLabTooOld"
	// ReasonGitLabMismatch says that the Siphon belongs to another instance; the message names both.
	ReasonGitLabMismatch = "GitLabMismatch"
	// ReasonSiphonUsesCredentials says that the Siphon sets NATS credentials, which Orbit cannot use.
	ReasonSiphonUsesCredentials = "SiphonUsesCredentials"
	// ReasonValueRefused says that spec.chart.values turns on an option that is not supported; the message names it.
	ReasonValueRefused = "ValueRefused"
	// ReasonNoIndexerPool says that no indexer pool is left after the values are merged.
	ReasonNoIndexerPool = "NoIndexerPool"
	// ReasonDuplicateObject says that the chart renders two objects of one kind and name; the message names them.
	ReasonDuplicateObject = "DuplicateObject"
)
