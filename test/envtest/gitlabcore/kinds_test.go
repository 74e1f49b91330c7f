package gitlabcore_test

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// listKind reads a recorded kind, such as apps/v1/Deployment, as the kind of its list.
func listKind(kind string) schema.GroupVersionKind {
	parts := strings.Split(kind, "/")
	gvk := schema.GroupVersionKind{Kind: parts[len(parts)-1] + "List", Version: parts[len(parts)-2]}
	if len(parts) == 3 {
		gvk.Group = parts[0]
	}
	return gvk
}
