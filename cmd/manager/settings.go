package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/portcullis-operator/portcullis/internal/operator"
)

// The environment variables of the manager. Each is read here and nowhere else.
const (
	envBridge         = "ENABLE_BRIDGE"
	envCharts         = "HELM_CHARTS"
	envTables         = "SIPHON_TABLES_LAYOUTS"
	envServiceAccount = "GITLAB_MANAGER_SERVICE_ACCOUNT"
	envMemoryLimit    = "GOMEMLIMIT"
	envNamespace      = "POD_NAMESPACE"
)

// defaultMemoryLimit keeps the manager's heap, with a dozen charts and their schemas, under 400 MiB: the collector works
// harder before it takes more. It is a soft limit: past it the manager gets slower, it does not die.
const defaultMemoryLimit = 320 << 20

// settings is what the command line and the environment say.
type settings struct {
	options operator.Options
	log     zap.Options
	qps     float32
	burst   int
	// watch and dnsNames are lists as they were written, separated by commas.
	watch, dnsNames string
	// help is what to print instead of a start, when --help asks for it.
	help string
}

// flags returns the flags of the manager; parsing them writes into the settings.
func (s *settings) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.StringVar(&s.watch, "watch-namespaces", "", "namespaces to watch, separated by commas; empty watches all")
	flags.StringVar(&s.options.HealthAddress, "health-probe-bind-address", ":8081", "address of the health and readiness probes")
	flags.StringVar(&s.options.MetricsAddress, "metrics-bind-address", ":8080", "address of the metrics; 0 serves none")
	flags.BoolVar(&s.options.LeaderElection, "leader-elect", false, "elect one of several replicas to reconcile; all of them serve webhooks")
	flags.IntVar(&s.options.Concurrency, "concurrency", 4, "how many resources of one kind are reconciled at once")
	flags.IntVar(&s.options.RenderWorkers, "render-workers", 2, fmt.Sprintf("how many charts are rendered at once, each in a process that may take %s; with %s for the manager itself they must fit into its memory limit", mebibytes(renderMemory), mebibytes(managerMemory)))
	flags.StringVar(&s.options.Webhooks.Host, "webhook-host", "", "address the webhook server listens on; empty listens on all")
	flags.IntVar(&s.options.Webhooks.Port, "webhook-port", 9443, "port of the webhook server; 0 serves no webhooks")
	flags.StringVar(&s.options.Webhooks.CertDir, "webhook-cert-dir", "", "folder with tls.crt and tls.key kept by somebody else, such as cert-manager; empty: the operator keeps its own certificate")
	flags.StringVar(&s.dnsNames, "webhook-dns-names", "", "names the API server calls the webhooks by, separated by commas; empty: those of the Service portcullis-webhook")
	flags.StringVar(&s.options.Namespace, "namespace", "", "namespace of the manager's lease and certificate authority; empty: POD_NAMESPACE, else portcullis-system")
	s.log.BindFlags(flags)
	bindKubeconfig(flags)
	return flags
}

// readSettings reads and checks everything at once, so that one failed start names every mistake.
func readSettings(args []string, lookup func(string) (string, bool)) (settings, error) {
	s := settings{qps: 50, burst: 100}
	s.options.RenderMemory = renderMemory
	s.options.Now = time.Now
	flags := s.flags()
	var usage strings.Builder
	flags.SetOutput(&usage)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return settings{help: usage.String()}, nil
	case err != nil:
		return settings{}, fmt.Errorf("read the flags (--help lists them): %w", err)
	}
	var mistakes []error
	if flags.NArg() > 0 {
		mistakes = append(mistakes, fmt.Errorf("%q is no flag: flags start with --", flags.Arg(0)))
	}
	mistakes = append(mistakes, s.fromEnvironment(lookup)...)
	mistakes = append(mistakes, s.check()...)
	s.options.Webhooks.DNSNames = split(s.dnsNames)
	if len(s.options.Webhooks.DNSNames) == 0 {
		host := "portcullis-webhook." + s.options.Namespace + ".svc"
		s.options.Webhooks.DNSNames = []string{host, host + ".cluster.local"}
	}
	return s, errors.Join(mistakes...)
}

// fromEnvironment reads the variables.
func (s *settings) fromEnvironment(lookup func(string) (string, bool)) []error {
	var mistakes []error
	get := func(name, otherwise string) string {
		if v, ok := lookup(name); ok && v != "" {
			return v
		}
		return otherwise
	}
	bridge, err := strconv.ParseBool(get(envBridge, "false"))
	if err != nil {
		mistakes = append(mistakes, fmt.Errorf("%s must be true or false, not %q", envBridge, get(envBridge, "")))
	}
	s.options.Bridge = bridge
	charts := get(envCharts, "/charts")
	if info, err := os.Stat(charts); bridge && (err != nil || !info.IsDir()) {
		mistakes = append(mistakes, fmt.Errorf("%s must be a folder of chart archives; %q is none", envCharts, charts))
	}
	s.options.Charts = chartsFolder(charts)
	if layouts := get(envTables, ""); layouts != "" {
		if info, err := os.Stat(layouts); bridge && (err != nil || !info.IsDir()) {
			mistakes = append(mistakes, fmt.Errorf("%s must be a folder of OCI image layouts, or empty to ask the registries; %q is none", envTables, layouts))
		}
		s.options.TablesLayouts = os.DirFS(layouts)
	}
	s.options.ManagerServiceAccount = get(envServiceAccount, "gitlab-manager")
	if !valid(validation.IsDNS1123Subdomain, s.options.ManagerServiceAccount) {
		mistakes = append(mistakes, fmt.Errorf("%s must be the name of a ServiceAccount, not %q", envServiceAccount, s.options.ManagerServiceAccount))
	}
	if s.options.Namespace == "" {
		s.options.Namespace = get(envNamespace, "portcullis-system")
	}
	return mistakes
}

func chartsFolder(path string) fs.FS { return os.DirFS(path) }

// check returns what is wrong with the flags.
func (s *settings) check() []error {
	var mistakes []error
	s.options.Namespaces = split(s.watch)
	for _, ns := range s.options.Namespaces {
		if !valid(validation.IsDNS1123Label, ns) {
			mistakes = append(mistakes, fmt.Errorf("--watch-namespaces must list names of namespaces; %q is none", ns))
		}
	}
	if !valid(validation.IsDNS1123Label, s.options.Namespace) {
		mistakes = append(mistakes, fmt.Errorf("--namespace, or %s, must be the name of a namespace, not %q", envNamespace, s.options.Namespace))
	}
	if s.options.RenderWorkers < 1 {
		mistakes = append(mistakes, fmt.Errorf("--render-workers must be at least 1, not %d", s.options.RenderWorkers))
	}
	if s.options.Concurrency < 1 || s.options.Concurrency > 100 {
		mistakes = append(mistakes, fmt.Errorf("--concurrency must be 1 to 100, not %d", s.options.Concurrency))
	}
	if p := s.options.Webhooks.Port; p < 0 || p > 65535 {
		mistakes = append(mistakes, fmt.Errorf("--webhook-port must be 0 to 65535, not %d", p))
	}
	if dir := s.options.Webhooks.CertDir; dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			mistakes = append(mistakes, fmt.Errorf("--webhook-cert-dir must be a folder; %q is none", dir))
		}
	}
	return mistakes
}

// limitMemory sets the soft limit of the heap, unless the environment already does.
func (s *settings) limitMemory(lookup func(string) (string, bool)) {
	if _, set := lookup(envMemoryLimit); !set {
		debug.SetMemoryLimit(defaultMemoryLimit)
	}
}

// bindKubeconfig takes over the flag that controller-runtime adds to the process's own flags.
func bindKubeconfig(flags *flag.FlagSet) {
	if f := flag.CommandLine.Lookup("kubeconfig"); f != nil {
		flags.Var(f.Value, f.Name, f.Usage)
	}
}

func split(list string) []string {
	var out []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

// valid reports whether a rule of Kubernetes for names finds nothing wrong.
func valid(rule func(string) []string, name string) bool { return len(rule(name)) == 0 }
