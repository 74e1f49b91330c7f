package apps_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/rules/apps"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// orbitValues merges free-form values with what the Operator puts over them.
func orbitValues(t *testing.T, freeForm string) values.Effective {
	t.Helper()
	tree, err := values.Decode([]byte(freeForm))
	if err != nil {
		t.Fatal(err)
	}
	overrides := values.NewBuilder(values.Override)
	for _, workload := range []string{"webserver", "dispatcher", "indexer"} {
		overrides.Set("", true, workload, "enabled")
	}
	return values.Merge(values.Tree(values.FreeForm, "spec.chart.values", tree), overrides.Layer())
}

func brief(faults []rules.Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, f.Severity.String()+" "+string(f.Code)+" "+strings.TrimPrefix(f.Field, "spec.chart."))
	}
	return out
}

func TestRefusedOptionsOfAnOrbit(t *testing.T) {
	refused := func(fields ...string) []string {
		var out []string
		for _, field := range fields {
			out = append(out, "error OptionRefused values."+field)
		}
		return out
	}
	for name, tc := range map[string]struct {
		freeForm string
		want     []string
	}{
		"no values":                            {`{}`, nil},
		"clickhouseSetup":                      {`clickhouseSetup: {enabled: true}`, refused("clickhouseSetup.enabled")},
		"dashboards":                           {`dashboards: {enabled: true, folder: Orbit}`, refused("dashboards.enabled")},
		"healthCheck":                          {`healthCheck: {enabled: true}`, refused("healthCheck.enabled")},
		"keda of all pools":                    {`indexer: {keda: {enabled: true}}`, refused("indexer.keda.enabled")},
		"keda of a pool of the chart":          {`indexer: {pools: {code: {keda: {enabled: true}}}}`, refused("indexer.pools.code.keda.enabled")},
		"keda of a pool of one's own":          {`indexer: {pools: {fast.one: {keda: {enabled: true}}}}`, refused(`indexer.pools["fast.one"].keda.enabled`)},
		"keda of a pool that is off":           {`indexer: {pools: {code: {enabled: false, keda: {enabled: true}}}}`, refused("indexer.pools.code.keda.enabled")},
		"two of them in one answer":            {"healthCheck: {enabled: true}\nindexer: {keda: {enabled: true}}", refused("healthCheck.enabled", "indexer.keda.enabled")},
		"a number is true for a chart":         {`dashboards: {enabled: 1}`, refused("dashboards.enabled")},
		"a text is true for a chart":           {`dashboards: {enabled: "false"}`, refused("dashboards.enabled")},
		"a map is true for a chart":            {`dashboards: {enabled: {now: false}}`, refused("dashboards.enabled")},
		"a switch in place of the option":      {`dashboards: true`, refused("dashboards")},
		"a switch in place of keda":            {`indexer: {keda: yes}`, refused("indexer.keda")},
		"switched off":                         {"clickhouseSetup: {enabled: false}\ndashboards: {enabled: 0}\nhealthCheck: {enabled: \"\"}", nil},
		"a null switches nothing on":           {"clickhouseSetup: null\ndashboards: {enabled: null}\nhealthCheck: {enabled: {}}", nil},
		"settings without the switch":          {"indexer: {keda: {maxReplicaCount: 3}, pools: {code: {keda: {}}}}\nhealthCheck: {port: 1}\nclickhouseSetup: {}", nil},
		"pools that are no map":                {`indexer: {pools: many}`, nil},
		"an option of the same name elsewhere": {`extra: {dashboards: {enabled: true}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			faults := apps.OrbitValues(orbitValues(t, tc.freeForm))
			if diff := cmp.Diff(tc.want, brief(faults)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			for _, f := range faults {
				path := strings.TrimPrefix(f.Field, "spec.chart.values.")
				if !strings.HasPrefix(f.Message, path+" cannot be turned on: ") || f.Value == "" {
					t.Errorf("the message does not name the value: %s", f.Message)
				}
			}
		})
	}
}

func TestARefusalSaysWhyAndWhatToDo(t *testing.T) {
	got := apps.OrbitValues(orbitValues(t, `indexer: {pools: {code: {keda: {enabled: "no"}}}}`))
	want := "indexer.pools.code.keda.enabled cannot be turned on: it scales by numbers that healthCheck serves, which is refused as well; " +
		"remove it or set it to false, without quotes, since the chart takes every text as true, and set a number of replicas instead"
	if len(got) != 1 || got[0].Message != want {
		t.Errorf("got %+v", got)
	}
}

// pools are free-form values and where they leave no pool, "" where they leave one.
func pools() map[string]struct{ freeForm, at string } {
	return map[string]struct{ freeForm, at string }{
		"the chart's own pools":                       {`{}`, ""},
		"an empty map removes none of them":           {`indexer: {pools: {}}`, ""},
		"one of them removed":                         {`indexer: {pools: {sdlc: null}}`, ""},
		"one removed, one switched off":               {`indexer: {pools: {sdlc: null, code: {enabled: false}}}`, "indexer.pools"},
		"both removed":                                {`indexer: {pools: {sdlc: null, code: null}}`, "indexer.pools"},
		"both switched off":                           {`indexer: {pools: {sdlc: {enabled: false}, code: {enabled: false}}}`, "indexer.pools"},
		"both switched off by a text":                 {`indexer: {pools: {sdlc: {enabled: "false"}, code: {enabled: "false"}}}`, "indexer.pools"},
		"both removed and one added":                  {`indexer: {pools: {sdlc: null, code: null, all: {}}}`, ""},
		"both removed and one added that is off":      {`indexer: {pools: {sdlc: null, code: null, all: {enabled: false}}}`, "indexer.pools"},
		"a pool the chart does not have removed":      {`indexer: {pools: {default: null}}`, ""},
		"all pools removed at once":                   {`indexer: {pools: null}`, "indexer.pools"},
		"a list of none":                              {`indexer: {pools: []}`, "indexer.pools"},
		"a pool with other settings":                  {`indexer: {pools: {sdlc: null, code: {replicas: 0}}}`, ""},
		"the indexer switched off is overridden":      {`indexer: {enabled: false}`, ""},
		"the whole indexer removed is overridden":     {`indexer: null`, ""},
		"a switch that is removed leaves the pool on": {`indexer: {pools: {sdlc: null, code: {enabled: null}}}`, ""},
	}
}

func TestAnOrbitNeedsAnIndexerPool(t *testing.T) {
	for name, tc := range pools() {
		t.Run(name, func(t *testing.T) {
			var want []string
			if tc.at != "" {
				want = []string{"error NoIndexerPool values." + tc.at}
			}
			if diff := cmp.Diff(want, brief(apps.OrbitValues(orbitValues(t, tc.freeForm)))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// The stand-in chart makes a pool of a null under a name of one's own; the chart it stands for fails over it. Neither is
// what the person wrote.
func TestANullIsNoPool(t *testing.T) {
	got := brief(apps.OrbitValues(orbitValues(t, `indexer: {pools: {sdlc: null, code: null, default: null}}`)))
	if diff := cmp.Diff([]string{"error NoIndexerPool values.indexer.pools"}, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestThePoolsAreThoseOfTheChart(t *testing.T) {
	cases := map[string]struct {
		freeForm string
		pools    []string
		refused  bool
	}{
		"pools the chart does not have may be removed": {`indexer: {pools: {sdlc: null, code: null}}`, []string{"default"}, false},
		"its only pool may not":                        {`indexer: {pools: {default: null}}`, []string{"default"}, true},
		"one of two may":                               {`indexer: {pools: {default: null}}`, []string{"default", "more"}, false},
	}
	for sentence, c := range cases {
		if got := len(apps.OrbitValues(orbitValues(t, c.freeForm), c.pools...)) > 0; got != c.refused {
			t.Errorf("%s: refused %v", sentence, got)
		}
	}
}

func TestWithoutTheOverridesAnIndexerCanBeOff(t *testing.T) {
	for freeForm, field := range map[string]string{`indexer: {enabled: false}`: "values.indexer.enabled", `indexer: null`: "values.indexer"} {
		tree, err := values.Decode([]byte(freeForm))
		if err != nil {
			t.Fatal(err)
		}
		got := brief(apps.OrbitValues(values.Merge(values.Tree(values.FreeForm, "spec.chart.values", tree))))
		if diff := cmp.Diff([]string{"error NoIndexerPool " + field}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", freeForm, diff)
		}
	}
}

func TestTheVersionOfAnAddOn(t *testing.T) {
	written := func(v string) v2alpha1.StaticVersion {
		return v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, Version: v}
	}
	referred := v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, VersionRef: &v2alpha1.VersionReference{Name: "versions", Key: "orbit"}}
	for name, tc := range map[string]struct {
		version v2alpha1.StaticVersion
		target  string
		want    []string
	}{
		"a semantic version":                        {written("4.1.0"), "", nil},
		"no semantic version":                       {written("4.1"), "", []string{"error VersionInvalid spec.version.version"}},
		"a reference that is not resolved":          {referred, "", nil},
		"a reference to a semantic version":         {referred, "4.1.0", nil},
		"a reference to anything else":              {referred, "latest", []string{"error VersionInvalid spec.version.versionRef"}},
		"a type that does not exist says it itself": {v2alpha1.StaticVersion{Type: "Patch", Version: "4"}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			siphon, orbit := &v2alpha1.Siphon{}, &v2alpha1.Orbit{}
			siphon.Spec.Version, orbit.Spec.Version = tc.version, tc.version
			if diff := cmp.Diff(tc.want, brief(apps.CheckSiphon(siphon, nil, tc.target))); diff != "" {
				t.Errorf("Siphon (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, brief(apps.CheckOrbit(orbit, nil, tc.target))); diff != "" {
				t.Errorf("Orbit (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnAddOnMayGoBack(t *testing.T) {
	old, fresh := &v2alpha1.Orbit{}, &v2alpha1.Orbit{}
	old.Status.Version = "4.1.0"
	fresh.Spec.Version = v2alpha1.StaticVersion{Type: v2alpha1.StaticVersionTypeStatic, Version: "4.0.0"}
	if got := apps.CheckOrbit(fresh, old, "4.0.0"); len(got) > 0 {
		t.Errorf("got %v", brief(got))
	}
}

func TestTheOldestGitLabOfAnOrbit(t *testing.T) {
	for version, want := range map[string]bool{
		"19.2.1": true, "19.1.9": true, "18.11.0": true, "19.2.2": false, "19.2.3": false, "19.10.0": false, "20.0.0": false,
		"19.2.2-ee": false, "19.2.2-rc1": false, "19.2.1-ee": true, "v19.2.1": true, "master": false, "": false,
	} {
		if got := apps.GitLabTooOld(version); got != want {
			t.Errorf("%q: got %v", version, got)
		}
	}
}
