package webhooks

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/test/invalid"
)

// update rewrites what is expected of the chart examples.
var update = flag.Bool("update", false, "rewrite the golden files")

// TestEveryBrokenFileOfTheChartYieldsExactlyItsFaults holds the whole check, with the templates, to the examples of what
// only the chart can tell. The suite against a real API server holds all three doors to the same files.
func TestEveryBrokenFileOfTheChartYieldsExactlyItsFaults(t *testing.T) {
	examples, err := invalid.Examples("chart")
	if err != nil {
		t.Fatal(err)
	}
	reviewer := reviewerOf(t, render.Render)
	for _, e := range examples {
		t.Run(e.Name, func(t *testing.T) {
			e.Object.SetNamespace("default")
			if e.Old != nil {
				e.Old.SetNamespace("default")
			}
			review, err := reviewer.Review(t.Context(), admit.Request{New: e.Object, Old: e.Old})
			if err != nil {
				t.Fatal(err)
			}
			got := invalid.Want{By: invalid.Chart}
			for _, f := range review.Verdict.Faults {
				got.Faults = append(got.Faults, invalid.Fault{Severity: f.Severity.String(), Code: string(f.Code), Field: f.Field, Message: f.Message})
			}
			if *update {
				text, err := yaml.Marshal(got)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join("..", "test", "invalid", "chart", e.Name+".want"), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(e.Want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if warned := strings.HasPrefix(e.Name, "warned-"); warned == review.Verdict.Refused() {
				t.Errorf("refused: %v", review.Verdict.Refused())
			}
		})
	}
	if len(examples) < 14 {
		t.Errorf("only %d examples were found", len(examples))
	}
}
