// Package stages holds the configuration of kwok: how simulated nodes, pods and volumes live. Pure.
// The one idea: the behaviour is data, in stages.yaml, which also says how a test asks for a pod
// that fails, hangs or is slow.
package stages

import _ "embed"

//go:embed stages.yaml
var text []byte

// Text returns the stages as kwok reads them.
func Text() []byte { return append([]byte(nil), text...) }
