package derive

import (
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/portcullis-operator/portcullis/internal/values"
)

func setHosts(b *values.Builder, hostname string) {
	if hostname == "" {
		return
	}
	b.Set("spec.hostname", hostname, "global", "hosts", "gitlab", "name")
	b.Set("spec.hostname", Domain(hostname), "global", "hosts", "domain")
}

// Domain returns the domain in which the sibling hosts of an instance lie: the hostname without its first label. An
// apex hostname is its own domain, since its parent is a single label or a public suffix, which nobody can put a host
// under: example.com and example.co.uk both are. Only the ICANN section of the list counts; whoever serves GitLab at
// gitlab.github.io owns github.io.
func Domain(hostname string) string {
	_, parent, found := strings.Cut(hostname, ".")
	if !found || !strings.Contains(parent, ".") {
		return hostname
	}
	if suffix, icann := publicsuffix.PublicSuffix(parent); icann && suffix == parent {
		return hostname
	}
	return parent
}
