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
)
