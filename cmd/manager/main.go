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
	"runtime"
	"runtime/debug"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/portcullis-operator/portcullis/internal/operator"
)

// renderWorker is the argument that makes this process a render process.
const renderWorker = "render-worker"

// version is what a release was built as: go build -ldflags "-X main.version=1.2.3". The linker writes into variables
// only, so this is the one of the package.
var version string

func main() {
	if len(os.Args) == 2 && os.Args[1] == renderWorker {
		log.SetOutput(io.Discard)
		os.Exit(operator.RenderWorker(os.Stdin, os.Stdout))
	}
	if err := run(ctrl.SetupSignalHandler(), os.Args[1:], os.LookupEnv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, lookup func(string) (string, bool), stdout io.Writer) error {
	s, err := readSettings(args, lookup)
	if err != nil {
		return err
	}
	if s.help != "" {
		_, err := io.WriteString(stdout, s.help)
		return err
	}
	if limit, known := memoryLimit(os.DirFS("/")); known {
		if err := s.fits(limit); err != nil {
			return err
		}
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&s.log)))
	listenToStandardLog(ctrl.Log.WithName("http"))
	s.limitMemory(lookup)
	ctrl.Log.WithName("manager").Info("portcullis starts", "version", versionOf(debug.ReadBuildInfo()),
		"go", runtime.Version(), "gitlabKinds", s.options.Bridge)
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

// versionOf is the version of the release, else what the Go tool wrote into the program.
func versionOf(info *debug.BuildInfo, known bool) string {
	switch {
	case version != "":
		return version
	case known && info.Main.Version != "":
		return info.Main.Version
	}
	return "unknown"
}
