//go:build bridge

package webhook_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/cli"
	"github.com/portcullis-operator/portcullis/test/charts"
	"github.com/portcullis-operator/portcullis/test/invalid"
)

var _ = Describe("The offline command", func() {
	It("gives every broken file the verdict of the other doors", func(ctx SpecContext) {
		shelf := GinkgoT().TempDir()
		Expect(charts.WriteArchives(shelf, chartVersions...)).To(Succeed())
		for _, of := range corpus() {
			// A folder for each kind, so that none finds its neighbours among the broken files of another.
			agrees(ctx, GinkgoT().TempDir(), shelf, of)
		}
	})
})

// agrees holds the command's answer on the files of a kind to the check the other doors make.
func agrees(ctx SpecContext, folder, shelf string, of []invalid.Example) {
	GinkgoHelper()
	examples := map[string]invalid.Example{}
	for _, e := range of {
		if e.Old == nil { // What ran before is known to the cluster alone.
			file := e.Name + ".yaml"
			examples[file] = e
			Expect(os.WriteFile(filepath.Join(folder, file), e.File, 0o600)).To(Succeed())
		}
	}
	answers := validated(ctx, folder, shelf)
	for file, e := range examples {
		review, err := w.reviewer(files{catalogue: w.catalogue}).Review(ctx, admit.Request{New: placed(e, e.Object), Strict: true})
		Expect(err).NotTo(HaveOccurred())
		var want []invalid.Fault
		for _, f := range review.Verdict.Faults {
			want = append(want, invalid.Fault{Severity: f.Severity.String(), Code: string(f.Code), Field: f.Field, Message: f.Message})
		}
		Expect(answers[file]).To(ConsistOf(want), file)
	}
}

// validated runs the command over a folder and returns its findings by file.
func validated(ctx SpecContext, folder, shelf string) map[string][]invalid.Fault {
	GinkgoHelper()
	var stdout, stderr bytes.Buffer
	code := cli.Run(ctx, cli.Env{
		Name: "portcullis", Stdin: &bytes.Buffer{}, Stdout: &stdout, Stderr: &stderr,
		Folder: func(path string) fs.FS {
			if path == "charts" {
				return os.DirFS(shelf)
			}
			return os.DirFS(filepath.Join(folder, path))
		},
		Charts: "charts", ManagerServiceAccount: "gitlab-manager",
	}, []string{"validate", "-o", "json", "."})
	Expect(code).To(Equal(cli.ExitFaults), stderr.String())
	var answered struct {
		Results []struct {
			invalid.Fault
			File string `json:"file"`
		} `json:"results"`
	}
	Expect(json.Unmarshal(stdout.Bytes(), &answered)).To(Succeed())
	out := map[string][]invalid.Fault{}
	for _, r := range answered.Results {
		out[r.File] = append(out[r.File], r.Fault)
	}
	return out
}
