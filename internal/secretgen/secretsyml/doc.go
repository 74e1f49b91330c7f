// Package secretsyml fills fields of one environment of a secrets.yml, node by node.
//
// Floor 0, pure. The one idea is that a file is only ever added to: what cannot be added to without touching what
// is there is a ProblemError, and every rewritten text is read back and compared with what it must say before anyone
// gets it.
package secretsyml
