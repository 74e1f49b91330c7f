package cli

import "context"

// Build says what a program is made of.
type Build struct {
	// Version of the program itself.
	Version string
	// Go, Helm and Kubernetes are the versions of what it was built with.
	Go, Helm, Kubernetes string
}

// version prints what this program is.
func (c *command) version(context.Context) (int, error) {
	if c.flags.NArg() > 0 {
		return 0, cannot("version takes no argument")
	}
	say(c.Stdout, "portcullis %s\n", c.Build.Version)
	say(c.Stdout, "built with %s, Helm %s, Kubernetes libraries %s\n", c.Build.Go, c.Build.Helm, c.Build.Kubernetes)
	k, err := newChecker(c, nil)
	if err != nil {
		return 0, err
	}
	if len(k.kinds()) == 0 {
		say(c.Stdout, "checks no kinds: it was built without the tag bridge\n")
		return ExitClean, nil
	}
	say(c.Stdout, "checks %s\n", listed(k.kinds()))
	return ExitClean, nil
}
