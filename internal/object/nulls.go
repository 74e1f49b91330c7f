package object

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// DropNulls removes every map entry of the object whose value is null, in place and at any depth. Charts render such
// entries for «not set», while a server-side apply takes them as a statement. A null that is an item of a list stays,
// since removing it would move its neighbours; maps inside lists are cleaned like any other.
func DropNulls(u *unstructured.Unstructured) { dropNulls(u.Object) }

func dropNulls(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, entry := range v {
			if entry == nil {
				delete(v, key)
				continue
			}
			dropNulls(entry)
		}
	case []any:
		for _, item := range v {
			dropNulls(item)
		}
	}
}
