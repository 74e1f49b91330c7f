package v2alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Phase is the one-word summary of a resource.
//
// +kubebuilder:validation:Enum=Preparing;Running;Failed
type Phase string

const (
	// PhasePreparing says that the first release is not applied yet, or that the resource waits for its Secrets.
	PhasePreparing Phase = "Preparing"
	// PhaseRunning says that a release is applied; an upgrade keeps this phase, with Progressing True.
	PhaseRunning Phase = "Running"
	// PhaseFailed says that somebody has to look: a condition names what failed.
	PhaseFailed Phase = "Failed"
)

// ReleaseStatus is what every chart-backed kind reports of its release. Every field describes what was applied, not what
// was asked for. HooksVersion, HooksGeneration, RenderedKinds and Version are records the reconcilers read back.
type ReleaseStatus struct {
	// ObservedGeneration is the generation the last judged pass looked at.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Phase is the one-word summary.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// Version is the chart version that is applied.
	// +optional
	Version string `json:"version,omitempty"`
	// GitLabVersion is the version of GitLab, such as 19.4.1: the one the chart deploys, or the one of the instance an
	// add-on belongs to.
	// +optional
	GitLabVersion string `json:"gitlabVersion,omitempty"`
	// TargetVersion is the chart version the resource converges to.
	// +optional
	TargetVersion string `json:"targetVersion,omitempty"`
	// HooksVersion is the chart version whose pre-install hooks completed. The reconciler reads it back.
	// +optional
	HooksVersion string `json:"hooksVersion,omitempty"`
	// HooksGeneration is the generation those hooks completed for; a failed pass takes it back, so that they run again.
	// The reconciler reads it back, since a wait in between turns Initialized False without a reason to run them twice.
	// +optional
	HooksGeneration int64 `json:"hooksGeneration,omitempty"`
	// EffectiveValuesDigest tells one set of effective values from another. It is built over references and their
	// resource versions where Secrets are involved, never over their content.
	// +optional
	EffectiveValuesDigest string `json:"effectiveValuesDigest,omitempty"`
	// RenderedKinds lists what the release may own, as <apiVersion>/<Kind> in order. It is written before the first
	// object of a kind is applied, and a kind leaves it only after a clean list. The prune and the finalizer read it.
	// +listType=set
	// +optional
	RenderedKinds []string `json:"renderedKinds,omitempty"`
	// Conditions are Ready, Initialized, Available and what else the kind has, with Reconciling and Stalled while they
	// apply.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
