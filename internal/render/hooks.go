package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The annotations that make an object a hook.
const (
	annotationHook             = "helm.sh/hook"
	annotationHookWeight       = "helm.sh/hook-weight"
	annotationHookDeletePolicy = "helm.sh/hook-delete-policy"
)

// beforeHookCreation is the policy of a hook that names none.
const beforeHookCreation = "before-hook-creation"

const eventTest = "test"

// hookOf reads the hook annotations of an object. yes is false for an object that is no hook. A hook without events is
// one to drop; unknown then names the events that do not exist, and is empty for a test hook.
func hookOf(u *unstructured.Unstructured) (hook Hook, unknown []string, yes bool) {
	annotation, yes := annotationText(u, annotationHook)
	if !yes {
		return Hook{}, nil, false
	}
	for _, event := range commaList(annotation) {
		switch {
		case event == eventTest || event == "test-success":
		case knownEvent(event):
			hook.Events = append(hook.Events, event)
		default:
			unknown = append(unknown, event)
		}
	}
	if len(unknown) > 0 {
		// Helm drops such a hook as a whole, known events included.
		return Hook{}, unknown, true
	}
	weight, _ := annotationText(u, annotationHookWeight)
	policies, _ := annotationText(u, annotationHookDeletePolicy)
	hook.Object = u
	hook.Weight = weightOf(weight)
	hook.DeletePolicies = slices.DeleteFunc(commaList(policies), func(p string) bool { return p == "" })
	if len(hook.DeletePolicies) == 0 {
		hook.DeletePolicies = []string{beforeHookCreation}
	}
	return hook, nil, true
}

func knownEvent(event string) bool {
	for _, when := range []string{"pre-", "post-"} {
		switch strings.TrimPrefix(event, when) {
		case event:
		case "install", "upgrade", "delete", "rollback":
			return true
		}
	}
	return false
}

// weightOf reads a weight; one that is no whole number counts as 0.
func weightOf(text string) int {
	weight, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return weight
}

// commaList takes a list of words apart, without blanks and in lower case.
func commaList(text string) []string {
	words := strings.Split(text, ",")
	for i, word := range words {
		words[i] = strings.ToLower(strings.TrimSpace(word))
	}
	return words
}

// annotationText returns an annotation. A chart may write a weight without quotes, which makes it a number.
func annotationText(u *unstructured.Unstructured, key string) (string, bool) {
	metadata, _ := u.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	value, ok := annotations[key]
	switch v := value.(type) {
	case nil:
		return "", ok
	case string:
		return v, true
	default:
		return fmt.Sprint(v), true
	}
}

// sortHooks puts hooks into the order they run in: weight, then name, then the install order they come in.
func sortHooks(hooks []Hook) {
	slices.SortStableFunc(hooks, func(a, b Hook) int {
		return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.Object.GetName(), b.Object.GetName()))
	})
}
