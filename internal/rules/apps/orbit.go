package apps

import (
	"fmt"
	"strings"
	"text/template"

	"github.com/Masterminds/semver/v3"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// OrbitOldestGitLab is the oldest GitLab version Orbit works with.
const OrbitOldestGitLab = "19.2.2"

// CheckOrbit returns the faults of an Orbit that passed its definition, in canonical order, as CheckSiphon does. What its
// free-form values do is the matter of OrbitValues.
func CheckOrbit(fresh, _ *v2alpha1.Orbit, target string) []rules.Fault {
	return checkAddOn(fresh.Spec.Version, target)
}

// GitLabTooOld reports whether an instance of this version is older than Orbit supports. What follows the patch does not
// count, whether it is an edition or a pre-release; a version that is none, such as a branch, is not known to be too old.
func GitLabTooOld(gitlabVersion string) bool {
	v, err := semver.NewVersion(gitlabVersion)
	if err != nil {
		return false
	}
	bare := semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
	return bare.LessThan(semver.MustParse(OrbitOldestGitLab))
}

const fieldValues = "spec.chart.values"

// OrbitValues returns the faults of the effective values of an Orbit, those of its own layers without the chart's
// defaults: every refused option that is switched on, each at the field that does it, and values that leave no indexer
// pool. Pools are those the chart comes with; none means those of the charts from 4.0 on. In canonical order.
func OrbitValues(e values.Effective, pools ...string) []rules.Fault {
	if len(pools) == 0 {
		pools = []string{"sdlc", "code"}
	}
	faults := noIndexerPool(e, pools)
	for _, o := range refusedOptions(e) {
		faults = append(faults, o.fault(e)...)
	}
	return rules.Verdict{Faults: faults}.Sorted().Faults
}

// option is a part of the chart the Operator refuses.
type option struct {
	path values.Path
	// why it is refused, and what to do instead.
	why, instead string
}

// refusedOptions lists every place one can be switched on. A degraded workload that says nothing would be worse than a
// refusal.
func refusedOptions(e values.Effective) []option {
	return append(kedaOptions(e), []option{
		{
			values.Path{"clickhouseSetup"}, "it creates users in ClickHouse with the administrator's password, and an Orbit makes none of what it builds on",
			"create the users yourself and name their passwords in spec.datalake and spec.graph",
		},
		{values.Path{"dashboards"}, "it runs a hook that creates ConfigMaps no release tracks, with RBAC of its own", "import the dashboards into Grafana yourself"},
		{values.Path{"healthCheck"}, "it needs a Role in every namespace it looks at, and the Operator applies no RBAC", "read the conditions of this Orbit instead"},
	}...)
}

// kedaOptions are those of all pools together and of each pool that is written.
func kedaOptions(e values.Effective) []option {
	paths := []values.Path{{"indexer", "keda"}}
	pools, found := e.Lookup(values.Path{"indexer", "pools"})
	if named, isMap := pools.(map[string]any); found && isMap {
		for name := range named {
			paths = append(paths, values.Path{"indexer", "pools", name, "keda"})
		}
	}
	out := make([]option, len(paths))
	for i, path := range paths {
		out[i] = option{path, "it scales by numbers that healthCheck serves, which is refused as well", "set a number of replicas instead"}
	}
	return out
}

// fault reports the option where it is switched on. Something other than a map in its place, such as «dashboards: true»,
// asks for it too.
func (o option) fault(e values.Effective) []rules.Fault {
	at := append(append(values.Path{}, o.path...), "enabled")
	value, found := e.Lookup(o.path)
	if _, isMap := value.(map[string]any); found && isMap {
		value, found = e.Lookup(at)
	} else {
		at = o.path
	}
	if !found || !isOn(value) {
		return nil
	}
	hint := ""
	if _, text := value.(string); text {
		hint = ", without quotes, since the chart takes every text as true"
	}
	return []rules.Fault{{
		Code: rules.OptionRefused, Field: fieldOf(e, at), Value: digest(fmt.Sprint(value)),
		Message: fmt.Sprintf("%s cannot be turned on: %s; remove it or set it to false%s, and %s", at, o.why, hint, o.instead),
	}}
}

// noIndexerPool refuses values that leave the chart without a pool. Maps merge, so that the pools the chart comes with
// are there unless they are removed by a null or switched off.
func noIndexerPool(e values.Effective, pools []string) []rules.Fault {
	for _, at := range []values.Path{{"indexer", "enabled"}, {"indexer", "pools"}, {"indexer"}} {
		value, found := e.Lookup(at)
		if !found || leavesPool(at, value, pools) {
			continue
		}
		return []rules.Fault{{
			Code: rules.NoIndexerPool, Field: fieldOf(e, at), Value: digest(fmt.Sprint(value)),
			Message: "leaves no indexer pool, so that nothing would ever be indexed: keep one of the chart's pools, " + strings.Join(pools, " and ") + ", or add one of your own",
		}}
	}
	return nil
}

func leavesPool(at values.Path, value any, pools []string) bool {
	switch at[len(at)-1] {
	case "enabled":
		return isOn(value)
	case "pools":
		return hasPool(value, pools)
	}
	// A null removes the whole block.
	return value != nil
}

// hasPool reports whether a pool is on among those written and those of the chart. What is no map of pools does not
// render, and that fault is the chart's to tell.
func hasPool(value any, pools []string) bool {
	written, isMap := value.(map[string]any)
	if !isMap {
		return isOn(value)
	}
	for _, name := range pools {
		if _, ok := written[name]; !ok {
			return true
		}
	}
	for _, pool := range written {
		if poolIsOn(pool) {
			return true
		}
	}
	return false
}

// poolIsOn says so of a pool that is there and not switched off: it needs no switch to be on.
func poolIsOn(pool any) bool {
	settings, isMap := pool.(map[string]any)
	if !isMap {
		return pool != nil
	}
	enabled := settings["enabled"]
	return enabled == nil || (isOn(enabled) && enabled != "false")
}

// isOn reports whether a template takes a value as true: anything but false, 0, null and what is empty.
func isOn(value any) bool {
	truth, _ := template.IsTrue(value)
	return truth
}

// fieldOf is where the person wrote the value at a path.
func fieldOf(e values.Effective, path values.Path) string {
	if field := e.Origin(path).Field; field != "" {
		return field
	}
	return fieldValues
}
