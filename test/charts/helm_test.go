package charts_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/test/charts"
)

// object is a rendered document, decoded.
type object map[string]any

func (o object) metadata() map[string]any {
	m, _ := o["metadata"].(map[string]any)
	return m
}

func (o object) name() string { return fmt.Sprint(o.metadata()["name"]) }

func (o object) kind() string { return fmt.Sprintf("%s/%s", o["apiVersion"], o["kind"]) }

func (o object) annotation(key string) string {
	annotations, _ := o.metadata()["annotations"].(map[string]any)
	value, _ := annotations[key].(string)
	return value
}

func (o object) label(key string) string {
	labels, _ := o.metadata()["labels"].(map[string]any)
	value, _ := labels[key].(string)
	return value
}

func (o object) isHook() bool { return o.annotation("helm.sh/hook") != "" }

// applied tells whether an operator that brings neither definitions nor RBAC would apply the object itself.
func (o object) applied() bool {
	return !o.isHook() && o["kind"] != "CustomResourceDefinition" &&
		!strings.HasPrefix(fmt.Sprint(o["apiVersion"]), "rbac.authorization.k8s.io/")
}

type render struct {
	objects []object
	notes   string
	values  chartutil.Values
}

func (r render) find(t *testing.T, kind, name string) object {
	t.Helper()
	for _, o := range r.objects {
		if o["kind"] == kind && o.name() == name {
			return o
		}
	}
	t.Fatalf("no %s %q was rendered", kind, name)
	return nil
}

func (r render) has(kind string) bool {
	return slices.ContainsFunc(r.objects, func(o object) bool { return o["kind"] == kind })
}

func (r render) kinds() []string {
	kinds := map[string]bool{}
	for _, o := range r.objects {
		if o.applied() {
			kinds[o.kind()] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

// options are what a render needs beside its values; the zero value is a current cluster with the routing kinds served,
// and the GitLab chart.
type options struct {
	of          charts.Chart
	kubeVersion string
	apiVersions []string
	skipSchema  bool
	release     string
}

func load(t *testing.T, version string) *chart.Chart {
	t.Helper()
	return loadOf(t, charts.GitLab(), version)
}

func loadOf(t *testing.T, of charts.Chart, version string) *chart.Chart {
	t.Helper()
	content, err := of.Archive(version)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := loader.LoadArchive(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("Helm does not read chart %s %s: %v", of.Name(), version, err)
	}
	return loaded
}

// helm renders as Helm does: dependencies first, schema next, then every template, the notes among them.
func helm(t *testing.T, version, values string, o options) (render, error) {
	t.Helper()
	if o.of.Name() == "" {
		o.of = charts.GitLab()
	}
	loaded := loadOf(t, o.of, version)
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	if err := chartutil.ProcessDependenciesWithMerge(loaded, given); err != nil {
		return render{}, err
	}
	if o.release == "" {
		o.release = "gl"
	}
	release := chartutil.ReleaseOptions{Name: o.release, Namespace: "team", Revision: 1, IsInstall: true}
	top, err := chartutil.ToRenderValuesWithSchemaValidation(loaded, given, release, capabilities(t, o), o.skipSchema)
	if err != nil {
		return render{}, err
	}
	if want := loaded.Metadata.KubeVersion; want != "" && !chartutil.IsCompatibleRange(want, capabilities(t, o).KubeVersion.String()) {
		return render{}, fmt.Errorf("chart %s wants Kubernetes %s", version, want)
	}
	files, err := engine.Render(loaded, top)
	if err != nil {
		return render{}, err
	}
	out := render{notes: files[o.of.Name()+"/templates/NOTES.txt"], values: top["Values"].(chartutil.Values)}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".txt") {
			out.objects = append(out.objects, documents(t, name, files[name])...)
		}
	}
	return out, nil
}

func capabilities(t *testing.T, o options) *chartutil.Capabilities {
	t.Helper()
	if o.kubeVersion == "" {
		o.kubeVersion = "v1.37.2"
	}
	kube, err := chartutil.ParseKubeVersion(o.kubeVersion)
	if err != nil {
		t.Fatal(err)
	}
	served := chartutil.VersionSet{
		"v1", "apps/v1", "batch/v1", "autoscaling/v2", "autoscaling/v1", "policy/v1", "networking.k8s.io/v1",
		"gateway.networking.k8s.io/v1", "gateway.envoyproxy.io/v1alpha1",
	}
	return &chartutil.Capabilities{KubeVersion: *kube, APIVersions: append(served, o.apiVersions...)}
}

func documents(t *testing.T, name, text string) []object {
	t.Helper()
	var out []object
	split := releaseutil.SplitManifests(text)
	for _, key := range slices.Sorted(maps.Keys(split)) {
		var o object
		if err := yaml.UnmarshalStrict([]byte(split[key]), &o); err != nil {
			t.Fatalf("%s does not decode: %v", name, err)
		}
		if len(o) > 0 {
			out = append(out, o)
		}
	}
	return out
}

func mustHelm(t *testing.T, version, values string, o options) render {
	t.Helper()
	out, err := helm(t, version, values, o)
	if err != nil {
		t.Fatalf("chart %s does not render: %v", version, err)
	}
	return out
}
