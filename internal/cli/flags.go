package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/spf13/pflag"
)

// defaultKubeVersion is the version whose built-in APIs are assumed: that of the Kubernetes libraries in go.mod.
const defaultKubeVersion = "1.37.2"

// defaultCharts is where charts are looked for when neither the flag nor the environment names a folder.
const defaultCharts = "charts"

// The forms of an answer.
const (
	outputText = "text"
	outputJSON = "json"
)

// options are what the flags say.
type options struct {
	charts        string
	kubeVersion   string
	apiVersions   []string
	noRender      bool
	failOnWarning bool
	output        string
	origins       bool
	defaults      bool
	showSecrets   bool
	files         []string
	existing      []string
}

// bind makes the flags of a command. They are pflag's, which kubectl uses, so that they read and mix with paths as a
// person who works with kubectl expects; a whole command framework would be more than four commands need.
func (c *command) bind(name string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.SortFlags = false
	f.Usage = func() {}
	if name == "version" {
		return f
	}
	if name != commandSecrets {
		c.bindCharts(f, name)
	}
	switch name {
	case "validate":
		f.BoolVar(&c.noRender, "no-render", false, "leave the chart's templates out of the check")
		f.BoolVar(&c.failOnWarning, "fail-on-warning", false, "treat warnings as failures, all but ObjectSkipped")
	case "values":
		f.BoolVar(&c.origins, "origins", false, "list each value with the layer and the field that set it")
		f.BoolVar(&c.defaults, "defaults", false, "include the chart's own defaults")
	case commandSecrets:
		f.StringArrayVar(&c.existing, "existing", nil, "`FOLDER` or file with the Secrets that are there, as «kubectl get secrets -o yaml» prints them")
	}
	if answersInForms(name) {
		f.StringVarP(&c.output, "output", "o", outputText, "`FORM` of the answer: text or json")
	}
	if name != "validate" {
		f.StringArrayVarP(&c.files, "filename", "f", nil, "`FILE` or folder to read; - reads standard input")
	}
	if name == "values" || name == "render" {
		f.BoolVar(&c.showSecrets, "show-secrets", false, "print what is masked otherwise")
	}
	return f
}

func answersInForms(name string) bool { return name == "validate" || name == commandSecrets }

// bindCharts makes the flags of the commands that render charts.
func (c *command) bindCharts(f *pflag.FlagSet, name string) {
	f.StringVar(&c.charts, "charts", "", "`FOLDER` of charts, as archives or unpacked (default: HELM_CHARTS, then ./charts)")
	if name != "values" {
		f.StringVar(&c.kubeVersion, "kube-version", defaultKubeVersion, "`VERSION` of Kubernetes to render for")
		f.StringSliceVar(&c.apiVersions, "api-versions", nil,
			"`LIST` of APIs the cluster serves besides the built-in ones, as group/version or group/version/Kind")
	}
}

// checkFlags says what a flag's value should have been.
func (c *command) checkFlags(name string) error {
	if name == "version" {
		return nil
	}
	if name == "validate" || name == "render" {
		v, err := semver.NewVersion(strings.TrimPrefix(c.kubeVersion, "v"))
		if err != nil {
			return cannot("--kube-version must be a version such as %s, not %q", defaultKubeVersion, c.kubeVersion)
		}
		c.kubeVersion = "v" + v.String()
	}
	for _, api := range c.apiVersions {
		parts := strings.Split(api, "/")
		if len(parts) > 3 || slices.Contains(parts, "") {
			return cannot("--api-versions lists group/version or group/version/Kind, such as monitoring.coreos.com/v1/ServiceMonitor; %q is neither", api)
		}
	}
	switch {
	case answersInForms(name) && c.output != outputText && c.output != outputJSON:
		return cannot("-o %s is not known to this build: the forms are text and json", c.output)
	case name == "validate" && c.flags.NArg() == 0:
		return cannot("validate needs files or folders to read, or - for standard input")
	case name != "validate" && c.flags.NArg() > 0:
		return cannot("%s reads what -f names; write -f %s", name, c.flags.Arg(0))
	case name != "validate" && len(c.files) == 0:
		return cannot("%s needs -f with a file or folder to read, or - for standard input", name)
	}
	return nil
}

func synopsis(name string) string {
	return map[string]string{
		"validate":     "validate [flags] PATH...       check files and folders, or - for standard input",
		"values":       "values [flags] -f FILE         print the effective chart values",
		"render":       "render [flags] -f FILE         print the objects in the order they are applied in",
		commandSecrets: "secrets plan [flags] -f FILE   say what becomes of every Secret a GitLabSecrets declares",
		"version":      "version                        say what this program is",
	}[name]
}

func usage(program string) string {
	var b strings.Builder
	b.WriteString("Checks GitLab resources in files as the cluster would, and shows what they lead to. No cluster is needed.\n\n")
	for _, name := range []string{"validate", "values", "render", commandSecrets, "version"} {
		fmt.Fprintf(&b, "  %s %s\n", program, synopsis(name))
	}
	fmt.Fprintf(&b, "\n«%s COMMAND --help» lists the flags of a command.\n", program)
	b.WriteString("Exit codes: 0 no errors, 1 at least one error, 2 the check could not be made.\n")
	return b.String()
}

func (c *command) help(name string) string {
	text := c.Name + " " + synopsis(name) + "\n"
	if c.flags.HasFlags() {
		text += "\n" + c.flags.FlagUsages()
	}
	return text
}
