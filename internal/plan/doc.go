// Package plan is the pure pipeline from an object and the facts around it to everything a pass would do: the target
// version, the effective values with their origins, the chart's verdict on them, and the rendered release.
//
// Floor 3, pure. Two steps: Gather asks for facts and Compose works on what was gathered. What a fact could not tell
// is part of the result ("unknown"), never a guess; the verdict says so where it matters. Webhook, reconciler and
// offline command call the same two functions.
package plan
