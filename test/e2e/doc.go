// Package e2e runs the manager as a process against a whole cluster, kills it, and looks at what is left.
package e2e
