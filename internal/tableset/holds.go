package tableset

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// Holds reports whether a live ConfigMap still is what ConfigMap made of this image and digest: its annotations name
// them, and its content has the digest that was written beside it. Anybody who edits, adds or removes a key changes that.
// Labels, owners and other annotations may differ. A nil object holds nothing.
func Holds(live *unstructured.Unstructured, image, digest string) bool {
	if live == nil {
		return false
	}
	content, ok := contentOf(live)
	annotations := live.GetAnnotations()
	return ok && annotations[v2alpha1.AnnotationTablesImage] == image &&
		annotations[v2alpha1.AnnotationTablesDigest] == digest &&
		annotations[AnnotationContent] == contentDigest(content)
}

// Keys returns the keys of a published ConfigMap with the path of each, as Swap takes them. Keys that stand for no path
// are left out, since a pod could not start with them.
func Keys(configMap *unstructured.Unstructured) map[string]string {
	keys := map[string]string{}
	for _, field := range []string{"data", "binaryData"} {
		entries, _ := configMap.Object[field].(map[string]any)
		for key := range entries {
			if path, ok := Path(key); ok {
				keys[key] = path
			}
		}
	}
	return keys
}

// Files returns the files of a published ConfigMap by their path, what ConfigMap was given. It is false where the object
// cannot be one of ours. Of a nil object there are none.
func Files(configMap *unstructured.Unstructured) (map[string][]byte, bool) {
	if configMap == nil {
		return nil, false
	}
	content, ok := contentOf(configMap)
	if !ok {
		return nil, false
	}
	files := make(map[string][]byte, len(content))
	for key, value := range content {
		path, ok := Path(key)
		if !ok {
			return nil, false
		}
		files[path] = value
	}
	return files, true
}

// contentOf returns what a ConfigMap holds, text and binary alike, and false for an object that is no valid one.
func contentOf(configMap *unstructured.Unstructured) (map[string][]byte, bool) {
	content := map[string][]byte{}
	for _, field := range []string{"data", "binaryData"} {
		entries, isMap := configMap.Object[field].(map[string]any)
		if !isMap && configMap.Object[field] != nil {
			return nil, false
		}
		for key, value := range entries {
			text, ok := value.(string)
			if !ok {
				return nil, false
			}
			content[key] = []byte(text)
			if field == "data" {
				continue
			}
			decoded, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return nil, false
			}
			content[key] = decoded
		}
	}
	return content, true
}

// contentDigest is the SHA-256 over every key and value in the order of the keys, each with its length before it, so that
// nothing can move from one value into the next unnoticed.
func contentDigest(content map[string][]byte) string {
	hash := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(content)) {
		hash.Write(fmt.Appendf(nil, "%d %s %d ", len(key), key, len(content[key])))
		hash.Write(content[key])
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}
