//go:build bridge

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/cli"
	"github.com/portcullis-operator/portcullis/test/charts"
	"github.com/portcullis-operator/portcullis/test/invalid"
)

// TestSharedExamplesAreRefused holds the offline command to the examples every door is held to: each expected fault is
// among its own, at the same field, in the same words.
func TestSharedExamplesAreRefused(t *testing.T) {
	for _, kind := range []string{"gitlabcore", "gitlabsecrets"} {
		t.Run(kind, func(t *testing.T) { refuses(t, kind) })
	}
}

func refuses(t *testing.T, kind string) {
	t.Helper()
	examples, err := invalid.Examples(kind)
	if err != nil {
		t.Fatal(err)
	}
	dir, shelf := t.TempDir(), t.TempDir()
	if err := charts.WriteArchives(shelf, "10.3.0", "10.4.1"); err != nil {
		t.Fatal(err)
	}
	wanted := map[string]map[invalid.Fault]bool{}
	for _, e := range examples {
		if e.Old != nil {
			continue // What ran before is known to the cluster alone.
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name+".yaml"), e.File, 0o600); err != nil {
			t.Fatal(err)
		}
		wanted[e.Name+".yaml"] = map[invalid.Fault]bool{}
		for _, f := range e.Want.Faults {
			wanted[e.Name+".yaml"][f] = true
		}
	}
	got := runIn(t, dir, shelf, []string{"validate", "--no-render", "-o", "json", "."})
	if got.code != cli.ExitFaults {
		t.Fatalf("exits with %d: %s", got.code, got.stderr)
	}
	var answered struct {
		Results []struct {
			invalid.Fault
			File string `json:"file"`
			Line int    `json:"line"`
		} `json:"results"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &answered); err != nil {
		t.Fatal(err)
	}
	for _, r := range answered.Results {
		if r.Line < 1 {
			t.Errorf("%s: a finding without a line: %s", r.File, r.Message)
		}
		delete(wanted[r.File], r.Fault)
	}
	for file, faults := range wanted {
		for f := range faults {
			t.Errorf("%s: not found: %+v", file, f)
		}
	}
}
