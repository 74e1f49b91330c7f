// Command manager is the operator.
//
// Started with the argument render-worker it is a render process instead: the manager starts itself so, to render
// charts where they can be killed.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/portcullis-operator/portcullis/internal/operator"
)

// renderWorker is the argument that makes this process a render process.
const renderWorker = "render-worker"

func main() {
	// Helm's merging prints values through the standard logger; nothing of ours uses it.
	log.SetOutput(io.Discard)
	if len(os.Args) == 2 && os.Args[1] == renderWorker {
		os.Exit(operator.RenderWorker(os.Stdin, os.Stdout))
	}
	if err := run(ctrl.SetupSignalHandler(), os.Args[1:], os.LookupEnv); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, lookup func(string) (string, bool)) error {
	s, err := readSettings(args, lookup)
	if err != nil {
		return err
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&s.log)))
	s.limitMemory(lookup)
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w", err)
	}
	config.QPS, config.Burst = s.qps, s.burst
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program to start render processes with: %w", err)
	}
	s.options.RenderCommand = []string{self, renderWorker}
	if err := operator.Run(ctx, config, s.options); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	return nil
}
