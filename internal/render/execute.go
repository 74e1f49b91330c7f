package render

import (
	"fmt"
	"strings"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/util/validation"
)

// output is what the template engine left: the text of every template by its path, and the chart without its disabled
// subcharts.
type output struct {
	files   map[string]string
	chart   *helmchart.Chart
	lookups []LookupKey
}

// check refuses a request that no chart could be rendered with.
func check(req Request) error {
	for _, v := range []struct{ what, value string }{{"name", req.Release.Name}, {"namespace", req.Release.Namespace}} {
		if v.value == "" {
			return &Error{Kind: Input, Text: "the release has no " + v.what}
		}
		if reasons := validation.IsValidLabelValue(v.value); len(reasons) > 0 {
			return &Error{Kind: Input, Text: fmt.Sprintf("the %s %q cannot be a label value, and every object carries it as one: %s",
				v.what, v.value, strings.Join(reasons, "; "))}
		}
	}
	return nil
}

// execute runs the template engine. Dependency processing and the templates both change what they work on; the chart
// and the values of the request are spent afterwards.
func execute(req Request, c *helmchart.Chart) (output, error) {
	caps, err := req.Capabilities.helm()
	if err != nil {
		return output{}, err
	}
	if err := installable(c, caps); err != nil {
		return output{}, err
	}
	if err := chartutil.ProcessDependenciesWithMerge(c, req.Values); err != nil {
		return output{}, explainValues(c, err)
	}
	options := chartutil.ReleaseOptions{Name: req.Release.Name, Namespace: req.Release.Namespace, Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValuesWithSchemaValidation(c, req.Values, options, caps, true)
	if err != nil {
		return output{}, explainValues(c, err)
	}
	lookups := newRecorder(req.Found)
	files, err := engine.RenderWithClientProvider(c, values, lookups)
	if err != nil {
		return output{}, explain(err)
	}
	if err := withinOutput(files, req.Limits.Output); err != nil {
		return output{}, err
	}
	return output{files: files, chart: c, lookups: lookups.keys()}, nil
}

// installable refuses a chart that Helm would not install.
func installable(c *helmchart.Chart, caps *chartutil.Capabilities) error {
	if t := c.Metadata.Type; t != "" && t != "application" {
		return &Error{Kind: Chart, Text: fmt.Sprintf("the chart %s is of the type %s and cannot be installed by itself", c.Name(), t)}
	}
	if want := c.Metadata.KubeVersion; want != "" && !chartutil.IsCompatibleRange(want, caps.KubeVersion.Version) {
		return &Error{Kind: Chart, Text: fmt.Sprintf("the chart %s %s needs Kubernetes %s, and the cluster runs %s",
			c.Name(), c.Metadata.Version, want, caps.KubeVersion.Version)}
	}
	return nil
}

func withinOutput(files map[string]string, limit int) error {
	size := 0
	for _, text := range files {
		size += len(text)
	}
	if size > limit {
		return &Error{Kind: Limit, Text: fmt.Sprintf("the chart renders %d bytes, and at most %d are accepted", size, limit)}
	}
	return nil
}
