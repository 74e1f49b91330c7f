package definition_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/test/invalid"
)

func TestTheLargestGitLabSecretsIsGood(t *testing.T) {
	set, largest := ours(t), invalid.LargestGitLabSecrets()
	if faults := append(set.Check(largest, nil), set.Unknown(largest)...); len(faults) > 0 {
		t.Errorf("%d faults, the first: %+v", len(faults), faults[0])
	}
}

// TestEveryRuleOfAGitLabSecretsIsHeldByAnExample takes the rules, bounds and lists of words out of the definition, one at
// a time: a broken file must notice each.
func TestEveryRuleOfAGitLabSecretsIsHeldByAnExample(t *testing.T) {
	files, err := crd.Files()
	if err != nil {
		t.Fatal(err)
	}
	broken, err := invalid.Examples("gitlabsecrets")
	if err != nil {
		t.Fatal(err)
	}
	document := secretsDefinition(t, files)
	found := cuts(specOf(document), "spec")
	if len(found) < 100 {
		t.Fatalf("only %d rules were found", len(found))
	}
	// The short ones first: they are checked faster, and most rules need no other.
	slices.SortFunc(broken, func(a, b invalid.Example) int { return cmp.Compare(len(a.File), len(b.File)) })
	whole, said := compiled(t, document), map[string][]invalid.Fault{}
	for _, e := range broken {
		said[e.Name] = told(whole.Check(e.Object, nil))
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		restore := found[name]()
		set := compiled(t, document)
		if !slices.ContainsFunc(broken, func(e invalid.Example) bool {
			return !reflect.DeepEqual(told(set.Check(e.Object, nil)), said[e.Name])
		}) {
			t.Errorf("no broken file notices that %s is gone", name)
		}
		restore()
	}
}

func secretsDefinition(t *testing.T, files [][]byte) map[string]any {
	t.Helper()
	for _, data := range files {
		var document map[string]any
		if err := yaml.Unmarshal(data, &document); err != nil {
			t.Fatal(err)
		}
		if document["metadata"].(map[string]any)["name"] == "gitlabsecrets.apps.gitlab.com" {
			return document
		}
	}
	t.Fatal("there is no definition of GitLabSecrets")
	return nil
}

func specOf(document map[string]any) map[string]any {
	version := document["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	root := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	return root["properties"].(map[string]any)["spec"].(map[string]any)
}

func compiled(t *testing.T, document map[string]any) *definition.Set {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	set, err := definition.New(data)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// cuts returns what can be taken out of a schema: each entry takes one thing out and returns how to put it back.
func cuts(schema map[string]any, path string) map[string]func() func() {
	out := map[string]func() func(){}
	for _, word := range []string{"enum", "minimum", "maximum", "minLength", "maxLength", "maxItems"} {
		if value, ok := schema[word]; ok {
			out[path+" "+word] = func() func() {
				delete(schema, word)
				return func() { schema[word] = value }
			}
		}
	}
	for _, word := range []string{"required", "x-kubernetes-validations"} {
		list, _ := schema[word].([]any)
		for i, entry := range list {
			out[fmt.Sprintf("%s %s %v", path, word, entry)] = func() func() {
				schema[word] = slices.Concat(list[:i], list[i+1:])
				return func() { schema[word] = list }
			}
		}
	}
	if schema["x-kubernetes-list-type"] == "map" {
		out[path+" list type"] = func() func() {
			keys := schema["x-kubernetes-list-map-keys"]
			delete(schema, "x-kubernetes-list-type")
			delete(schema, "x-kubernetes-list-map-keys")
			return func() { schema["x-kubernetes-list-type"], schema["x-kubernetes-list-map-keys"] = "map", keys }
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, child := range properties {
		maps.Copy(out, cuts(child.(map[string]any), path+"."+name))
	}
	if items, ok := schema["items"].(map[string]any); ok {
		maps.Copy(out, cuts(items, path+"[]"))
	}
	return out
}

func TestEveryTextOfAGitLabSecretsIsBounded(t *testing.T) {
	files, err := crd.Files()
	if err != nil {
		t.Fatal(err)
	}
	bounded(t, specOf(secretsDefinition(t, files)), "spec")
}

func bounded(t *testing.T, schema map[string]any, path string) {
	t.Helper()
	switch {
	case schema["type"] == "string" && schema["enum"] == nil && schema["maxLength"] == nil:
		t.Errorf("%s has no maximum length", path)
	case schema["type"] == "array" && schema["maxItems"] == nil:
		t.Errorf("%s has no maximum number of items", path)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, child := range properties {
		bounded(t, child.(map[string]any), path+"."+name)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		bounded(t, items, path+"[]")
	}
}
