package cli

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"

	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/rules"
)

// defaultNamespace is where a resource without a namespace counts as being, as with kubectl.
const defaultNamespace = "default"

// stored is a ConfigMap or a Secret of the run.
type stored struct {
	labels   map[string]string
	data     map[string]string
	identity string
	// content is the whole document of a resource of ours, nil for any other.
	content map[string]any
}

// store holds the ConfigMaps, the Secrets and the resources of ours of a run, so that what refers to them in the same
// run finds them.
type store map[string]stored

func storeKey(kind, namespace, name string) string { return kind + "/" + namespace + "/" + name }

// add takes a document in where others may refer to it. It returns what keeps a value from being read, which the API
// server would refuse.
func (s store) add(d document) []rules.Fault {
	kind, _ := d.content["kind"].(string)
	if version, _ := d.content["apiVersion"].(string); groupOf(version) == groupApps {
		metadata, _ := d.content["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		s[storeKey(kind, namespaceOf(metadata), name)] = stored{content: d.content}
		return nil
	}
	if version, _ := d.content["apiVersion"].(string); version != "v1" || (kind != "ConfigMap" && kind != "Secret") {
		return nil
	}
	metadata, _ := d.content["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	entry := stored{
		labels: texts(metadata["labels"]), data: map[string]string{},
		identity: fmt.Sprintf("%s:%d", d.file, d.place("").line),
	}
	var faults []rules.Fault
	data, _ := d.content["data"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(data)) {
		text, problem := content(kind, data[key])
		if problem == "" {
			entry.data[key] = text
		} else if entry.labels[object.LabelConfigSource] == "true" {
			faults = append(faults, rules.Fault{Code: rules.FieldInvalid, Field: "data." + key, Message: problem})
		}
	}
	if kind == "Secret" {
		maps.Copy(entry.data, texts(d.content["stringData"]))
	}
	s[storeKey(kind, namespaceOf(metadata), name)] = entry
	return faults
}

// content returns the text of one key, or why there is none. It never quotes the value.
func content(kind string, value any) (text, problem string) {
	text, ok := value.(string)
	if !ok {
		return "", "must be a string: put it in quotes, or behind a | on lines of its own"
	}
	if kind != "Secret" {
		return text, ""
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", "is not base64; write plain text under stringData"
	}
	return string(decoded), ""
}

func texts(value any) map[string]string {
	table, _ := value.(map[string]any)
	out := make(map[string]string, len(table))
	for key, v := range table {
		if text, ok := v.(string); ok {
			out[key] = text
		}
	}
	return out
}

func namespaceOf(metadata map[string]any) string {
	if namespace, _ := metadata["namespace"].(string); namespace != "" {
		return namespace
	}
	return defaultNamespace
}
