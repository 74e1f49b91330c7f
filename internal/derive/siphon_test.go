package derive_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// addOnCases runs a case for each file of that name below testdata: a resource and, behind it, its facts, in front of
// the values they lead to.
func addOnCases(t *testing.T, file string, derived func(t *testing.T, resource, facts []byte) []values.Layer) {
	t.Helper()
	inputs, err := filepath.Glob(filepath.Join("testdata", "*", file))
	if err != nil || len(inputs) < 3 {
		t.Fatalf("found %d cases: %v", len(inputs), err)
	}
	for _, input := range inputs {
		t.Run(filepath.Base(filepath.Dir(input)), func(t *testing.T) {
			data, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			resource, facts, _ := strings.Cut(string(data), "\n---\n")
			compareGolden(t, filepath.Join(filepath.Dir(input), "want.yaml"), listing(values.Merge(derived(t, []byte(resource), []byte(facts))...)))
		})
	}
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func strictly[T any](t *testing.T, data []byte) T {
	t.Helper()
	var out T
	if err := yaml.UnmarshalStrict(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSiphonLayers(t *testing.T) {
	addOnCases(t, "siphon.yaml", func(t *testing.T, resource, facts []byte) []values.Layer {
		t.Helper()
		obj := strictly[v2alpha1.Siphon](t, resource)
		before := obj.DeepCopy()
		layers, err := derive.Siphon(&obj, strictly[derive.SiphonFacts](t, facts))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, &obj); diff != "" {
			t.Errorf("deriving changed the resource:\n%s", diff)
		}
		return layers
	})
}

func TestTheTopologyOfASiphonIsFixed(t *testing.T) {
	got := []string{derive.Publication, derive.ReplicationSlot, derive.StreamName, derive.SiphonTablesConfigMap("cdc")}
	producer, consumer, reconciler := derive.SiphonDeployments("cdc")
	want := []string{
		"siphon_producer_main", "siphon_producer_main_slot", "siphon_stream_main_db", "cdc-siphon-tables",
		"cdc-siphon-producer-main", "cdc-siphon-consumer-clickhouse", "cdc-siphon-reconciler-clickhouse",
	}
	if diff := cmp.Diff(want, append(got, producer, consumer, reconciler)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if strings.Contains(derive.ReplicationSlot, "-") {
		t.Error("a hyphen is no part of the name of a replication slot")
	}
}

func TestTheLongestNameOfASiphonFits(t *testing.T) {
	_, _, reconciler := derive.SiphonDeployments(strings.Repeat("n", 31))
	if account := reconciler + "-sa"; len(account) > 63+3 || len(reconciler) > 63 {
		t.Errorf("%s has %d characters", reconciler, len(reconciler))
	}
}

func TestTheTablesOfASiphon(t *testing.T) {
	const ofVersion = "registry.gitlab.com/gitlab-org/gitlab/gitlab-siphon-tables:v19.2.1-ee"
	for name, tc := range map[string]struct {
		tables     *v2alpha1.SiphonTables
		version    string
		wantSource v2alpha1.TablesSource
		wantImage  string
	}{
		"nothing said means a ConfigMap":          {nil, "19.2.1", v2alpha1.TablesSourceConfigMap, ofVersion},
		"Auto means a ConfigMap":                  {&v2alpha1.SiphonTables{Source: v2alpha1.TablesSourceAuto}, "19.2.1", v2alpha1.TablesSourceConfigMap, ofVersion},
		"a ConfigMap":                             {&v2alpha1.SiphonTables{Source: v2alpha1.TablesSourceConfigMap}, "19.2.1", v2alpha1.TablesSourceConfigMap, ofVersion},
		"an image volume":                         {&v2alpha1.SiphonTables{Source: v2alpha1.TablesSourceImageVolume}, "19.2.1", v2alpha1.TablesSourceImageVolume, ofVersion},
		"an image of one's own wins":              {&v2alpha1.SiphonTables{Image: "mirror.example.com/tables:1"}, "19.2.1", v2alpha1.TablesSourceConfigMap, "mirror.example.com/tables:1"},
		"it needs no version of the instance":     {&v2alpha1.SiphonTables{Image: "mirror.example.com/tables:1"}, "", v2alpha1.TablesSourceConfigMap, "mirror.example.com/tables:1"},
		"no image before the version is reported": {nil, "", v2alpha1.TablesSourceConfigMap, ""},
	} {
		t.Run(name, func(t *testing.T) {
			spec := v2alpha1.SiphonSpec{Tables: tc.tables}
			if got := derive.SiphonTablesSource(spec); got != tc.wantSource {
				t.Errorf("source %s, want %s", got, tc.wantSource)
			}
			if got := derive.SiphonTablesImage(spec, tc.version); got != tc.wantImage {
				t.Errorf("image %s, want %s", got, tc.wantImage)
			}
		})
	}
}

func TestFreeFormValuesOfAnAddOnThatAreNoMap(t *testing.T) {
	chart := &v2alpha1.ChartValues{Values: &apiextensionsv1.JSON{Raw: []byte(`[1]`)}}
	siphon, orbit := &v2alpha1.Siphon{}, &v2alpha1.Orbit{}
	siphon.Spec.Chart, orbit.Spec.Chart = chart, chart
	_, ofSiphon := derive.Siphon(siphon, derive.SiphonFacts{})
	_, ofOrbit := derive.Orbit(orbit, derive.OrbitFacts{})
	for kind, err := range map[string]error{v2alpha1.KindSiphon: ofSiphon, v2alpha1.KindOrbit: ofOrbit} {
		field, ok := errors.AsType[*derive.FieldError](err)
		if _, shape := errors.AsType[*values.NotMapError](err); !ok || !shape || field.Field != "spec.chart.values" {
			t.Errorf("%s: got %v", kind, err)
		}
	}
}
