package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/values"
	"github.com/portcullis-operator/portcullis/test/charts"
)

func fixture(tb testing.TB, version string) *chart.Chart {
	tb.Helper()
	contents, err := charts.Files(version)
	if err != nil {
		tb.Fatal(err)
	}
	var files []chart.File
	for name, data := range contents {
		files = append(files, chart.File{Name: name, Data: data})
	}
	c, err := chart.FromFiles(files, chart.DefaultLimits())
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestEveryVersionOfTheTestChartAcceptsItsDefaults(t *testing.T) {
	k := NewChecker()
	for _, version := range charts.Versions() {
		c := fixture(t, version)
		for _, text := range []string{"{}", "{openbao: {install: true}}"} {
			if faults := check(t, k, c, freeFormValues(decode(t, text))); refused(faults) {
				t.Errorf("%s with %s: %v", version, text, lines(faults))
			}
		}
	}
}

func TestFaultsOfAWholeReleaseComeInOneAnswer(t *testing.T) {
	e := values.Merge(
		structured("spec.edition", "xe", "global", "edition"),
		values.Tree(values.FreeForm, "spec.chart.values", decode(t, `
global: {hosts: {domian: x, https: "yes"}}
gitlab: {gitlab-shell: {sshDaemon: foo}}
openbao: {install: true, livenessProbe: {periodSeconds: "10"}}
`)),
	)
	k := NewChecker()
	c := fixture(t, "10.4.1")
	var fields []string
	for _, f := range check(t, k, c, e) {
		if f.Severity == 0 {
			fields = append(fields, f.Field)
		}
	}
	want := []string{
		"spec.chart.values.gitlab.gitlab-shell.sshDaemon", "spec.chart.values.global.hosts.domian", "spec.chart.values.global.hosts.https",
		"spec.chart.values.openbao.livenessProbe.periodSeconds", "spec.edition",
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("fields of the errors (-want +got):\n%s", diff)
	}
	unknown, err := k.Unknown(c, e)
	if err != nil {
		t.Fatal(err)
	}
	if len(unknown) != 0 {
		t.Errorf("what the schema refuses is no unknown key besides: %v", lines(unknown))
	}
}
