package render

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/scheme"
)

// Capabilities are what a cluster serves, as far as a chart can ask for it.
type Capabilities struct {
	// KubeVersion is the version the API server reports, such as v1.37.2.
	KubeVersion string
	// APIVersions holds group/version and group/version/Kind entries, such as apps/v1 and apps/v1/Deployment.
	APIVersions []string
}

// Digest returns a sha256 in hexadecimal of what a chart can see. It does not depend on the order of APIVersions.
func (c Capabilities) Digest() string {
	apis := slices.Compact(slices.Sorted(slices.Values(c.APIVersions)))
	h := sha256.New()
	// A hash never fails to take bytes.
	_, _ = io.WriteString(h, c.KubeVersion+"\n"+strings.Join(apis, "\n"))
	return hex.EncodeToString(h.Sum(nil))
}

// helm returns the form the template engine wants.
func (c Capabilities) helm() (*chartutil.Capabilities, error) {
	if len(c.APIVersions) == 0 {
		return nil, &Error{Kind: Input, Text: "it is not known which APIs the cluster serves, so nothing was rendered"}
	}
	version, err := chartutil.ParseKubeVersion(c.KubeVersion)
	if err != nil {
		return nil, &Error{Kind: Input, Text: "the Kubernetes version " + c.KubeVersion + " is no version such as v1.37.2", Cause: err}
	}
	if strings.HasPrefix(c.KubeVersion, "v") {
		// As Helm does against a cluster: a vendor's suffix stays visible to the chart.
		version.Version = c.KubeVersion
	}
	return &chartutil.Capabilities{
		KubeVersion: *version,
		APIVersions: c.APIVersions,
		HelmVersion: chartutil.DefaultCapabilities.HelmVersion,
	}, nil
}

// BuiltIn returns the capabilities of a plain cluster of the given version: every stable API of Kubernetes itself and
// nothing else. The set is that of the Kubernetes libraries this program was built with, whatever the version says,
// so the same call always gives the same bytes.
func BuiltIn(kubeVersion string) Capabilities {
	apis := sets.New(
		"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1/CustomResourceDefinition",
		"apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1/APIService",
	)
	for gvk := range scheme.Scheme.AllKnownTypes() {
		if served(gvk) {
			apis.Insert(gvk.GroupVersion().String(), gvk.GroupVersion().String()+"/"+gvk.Kind)
		}
	}
	return Capabilities{KubeVersion: kubeVersion, APIVersions: sets.List(apis)}
}

// served reports whether a plain cluster serves a type of the client library as a resource: it is stable, and there is
// a list of it or it is a review.
func served(gvk schema.GroupVersionKind) bool {
	if gvk.Version == runtime.APIVersionInternal || strings.Contains(gvk.Version, "alpha") || strings.Contains(gvk.Version, "beta") {
		return false
	}
	if strings.HasSuffix(gvk.Kind, "Review") {
		return true
	}
	return gvk.Kind != "RangeAllocation" && scheme.Scheme.Recognizes(gvk.GroupVersion().WithKind(gvk.Kind+"List"))
}
