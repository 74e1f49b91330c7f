// Command portcullis checks resources in files as the cluster would, without one. Installed as kubectl-portcullis it is
// «kubectl portcullis».
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/portcullis-operator/portcullis/internal/cli"
)

// The environment variables of the command. They are the manager's, so that both read the same charts.
const (
	envCharts         = "HELM_CHARTS"
	envServiceAccount = "GITLAB_MANAGER_SERVICE_ACCOUNT"
)

// defaultServiceAccount is the manager's own default.
const defaultServiceAccount = "gitlab-manager"

func main() {
	// Helm's merging prints values through the standard logger; nothing of ours uses it.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := cli.Run(ctx, environment(), os.Args[1:])
	stop()
	os.Exit(code)
}

func environment() cli.Env {
	account := os.Getenv(envServiceAccount)
	if account == "" {
		account = defaultServiceAccount
	}
	return cli.Env{
		Name:                  programName(os.Args[0]),
		Stdin:                 os.Stdin,
		Stdout:                os.Stdout,
		Stderr:                os.Stderr,
		Folder:                os.DirFS,
		Charts:                os.Getenv(envCharts),
		ManagerServiceAccount: account,
		Build:                 build(),
	}
}

// programName is how the person called the program: kubectl runs a plugin by its file name.
func programName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".exe")
	return strings.Replace(name, "kubectl-", "kubectl ", 1)
}

// build reads what the Go tool wrote into the program.
func build() cli.Build {
	b := cli.Build{Version: "(unknown)", Go: runtime.Version(), Helm: "(none)", Kubernetes: "(none)"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = info.Main.Version
	for _, m := range info.Deps {
		switch m.Path {
		case "helm.sh/helm/v3":
			b.Helm = m.Version
		case "k8s.io/apimachinery":
			b.Kubernetes = m.Version
		}
	}
	return b
}
