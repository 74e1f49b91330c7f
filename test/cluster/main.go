//go:build unix

// Command cluster builds and runs a real Kubernetes cluster on this machine from Go modules alone:
// etcd, the API server, the controller manager, the scheduler, and kwok in place of kubelets.
// Run it in its folder with "go run . help".
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil:
	case errors.Is(err, errReported):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

var (
	errUsage    = errors.New("usage")
	errReported = errors.New("reported already")
)

const usage = `usage: go run . VERB [flags]

  assets   build etcd, kube-apiserver and kubectl and print their folder (for KUBEBUILDER_ASSETS;
           where that is set already, it is printed and nothing is built)
  up       build what is missing, start the cluster, wait until it is ready; a running one is reused
  down     stop the cluster; with --purge its data goes as well
  status   say what runs; exit status 1 when the cluster is not ready
  env      print lines for a shell that point kubectl at the cluster: eval "$(go run . env)"

flags:
`

// run does what the verb asks. Results go to out; progress and explanations go to progress.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	opts, flags := newFlags(progress)
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		flags.Usage()
		return nil
	}
	if err := flags.Parse(args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return errReported // the flag package has said what is wrong
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is one word too many: %w", flags.Arg(0), errUsage)
	}
	verbs := map[string]func(context.Context, options, io.Writer, io.Writer) error{
		"assets": assets, "up": up, "down": down, "status": status, "env": env,
	}
	verb, known := verbs[args[0]]
	if !known {
		flags.Usage()
		return fmt.Errorf("%q is not a verb of this program: %w", args[0], errUsage)
	}
	return verb(ctx, *opts, out, progress)
}
