// Package derive turns a resource into layers of chart values.
//
// Floor 1, pure. The one idea: each structured field, each default and each override is a value at a path with the
// field it comes from, and layers come out lowest first: derived, references, free-form, overrides. What depends on
// the cluster (referenced objects, the Orbit's endpoint, the chart version) is passed in as facts.
package derive
