package world

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// Own returns the definitions the project ships: exactly one for each file of config/crd.
func Own(tb testing.TB) []*apiextensionsv1.CustomResourceDefinition {
	tb.Helper()
	files, err := crd.Files()
	must(tb, err)
	var out []*apiextensionsv1.CustomResourceDefinition
	for _, file := range files {
		read, err := definitions(file)
		must(tb, err)
		if len(read) != 1 {
			tb.Fatalf("a file of config/crd has %d definitions", len(read))
		}
		out = append(out, read...)
	}
	return out
}

// Routing returns the definitions of the kinds a GitLab chart routes with. A cluster has them from somebody else.
func Routing(tb testing.TB) []*apiextensionsv1.CustomResourceDefinition {
	tb.Helper()
	stream, err := charts.Definitions()
	must(tb, err)
	out, err := definitions(stream)
	must(tb, err)
	return out
}

// definitions reads a stream of definitions to its end. Anything else in it is an error, so that no suite runs without a
// kind it believes to have; only a document that holds comments alone is passed over.
func definitions(stream []byte) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var out []*apiextensionsv1.CustomResourceDefinition
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(stream)))
	for n := 1; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read document %d of the definitions: %w", n, err)
		}
		var content any
		d := &apiextensionsv1.CustomResourceDefinition{}
		if err := errors.Join(yaml.Unmarshal(document, &content), yaml.UnmarshalStrict(document, d)); err != nil {
			return nil, fmt.Errorf("decode document %d of the definitions: %w", n, err)
		}
		if content == nil {
			continue
		}
		if d.Kind != "CustomResourceDefinition" || d.Name == "" {
			return nil, fmt.Errorf("document %d is no definition with a name, but of kind %q", n, d.Kind)
		}
		out = append(out, d)
	}
}
