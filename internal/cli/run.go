// Package cli is the offline command: it checks, explains and renders resources from files, with the same check the
// webhook and the reconciler make and without a cluster.
//
// Floor 5, a door. It owns no rule: it reads files, asks package admit, and prints the answer at the line that was
// written. The GitLab kinds are compiled in by the build tag bridge; without it each of their resources is an error,
// never passed over in silence.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/pflag"
)

// What the command exits with.
const (
	// ExitClean says that no error was found.
	ExitClean = 0
	// ExitFaults says that at least one error was found, or a warning with --fail-on-warning.
	ExitFaults = 1
	// ExitTrouble says that the check could not be made, of all or of some.
	ExitTrouble = 2
)

// Env is everything the command touches outside itself.
type Env struct {
	// Name is how the person called the program: portcullis, or kubectl portcullis.
	Name string
	// Stdin is read where a path is a dash.
	Stdin io.Reader
	// Stdout takes the answer, Stderr what is said beside it.
	Stdout, Stderr io.Writer
	// Folder opens a folder of the disk by its path.
	Folder func(path string) fs.FS
	// Charts is the folder of charts the environment names (HELM_CHARTS), or empty.
	Charts string
	// ManagerServiceAccount is the operator's setting of that name (GITLAB_MANAGER_SERVICE_ACCOUNT).
	ManagerServiceAccount string
	// Build says what this program is.
	Build Build
}

// command is one run: the environment and what the flags said.
type command struct {
	Env
	flags *pflag.FlagSet
	options
}

// trouble is a reason why the command could not run, in a sentence for the person who called it.
type trouble struct{ text string }

func (t *trouble) Error() string { return t.text }

func cannot(format string, args ...any) error { return &trouble{fmt.Sprintf(format, args...)} }

// Run runs one command line, without the program's name, and returns what to exit with.
func Run(ctx context.Context, env Env, args []string) int {
	out := bufio.NewWriter(env.Stdout)
	env.Stdout = out
	code, err := run(ctx, env, args)
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write the answer: %w", flushed)
	}
	if err != nil {
		say(env.Stderr, "%s: %s\n", env.Name, err)
		return ExitTrouble
	}
	return code
}

func run(ctx context.Context, env Env, args []string) (int, error) {
	if len(args) == 0 {
		say(env.Stderr, "%s", usage(env.Name))
		return ExitTrouble, nil
	}
	name, args := named(args)
	run, known := map[string]func(*command, context.Context) (int, error){
		"validate":     (*command).validate,
		"values":       (*command).values,
		"render":       (*command).render,
		commandSecrets: (*command).secretsPlan,
		"version":      (*command).version,
	}[name]
	switch {
	case name == "help" || name == "-h" || name == "--help":
		say(env.Stdout, "%s", usage(env.Name))
		return ExitClean, nil
	case !known:
		return ExitTrouble, cannot("there is no command %q: the commands are validate, values, render, secrets plan and version", name)
	}
	c := &command{Env: env}
	c.flags = c.bind(name)
	if err := c.flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		say(env.Stdout, "%s", c.help(name))
		return ExitClean, nil
	} else if err != nil {
		return ExitTrouble, cannot("%s; «%s %s --help» lists the flags", err, env.Name, name)
	}
	if err := c.checkFlags(name); err != nil {
		return ExitTrouble, err
	}
	return run(c, ctx)
}

// named takes the name of the command off a command line; that of secrets has two words.
func named(args []string) (name string, rest []string) {
	if args[0] == "secrets" && len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		return args[0] + " " + args[1], args[2:]
	}
	return args[0], args[1:]
}

// say writes to a writer of the person's. A terminal that is gone cannot be told so; the buffered answer itself is
// checked when it is flushed.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
