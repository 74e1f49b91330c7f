package derive

import (
	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// InstanceValues returns what an add-on may know of the values of its instance: those of its spec, and of the ConfigMaps
// among valuesFrom, which are the references. A Secret among them is nothing an add-on reads. What depends on the settings
// of the operator, the chart version and an Orbit is left out. The error is a *FieldError, of a field of the instance.
func InstanceValues(core *v2alpha1.GitLabCore, references ...Reference) (values.Effective, error) {
	layers, err := GitLabCore(core, GitLabCoreFacts{References: references})
	if err != nil {
		return values.Effective{}, err
	}
	return values.Merge(layers...), nil
}

// chartDomain is the domain of an instance whose values name none.
const chartDomain = "example.com"

// GitLabURL returns the address of an instance as its chart puts it together: the host of its own name, or gitlab and
// the suffix in the domain; https unless both switches are off; the relative root behind it.
func GitLabURL(e values.Effective) string {
	host := textAt(e, "global", "hosts", "gitlab", "name")
	if host == "" {
		host = "gitlab"
		if suffix := textAt(e, "global", "hosts", "hostSuffix"); suffix != "" {
			host += "-" + suffix
		}
		domain := textAt(e, "global", "hosts", "domain")
		if domain == "" {
			domain = chartDomain
		}
		host += "." + domain
	}
	scheme := "http"
	all, said := switchAt(e, "global", "hosts", "https")
	own, _ := switchAt(e, "global", "hosts", "gitlab", "https")
	if !said || all || own {
		scheme = "https"
	}
	return scheme + "://" + host + textAt(e, "global", "appConfig", "relativeUrlRoot")
}
