// Package charts makes the charts that tests and the demonstration run against.
//
// The real charts belong to their owners and are not kept here. This package holds one source tree of our own for each,
// the folders gitlab, siphon and orbit, whose files say in marks which lines belong to which version, and writes from
// it every version a test asks for: as archives or as folders, with the same bytes on every run. It reads nothing but
// the embedded trees and no product package. Functions without a chart mean gitlab.
package charts

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/semver/v3"
)

// Name is the name of the GitLab chart, and of the folder its files are under in an archive.
const Name = "gitlab"

// majorsAhead is how far the application's major is ahead of the chart's: chart 10.2.1 deploys GitLab 19.2.1.
const majorsAhead = 9

// ErrUnknownVersion is returned for a version that is not one of Versions.
var ErrUnknownVersion = errors.New("no such version of the test chart")

//go:embed all:gitlab all:siphon all:orbit
var source embed.FS

// Chart is one chart in several versions. Its zero value has none.
type Chart struct {
	name     string
	versions []string
	// application is the version of what a chart version deploys, as AppVersion returns it.
	application func(*semver.Version) string
	// prefix stands before that version in Chart.yaml.
	prefix string
}

// GitLab returns the chart of a GitLab instance.
func GitLab() Chart {
	return Chart{
		name:     Name,
		versions: []string{"10.2.0", "10.2.1", "10.3.0", "10.4.0", "10.4.1", "10.5.0", "11.0.0"},
		application: func(v *semver.Version) string {
			return fmt.Sprintf("%d.%d.%d", v.Major()+majorsAhead, v.Minor(), v.Patch())
		},
		prefix: "v",
	}
}

// Siphon returns the chart of a change-data pipeline. It names no application version: its image tag is a value.
func Siphon() Chart {
	return Chart{
		name:        "siphon",
		versions:    []string{"1.17.0", "1.18.0"},
		application: func(*semver.Version) string { return "" },
	}
}

// Orbit returns the chart of a knowledge graph. Chart 4.1.0 deploys Orbit 1.1.0.
func Orbit() Chart {
	const majorsBehind = 3
	return Chart{
		name:     "orbit",
		versions: []string{"4.0.0", "4.1.0"},
		application: func(v *semver.Version) string {
			return fmt.Sprintf("%d.%d.%d", v.Major()-majorsBehind, v.Minor(), v.Patch())
		},
	}
}

// All returns every chart, the GitLab chart first. It is a new slice with every call.
func All() []Chart { return []Chart{GitLab(), Siphon(), Orbit()} }

// Name returns the name of the chart, and of the folder its files are under in an archive.
func (c Chart) Name() string { return c.name }

// Versions lists the versions that can be made, oldest first. It is a new slice with every call.
func (c Chart) Versions() []string { return slices.Clone(c.versions) }

// AppVersion returns the application version that a chart version deploys, without a leading v: "19.2.1" for GitLab's
// "10.2.1". It is empty for a chart that names none.
func (c Chart) AppVersion(version string) (string, error) {
	v, err := c.known(version)
	if err != nil {
		return "", err
	}
	return c.application(v), nil
}

// Files returns the files of one version by their slash-separated path inside the chart, "Chart.yaml" for example.
func (c Chart) Files(version string) (map[string][]byte, error) {
	at, err := c.known(version)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	err = fs.WalkDir(source, c.name, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := c.forVersion(name, at)
		if err != nil {
			return err
		}
		if !isTemplateWithoutContent(name, content) {
			files[strings.TrimPrefix(name, c.name+"/")] = content
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("make chart %s %s: %w", c.name, version, err)
	}
	return files, nil
}

// Versions lists the versions of the GitLab chart, oldest first.
func Versions() []string { return GitLab().Versions() }

// AppVersion returns the GitLab version that a version of the GitLab chart deploys, without a leading v.
func AppVersion(version string) (string, error) { return GitLab().AppVersion(version) }

// Files returns the files of one version of the GitLab chart, as Chart.Files does.
func Files(version string) (map[string][]byte, error) { return GitLab().Files(version) }

// Definitions returns, as one YAML stream, the definitions of the kinds the chart routes with: the Gateway API's and Envoy
// Gateway's, open stand-ins without a schema. The operator installs none, so a test cluster that is to accept a release
// of the chart needs them first.
func Definitions() ([]byte, error) {
	content, err := source.ReadFile(path.Join(Name, "charts/gateway-helm/crds/gateway-api.yaml"))
	if err != nil {
		return nil, fmt.Errorf("read the Gateway API definitions: %w", err)
	}
	return content, nil
}

// forVersion resolves the marks of one source file: [% if since "10.4.0" %], [% if before "10.4.0" %], [% .Version %] and
// [% .AppVersion %]. Helm's own marks are left as they are.
func (c Chart) forVersion(name string, at *semver.Version) ([]byte, error) {
	raw, err := source.ReadFile(name)
	if err != nil {
		return nil, err
	}
	marks := template.FuncMap{
		"since":  func(v string) (bool, error) { return notBefore(at, v) },
		"before": func(v string) (bool, error) { ok, err := notBefore(at, v); return !ok, err },
	}
	parsed, err := template.New(name).Delims("[%", "%]").Option("missingkey=error").Funcs(marks).Parse(string(raw))
	if err != nil {
		return nil, err
	}
	known := map[string]string{"Version": at.String(), "AppVersion": c.prefix + c.application(at)}
	var out bytes.Buffer
	if err := parsed.Execute(&out, known); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// isTemplateWithoutContent tells a template that this version does not have yet: its marks left nothing.
func isTemplateWithoutContent(name string, content []byte) bool {
	return strings.Contains(name, "/templates/") && len(bytes.TrimSpace(content)) == 0
}

func notBefore(at *semver.Version, version string) (bool, error) {
	v, err := semver.StrictNewVersion(version)
	if err != nil {
		return false, fmt.Errorf("version %q in a mark: %w", version, err)
	}
	return !at.LessThan(v), nil
}

func (c Chart) known(version string) (*semver.Version, error) {
	if !slices.Contains(c.versions, version) {
		return nil, fmt.Errorf("%w %s: %q, there are %s", ErrUnknownVersion, c.name, version, strings.Join(c.versions, ", "))
	}
	return semver.StrictNewVersion(version)
}
