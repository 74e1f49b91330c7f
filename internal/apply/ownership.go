package apply

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/portcullis-operator/portcullis/internal/object"
)

// Marks other tools leave on the objects they own.
const (
	labelManagedBy        = "app.kubernetes.io/managed-by"
	helmReleaseName       = "meta.helm.sh/release-name"
	helmReleaseNamespace  = "meta.helm.sh/release-namespace"
	fluxKustomizeName     = "kustomize.toolkit.fluxcd.io/name"
	fluxKustomizeSpace    = "kustomize.toolkit.fluxcd.io/namespace"
	fluxHelmName          = "helm.toolkit.fluxcd.io/name"
	fluxHelmSpace         = "helm.toolkit.fluxcd.io/namespace"
	argoTracking          = "argocd.argoproj.io/tracking-id"
	hintForeign           = "Rename one of the two, turn the object off in the chart's values, or delete it so that it can be made anew."
	hintForeignDeclared   = "Turn the object off in the chart's values, or stop the other tool and remove its mark: "
	hintForeignEarlier    = "The garbage collector removes it, then it is made anew."
	descriptionController = "its controller "
)

// foreign decides whether a live object belongs to somebody else, after these rules, first match first:
//
//  1. its controller reference names another UID: foreign, whatever its labels say;
//  2. a controller reference to this owner: ours;
//  3. its release labels name another release, in any of the three that are there: foreign;
//  4. its release labels name this release (the third may be absent, from before it existed): ours;
//  5. another tool says it owns it: Helm (its managed-by label together with its release annotations of another name or
//     namespace), Flux or Argo CD: foreign;
//  6. it declares no owner: it is adopted, as Helm does with take-ownership and Flux does on its first apply. That holds
//     for what was made by hand, and for what a Helm release of this very name and namespace left behind.
func foreign(owner Owner, ref object.Ref, live metav1.Object) *ForeignError {
	other, hint := otherOwner(owner, live)
	if other == "" {
		return nil
	}
	return &ForeignError{Ref: ref, Owner: owner.String(), Other: other, Hint: hint}
}

// otherOwner returns who else owns the object, and how to part the two; empty when nobody does.
func otherOwner(owner Owner, live metav1.Object) (other, hint string) {
	if controller := metav1.GetControllerOf(live); controller != nil {
		switch {
		case controller.UID == owner.Object.GetUID():
			return "", ""
		case earlier(owner, *controller):
			return fmt.Sprintf("an earlier %s (UID %s)", owner, controller.UID), hintForeignEarlier
		}
		return fmt.Sprintf("%s%s %s (UID %s)", descriptionController, controller.Kind, controller.Name, controller.UID), hintForeign
	}
	if labelled, found := releaseLabels(live); found {
		if labelled != owner.Release && (labelled.Name != owner.Release.Name ||
			labelled.Namespace != owner.Release.Namespace || labelled.Kind != "") {
			return "the release of " + labelled.String(), hintForeign
		}
		return "", ""
	}
	return otherTool(owner, live)
}

// earlier reports whether a controller reference names a resource of the same kind and name that is gone by now.
func earlier(owner Owner, controller metav1.OwnerReference) bool {
	return controller.Kind == owner.GVK.Kind && controller.Name == owner.Object.GetName() &&
		groupOf(controller.APIVersion) == owner.GVK.Group
}

// releaseLabels returns the release an object is labelled with; found is false when it carries none of the labels.
func releaseLabels(live metav1.Object) (r object.Release, found bool) {
	labels := live.GetLabels()
	r = object.Release{
		Name:      labels[object.LabelReleaseName],
		Namespace: labels[object.LabelReleaseNamespace],
		Kind:      labels[object.LabelReleaseKind],
	}
	return r, r != object.Release{}
}

// otherTool returns the tool that says it owns the object.
func otherTool(owner Owner, live metav1.Object) (other, hint string) {
	labels, annotations := live.GetLabels(), live.GetAnnotations()
	name, space := annotations[helmReleaseName], annotations[helmReleaseNamespace]
	switch {
	case labels[labelManagedBy] == "Helm" && name != "" && (name != owner.Release.Name || space != owner.Release.Namespace):
		return fmt.Sprintf("the Helm release %s/%s", space, name), hintForeignDeclared + "the annotation " + helmReleaseName + "."
	case labels[fluxKustomizeName] != "":
		return fmt.Sprintf("the Flux Kustomization %s/%s", labels[fluxKustomizeSpace], labels[fluxKustomizeName]),
			hintForeignDeclared + "the label " + fluxKustomizeName + "."
	case labels[fluxHelmName] != "":
		return fmt.Sprintf("the Flux HelmRelease %s/%s", labels[fluxHelmSpace], labels[fluxHelmName]),
			hintForeignDeclared + "the label " + fluxHelmName + "."
	case annotations[argoTracking] != "":
		return "the Argo CD application of " + annotations[argoTracking],
			hintForeignDeclared + "the annotation " + argoTracking + "."
	}
	return "", ""
}
