// Package values is the tree of chart values whose every leaf knows its origin: the layer that set it and the field
// the person wrote.
//
// Floor 0, pure. The one idea: layers are merged exactly as Helm merges value files (maps merge, lists replace, a null
// replaces and is kept), and the origin travels with each leaf, so that a fault found at a merged path can be reported
// at the field that caused it. Nothing here knows a chart; a null deletes a chart's default only later, when Helm
// coalesces the result with the chart. All numbers are float64, as Helm decodes them.
package values
