// Package render turns a chart, its values and the capabilities of a cluster into the objects of a release.
//
// Floor 2, pure: no cluster, no clock, no network, no disk. The one idea: a render is a function of its Request. It is
// always composed as the first revision of an install, so that an unchanged Request gives unchanged objects, and what
// a chart asks the cluster for through lookup is answered from the Request and recorded.
//
// The template language cannot be interrupted and can be made to use any amount of memory. Who renders values written
// by somebody else does it through package sandbox, which runs Render in a process it can kill.
package render
