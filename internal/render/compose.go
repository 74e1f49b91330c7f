package render

import (
	"fmt"
	"path"
	"strings"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/object"
)

const notesFile = "NOTES.txt"

// compose makes a release out of the text the templates left.
func compose(req Request, out output) (Release, error) {
	notes := takeNotes(out.files, out.chart.Name())
	docs, err := documents(out.files, req.Limits.Documents)
	if err != nil {
		return Release{}, err
	}
	release, err := sortOut(req.Release, docs)
	if err != nil {
		return Release{}, err
	}
	if release.Definitions, err = definitions(out.chart, req.Limits.Documents); err != nil {
		return Release{}, err
	}
	release.Notes = notes
	release.Lookups = out.lookups
	release.AppVersion = appVersion(release, out.chart.AppVersion())
	return release, nil
}

// takeNotes removes all notes from the files and returns those of the chart itself.
func takeNotes(files map[string]string, chartName string) string {
	own := path.Join(chartName, "templates", notesFile)
	notes := files[own]
	for name := range files {
		if strings.HasSuffix(name, notesFile) {
			delete(files, name)
		}
	}
	return notes
}

// sortOut tells hooks from objects, stamps both, and puts both in order.
func sortOut(owner object.Release, docs []document) (Release, error) {
	var release Release
	var hooks []*unstructured.Unstructured
	byObject := map[*unstructured.Unstructured]Hook{}
	for _, doc := range docs {
		u := &unstructured.Unstructured{Object: doc.content}
		object.DropNulls(u)
		hook, unknown, isHook := hookOf(u)
		if len(unknown) > 0 {
			release.Warnings = append(release.Warnings, unknownEvents(doc.template, u, unknown))
			continue
		}
		if isHook && len(hook.Events) == 0 {
			continue
		}
		if err := named(u); err != nil {
			return Release{}, &Error{Kind: Template, Template: doc.template, Text: err.Error()}
		}
		object.StampRelease(u, owner)
		if isHook {
			hooks, byObject[u] = append(hooks, u), hook
		} else {
			release.Objects = append(release.Objects, u)
		}
	}
	object.SortInstall(release.Objects)
	object.SortInstall(hooks)
	for _, u := range hooks {
		release.Hooks = append(release.Hooks, byObject[u])
	}
	sortHooks(release.Hooks)
	return release, nil
}

func unknownEvents(template string, u *unstructured.Unstructured, events []string) Warning {
	return Warning{
		Reason:   UnknownHookEvent,
		Template: template,
		Object:   object.RefOf(u),
		Text: fmt.Sprintf("%s is a hook for %q, which is no event of a release, so it is left out",
			object.RefOf(u), strings.Join(events, ", ")),
	}
}

// named refuses an object that could not be applied a second time.
func named(u *unstructured.Unstructured) error {
	switch {
	case u.GetName() != "":
		return nil
	case u.GetGenerateName() != "":
		return fmt.Errorf("a %s has generateName and no name; only an object with a name of its own can be applied again", u.GetKind())
	default:
		return fmt.Errorf("a %s has no metadata.name", u.GetKind())
	}
}

// definitions reads the crds folders of the chart and of its enabled subcharts. They are no templates.
func definitions(c *helmchart.Chart, limit int) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for _, file := range c.CRDObjects() {
		docs, err := readFile(file.Filename, string(file.File.Data))
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			u := &unstructured.Unstructured{Object: doc.content}
			object.DropNulls(u)
			out = append(out, u)
		}
		if len(out) > limit {
			return nil, &Error{Kind: Limit, Template: file.Filename, Text: fmt.Sprintf("the chart carries more than %d definitions", limit)}
		}
	}
	object.SortInstall(out)
	return out, nil
}
