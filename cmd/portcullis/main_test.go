package main

import "testing"

func TestProgramName(t *testing.T) {
	for file, want := range map[string]string{
		"/usr/local/bin/portcullis":         "portcullis",
		"/usr/local/bin/kubectl-portcullis": "kubectl portcullis",
		"kubectl-portcullis.exe":            "kubectl portcullis",
	} {
		if got := programName(file); got != want {
			t.Errorf("called as %s it is %q, want %q", file, got, want)
		}
	}
}
