package chart_test

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/chart"
)

func TestTheCatalogueGoesByTheNameInChartYAML(t *testing.T) {
	fsys := fstest.MapFS{
		"anything.tgz": {Data: tgz(t, small("x", "gitlab", "10.4.1")...)},
		"gitlab-9.tgz": {Data: tgz(t, small("gitlab", "siphon", "1.18.0")...)},
		"README.md":    {Data: []byte("# charts\n")},
		".hidden.tgz":  {Data: []byte("not an archive")},
		"notes/a.txt":  {Data: []byte("no chart here")},
	}
	folder(fsys, small("some-folder", "gitlab", "10.10.0")...)
	folder(fsys, small("other-folder", "gitlab", "v10.4.0")...)
	catalogue := open(t, fsys)

	if diff := cmp.Diff([]string{"gitlab", "siphon"}, catalogue.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"v10.4.0", "10.4.1", "10.10.0"}, catalogue.Versions("gitlab")); diff != "" {
		t.Errorf("versions ascend as versions, not as text (-want +got):\n%s", diff)
	}
	want := []chart.Ref{{"gitlab", "v10.4.0"}, {"gitlab", "10.4.1"}, {"gitlab", "10.10.0"}, {"siphon", "1.18.0"}}
	if diff := cmp.Diff(want, catalogue.Refs()); diff != "" {
		t.Errorf("refs (-want +got):\n%s", diff)
	}
	for _, version := range []string{"10.4.0", "v10.4.0", "10.4.1", "v10.10.0"} {
		if _, err := catalogue.Open(chart.Ref{Name: "gitlab", Version: version}); err != nil {
			t.Errorf("opening %s: %v", version, err)
		}
	}
}

func TestAMissingChartNamesTheNearestOnes(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, version := range []string{"9.11.5", "10.2.0", "10.3.1", "10.3.4", "10.5.0", "11.0.0"} {
		fsys[version+".tgz"] = &fstest.MapFile{Data: tgz(t, small("gitlab", "gitlab", version)...)}
	}
	catalogue := open(t, fsys)
	for name, tc := range map[string]struct {
		ref  chart.Ref
		want chart.NotFoundError
	}{
		"a missing patch": {
			ref:  chart.Ref{Name: "gitlab", Version: "10.3.3"},
			want: chart.NotFoundError{Available: []string{"10.3.4", "10.3.1", "10.2.0", "10.5.0", "11.0.0", "9.11.5"}},
		},
		"a missing minor, of whose neighbours the newest patch comes first": {
			ref:  chart.Ref{Name: "gitlab", Version: "10.4.1"},
			want: chart.NotFoundError{Available: []string{"10.5.0", "10.3.4", "10.3.1", "10.2.0", "11.0.0", "9.11.5"}},
		},
		"no version at all": {
			ref:  chart.Ref{Name: "gitlab", Version: "newest"},
			want: chart.NotFoundError{Available: []string{"11.0.0", "10.5.0", "10.3.4", "10.3.1", "10.2.0", "9.11.5"}},
		},
		"another chart": {
			ref:  chart.Ref{Name: "orbit", Version: "4.0.0"},
			want: chart.NotFoundError{Available: []string{}, Names: []string{"gitlab"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := catalogue.Open(tc.ref)
			var missing *chart.NotFoundError
			if !errors.As(err, &missing) {
				t.Fatalf("got %v, want a NotFoundError", err)
			}
			tc.want.Ref = tc.ref
			if diff := cmp.Diff(&tc.want, missing); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestABrokenEntryDoesNotHideTheOthers(t *testing.T) {
	fsys := fstest.MapFS{
		"good.tgz":    {Data: tgz(t, small("gitlab", "gitlab", "10.4.1")...)},
		"broken.tgz":  {Data: []byte("this is no archive")},
		"cut.tgz":     {Data: tgz(t, small("gitlab", "gitlab", "10.4.2")...)[:80]},
		"twin.tgz":    {Data: tgz(t, append(small("gitlab", "gitlab", "10.4.1"), entry{name: "gitlab/more", body: "x"})...)},
		"z-same.tgz":  {Data: tgz(t, small("other-base", "gitlab", "10.4.1")...)},
		"dots.tgz":    {Data: tgz(t, small("x", "..", "1.0.0")...)},
		"version.tgz": {Data: tgz(t, small("x", "gitlab", "newest")...)},
		"empty.tgz":   {Data: tgz(t)},
		"pipe.tgz":    {Mode: fs.ModeNamedPipe},
		"nochart.tgz": {Data: tgz(t, entry{name: "x/values.yaml", body: "a: 1\n"})},
	}
	folder(fsys, entry{name: "bad-folder/Chart.yaml", body: "name: [\n"})
	catalogue, problems := chart.OpenCatalogue(fsys, chart.DefaultLimits())
	if diff := cmp.Diff([]chart.Ref{{"gitlab", "10.4.1"}}, catalogue.Refs()); diff != "" {
		t.Errorf("charts at hand (-want +got):\n%s", diff)
	}
	causes := map[string]error{}
	for _, p := range problems {
		causes[p.Entry] = p.Unwrap()
		if p.Sentence == "" {
			t.Errorf("%s: no sentence", p.Entry)
		}
	}
	want := map[string]error{
		"broken.tgz": chart.ErrUnreadable, "cut.tgz": chart.ErrUnreadable, "twin.tgz": chart.ErrDuplicate,
		"dots.tgz": chart.ErrUnreadable, "version.tgz": chart.ErrUnreadable, "empty.tgz": chart.ErrUnreadable,
		"pipe.tgz": chart.ErrNoFile, "nochart.tgz": chart.ErrUnreadable, "bad-folder": chart.ErrUnreadable,
	}
	if diff := cmp.Diff(want, causes, cmp.Comparer(errors.Is)); diff != "" {
		t.Errorf("causes by entry (-want +got):\n%s", diff)
	}
}

func TestAFolderThatIsNotThereIsAProblem(t *testing.T) {
	missing, err := fs.Sub(fstest.MapFS{}, "charts")
	if err != nil {
		t.Fatal(err)
	}
	catalogue, problems := chart.OpenCatalogue(missing, chart.DefaultLimits())
	if len(problems) != 1 || len(catalogue.Refs()) != 0 {
		t.Errorf("got %d charts and problems %v, want none and one", len(catalogue.Refs()), problems)
	}
}
