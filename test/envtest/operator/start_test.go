//go:build bridge

// Package operator_test starts the manager against a real API server.
package operator_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/portcullis-operator/portcullis/internal/operator"
)

func TestTheManagerStartsOnlyWithItsDefinitions(t *testing.T) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set: this suite needs a real API server (task test:envtest)")
	}
	environment := &envtest.Environment{ControlPlaneStartTimeout: 2 * time.Minute}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = environment.Stop() })
	options := operator.Options{
		Bridge: true, Charts: fstest.MapFS{}, Concurrency: 1, HealthAddress: "0", MetricsAddress: "0", Namespace: "default", Now: time.Now,
		RenderCommand: []string{os.Args[0], "-test.run=^$"},
	}

	err = operator.Run(t.Context(), config, options)
	if !errors.Is(err, operator.ErrDefinitionsMissing) {
		t.Fatalf("the start ended with %v", err)
	}
	for _, part := range []string{"gitlabcores.apps.gitlab.com, gitlabsecrets.apps.gitlab.com, siphons.apps.gitlab.com, orbits.apps.gitlab.com", "task install_v2alpha1_crds"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the sentence does not name %s: %v", part, err)
		}
	}

	options.Bridge = false
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if err := operator.Run(ctx, config, options); err != nil {
		t.Errorf("without the switch the manager starts healthy, with no controllers: %v", err)
	}
}
