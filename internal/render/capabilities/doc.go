// Package capabilities reads what a cluster serves, as far as a chart can ask for it.
//
// Floor 2, effect: it asks the API server and changes nothing. The one idea: what a chart renders depends on the answer, and
// what is pruned depends on what was rendered. So an answer that cannot be trusted is an error, never a shorter list.
package capabilities
