//go:build bridge

package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/admit"
)

// TestAFailedCheckKeepsNoOtherResourceFromBeingChecked: the run ends with what was found, and says by its exit code that it
// is not everything.
func TestAFailedCheckKeepsNoOtherResourceFromBeingChecked(t *testing.T) {
	checker, err := newChecker(&command{}, store{})
	if err != nil {
		t.Fatal(err)
	}
	checker.reviewer = func() (*admit.Reviewer, error) { return nil, errors.New("the disk is gone") }
	const text = "apiVersion: apps.gitlab.com/v2alpha1\nkind: GitLabCore\nmetadata: {name: a}\n---\n" +
		"apiVersion: apps.gitlab.com/v2alpha1\nkind: GitLabSecrets\nmetadata: {name: b}\nspec: 5\n"
	c, r := &command{}, report{}
	for _, d := range documents(source{name: "in.yaml", text: []byte(text)}) {
		if _, err := c.judge(t.Context(), &bundle{checker: checker}, d, &r, request{}); err != nil {
			t.Fatal(err)
		}
	}
	var printed strings.Builder
	r.writeLines(&printed)
	const want = "in.yaml:1:1: error: GitLabCore default/a: the disk is gone [CheckFailed]\n" +
		"in.yaml:8:1: error: GitLabSecrets default/b: spec: must be a map of fields, not a whole number [FieldInvalid]\n"
	if printed.String() != want {
		t.Errorf("printed %q", printed.String())
	}
	if r.code() != ExitTrouble || r.summary.Failed != 2 {
		t.Errorf("exits with %d, failed %d", r.code(), r.summary.Failed)
	}
}
