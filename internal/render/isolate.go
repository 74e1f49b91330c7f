package render

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// isolate returns the request with values nobody else holds: templates change .Values while they render, and a
// canceled render goes on after its caller has gone. Numbers become float64 on the way: a template prints 1e+06 for
// the float64 and 1000000 for the integer, so the type must not depend on who decoded the values.
func isolate(req Request) Request {
	found := make(map[LookupKey]map[string]any, len(req.Found))
	for key, live := range req.Found {
		found[key] = runtime.DeepCopyJSON(live)
	}
	req.Values, req.Found, req.Limits = values.DeepCopy(req.Values), found, req.Limits.withDefaults()
	return req
}
