package cli

import (
	"os"
	"strings"
	"testing"
)

func TestDefaultKubernetesVersionIsThatOfTheLibraries(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	want := "k8s.io/apimachinery v0." + strings.TrimPrefix(defaultKubeVersion, "1.")
	if !strings.Contains(string(text), want) {
		t.Errorf("go.mod does not hold %q; change defaultKubeVersion with the libraries", want)
	}
}
