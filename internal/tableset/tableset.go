// Package tableset knows the list of replicated tables of a Siphon as Kubernetes sees it: the ConfigMap it is published
// in, and the volume the pods read it from.
//
// Floor 1, pure. The one idea: a ConfigMap can stand in for the tables image without the pods noticing. Its keys are the
// paths of the image in a form that can be turned back (Key, Path), its annotations say what was published (Holds), and
// the image volume a chart rendered becomes a ConfigMap volume that restores the paths (Swap).
package tableset

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

const (
	// Volume is the name of the image volume the siphon chart renders into its pods.
	Volume = "siphon-tables"
	// Limit is how many bytes of tables one ConfigMap takes. The API server refuses 1 MiB; the rest is for metadata.
	Limit = 900 << 10
	// AnnotationContent is the annotation that holds the digest of the published content, so that an edit is noticed.
	AnnotationContent = "portcullis.dev/tables-content"
)

// TooLargeError says that the tables do not fit into a ConfigMap. Both numbers are bytes.
type TooLargeError struct{ Size, Limit int }

// Error names both sizes and the way out.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the tables have %d KiB and a ConfigMap takes %d KiB: mount the image with spec.tables.source ImageVolume",
		(e.Size+1023)>>10, e.Limit>>10)
}

// ConfigMap returns the ConfigMap that publishes the files of a tables image, by their path in the image. It carries what
// Holds compares; labels and owner are the caller's. A file that is not plain text goes to binaryData. More than Limit
// bytes are a *TooLargeError, a path that cannot be a key a *PathError.
func ConfigMap(name, namespace, image, digest string, files map[string][]byte) (*unstructured.Unstructured, error) {
	size := 0
	for _, content := range files {
		size += len(content)
	}
	if size > Limit {
		return nil, &TooLargeError{Size: size, Limit: Limit}
	}
	data, binary := map[string]any{}, map[string]any{}
	byKey := make(map[string][]byte, len(files))
	for _, path := range slices.Sorted(maps.Keys(files)) {
		key, err := Key(path)
		if err != nil {
			return nil, err
		}
		byKey[key] = files[path]
		if plainText(files[path]) {
			data[key] = string(files[path])
		} else {
			binary[key] = base64.StdEncoding.EncodeToString(files[path])
		}
	}
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	u.SetName(name)
	u.SetNamespace(namespace)
	u.SetAnnotations(map[string]string{
		v2alpha1.AnnotationTablesImage:  image,
		v2alpha1.AnnotationTablesDigest: digest,
		AnnotationContent:               contentDigest(byKey),
	})
	if len(data) > 0 {
		u.Object["data"] = data
	}
	if len(binary) > 0 {
		u.Object["binaryData"] = binary
	}
	return u, nil
}

// plainText reports whether content survives as a string of JSON and does not grow much in it: control characters are
// six bytes each there, which could make 900 KiB too much for one request.
func plainText(content []byte) bool {
	return utf8.Valid(content) && !strings.ContainsFunc(string(content), func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t'
	})
}
