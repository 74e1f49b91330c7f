// Package schema checks effective values against the values.schema.json of a chart and of every enabled subchart, and
// reports each fault at the field the person wrote.
//
// Floor 2, pure: values in, faults out. The one idea: Helm's verdict is the truth, at a fraction of its cost. What Helm
// computes anew for every check (dependency processing, defaults, compiled schemas) depends on the chart and on very few
// of the values, so it is computed once, by Helm itself where it can be, and shared; a check then walks only what the
// person wrote, since the defaults around it were found valid before. A differential test holds the verdict to Helm's.
//
// The intended differences: no network and no files (a reference to the public Kubernetes _definitions.json is answered
// by a copy built in, any other outside reference counts as unknown and warns), a part of a schema that cannot be used
// warns instead of refusing every value, and the global that Helm puts into a subchart is never a person's fault.
package schema
