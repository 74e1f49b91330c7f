//go:build bridge

// Package operator_test starts the manager against a real API server.
package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/portcullis-operator/portcullis/internal/operator"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

func TestTheManagerStartsOnlyWithItsDefinitions(t *testing.T) {
	server := world.Start(t)
	options := operator.Options{
		Bridge: true, Charts: fstest.MapFS{}, Concurrency: 1, HealthAddress: "0", MetricsAddress: "0", Namespace: "default", Now: time.Now,
		RenderCommand: []string{os.Args[0], "-test.run=^$"},
	}

	err := operator.Run(t.Context(), server.Config, options)
	if !errors.Is(err, operator.ErrDefinitionsMissing) {
		t.Fatalf("the start ended with %v", err)
	}
	for _, part := range []string{"gitlabcores.apps.gitlab.com, gitlabsecrets.apps.gitlab.com, siphons.apps.gitlab.com, orbits.apps.gitlab.com", "task install_v2alpha1_crds"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the sentence does not name %s: %v", part, err)
		}
	}

	options.Bridge = false
	options.HealthAddress = fmt.Sprintf("localhost:%d", world.FreePort(t))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		ended <- operator.Run(ctx, server.Config, options)
	}()
	if err := healthy(ctx, "http://"+options.HealthAddress+"/healthz"); err != nil {
		t.Errorf("without the switch the manager starts healthy, with no controllers: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the manager ended with: %v", err)
	}
}

// healthy asks until the answer is yes, or there is no more time.
func healthy(ctx context.Context, url string) error {
	for {
		err := ask(ctx, url)
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func ask(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, answer.Status)
	}
	return nil
}
