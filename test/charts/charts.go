// Package charts makes the charts that tests and the demonstration run against.
//
// The real GitLab chart belongs to its owners and is not kept here. This package holds one source tree of our own, the folder
// gitlab, whose files say in marks which lines belong to which version, and writes from it every version a test asks for:
// as archives or as folders, with the same bytes on every run. It reads nothing but the embedded tree and no product package.
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

// Name is the name of the chart, and of the folder its files are under in an archive.
const Name = "gitlab"

// majorsAhead is how far the application's major is ahead of the chart's: chart 10.2.1 deploys GitLab 19.2.1.
const majorsAhead = 9

// ErrUnknownVersion is returned for a version that is not one of Versions.
var ErrUnknownVersion = errors.New("no such version of the test chart")

//go:embed all:gitlab
var source embed.FS

// Versions lists the versions that can be made, oldest first. It is a new slice with every call.
func Versions() []string {
	return []string{"10.2.0", "10.2.1", "10.3.0", "10.4.0", "10.4.1", "10.5.0", "11.0.0"}
}

// AppVersion returns the GitLab version that a chart version deploys, without a leading v: "19.2.1" for "10.2.1".
func AppVersion(version string) (string, error) {
	v, err := known(version)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d.%d.%d", v.Major()+majorsAhead, v.Minor(), v.Patch()), nil
}

// Files returns the files of one version by their slash-separated path inside the chart, "Chart.yaml" for example.
func Files(version string) (map[string][]byte, error) {
	app, err := AppVersion(version)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	err = fs.WalkDir(source, Name, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := forVersion(name, version, app)
		if err != nil {
			return err
		}
		if !isTemplateWithoutContent(name, content) {
			files[strings.TrimPrefix(name, Name+"/")] = content
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("make chart %s %s: %w", Name, version, err)
	}
	return files, nil
}

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
func forVersion(name, version, app string) ([]byte, error) {
	raw, err := source.ReadFile(name)
	if err != nil {
		return nil, err
	}
	at, err := known(version)
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
	var out bytes.Buffer
	if err := parsed.Execute(&out, map[string]string{"Version": version, "AppVersion": "v" + app}); err != nil {
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

func known(version string) (*semver.Version, error) {
	if !slices.Contains(Versions(), version) {
		return nil, fmt.Errorf("%w: %q, there are %s", ErrUnknownVersion, version, strings.Join(Versions(), ", "))
	}
	return semver.StrictNewVersion(version)
}
