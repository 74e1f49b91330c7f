//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/portcullis-operator/portcullis/test/cluster/internal/build"
)

// assetsVariable is how controller-runtime's envtest is told where its programs lie.
const assetsVariable = "KUBEBUILDER_ASSETS"

func assets(ctx context.Context, opts options, out, progress io.Writer) error {
	if given := os.Getenv(assetsVariable); given != "" {
		fmt.Fprintln(progress, assetsVariable+" is set already; nothing is built")
		fmt.Fprintln(out, given)
		return nil
	}
	place, err := locate(opts, progress)
	if err != nil {
		return err
	}
	if err := build.Ensure(ctx, progress, place.cache, build.Assets(place.sources, place.versions)); err != nil {
		return err
	}
	fmt.Fprintln(out, place.cache.Bin)
	return nil
}

func up(ctx context.Context, opts options, out, progress io.Writer) error {
	place, err := locate(opts, progress)
	if err != nil {
		return err
	}
	if err := build.Ensure(ctx, progress, place.cache, build.All(place.sources, place.versions)); err != nil {
		return err
	}
	start := time.Now()
	reused, err := place.cluster.Up(ctx)
	if err != nil {
		return err
	}
	how := fmt.Sprintf("is ready after %.1f s", time.Since(start).Seconds())
	if reused {
		how = "was running already"
	}
	fmt.Fprintf(out, `
Cluster %q %s (Kubernetes %s, simulated nodes: %d).

Use it:    export KUBECONFIG=%s
           kubectl is %s
  or both: eval "$(%s)"
Stop it:   %s
`, opts.name, how, place.versions.Kubernetes, opts.nodes,
		shellWord(place.cluster.Run.Kubeconfig), shellWord(place.cache.Bin+"/kubectl"),
		command(place, opts, "env"), command(place, opts, "down"))
	return nil
}

// command is how to call this program with a verb from any folder.
func command(place workplace, opts options, verb string) string {
	line := "go run -C " + shellWord(place.sources.Module) + " . " + verb
	if opts.name != defaultName {
		line += " --name " + opts.name
	}
	return line
}

func down(ctx context.Context, opts options, out, progress io.Writer) error {
	place, err := locate(opts, progress)
	if err != nil {
		return err
	}
	if err := place.cluster.Down(ctx, opts.purge); err != nil {
		return err
	}
	kept := "its data is kept (--purge removes it)"
	if opts.purge {
		kept = "its data is removed"
	}
	fmt.Fprintf(out, "Cluster %q does not run; %s.\n", opts.name, kept)
	return nil
}

func status(ctx context.Context, opts options, out, progress io.Writer) error {
	place, err := locate(opts, progress)
	if err != nil {
		return err
	}
	s, err := place.cluster.Status(ctx)
	if err != nil {
		return err
	}
	for _, r := range s.Running {
		fmt.Fprintf(out, "%-24s running, process %d\n", r.Program, r.PID)
	}
	for _, name := range s.Absent {
		fmt.Fprintf(out, "%-24s not running\n", name)
	}
	if !s.Ready {
		fmt.Fprintf(out, "Cluster %q is not ready. Start it: %s\nIts logs: %s\n",
			opts.name, command(place, opts, "up"), place.cluster.Run.Logs)
		if len(s.Absent) == 0 && s.Cause != nil {
			fmt.Fprintf(out, "Cause: %v\n", s.Cause)
		}
		return errReported
	}
	fmt.Fprintf(out, "Cluster %q is ready at %s (%s)\n", opts.name, s.Server, s.Versions)
	return nil
}

func env(_ context.Context, opts options, out, progress io.Writer) error {
	place, err := locate(opts, progress)
	if err != nil {
		return err
	}
	if _, err := os.Stat(place.cluster.Run.Kubeconfig); err != nil {
		return fmt.Errorf("cluster %q has no kubeconfig yet; run \"up\" first: %w", opts.name, err)
	}
	fmt.Fprintf(out, "export KUBECONFIG=%s\n", shellWord(place.cluster.Run.Kubeconfig))
	fmt.Fprintf(out, "export PATH=%s:\"$PATH\"\n", shellWord(place.cache.Bin))
	return nil
}

// shellWord quotes a path for a shell where it needs that.
func shellWord(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !strings.ContainsRune(plainRunes, r) }) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+"
