package crd_test

import (
	"context"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"

	"github.com/portcullis-operator/portcullis/config/crd"
)

func definitions(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	files, err := crd.Files()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no definition is embedded")
	}
	var out []*apiextensionsv1.CustomResourceDefinition
	for _, data := range files {
		var d apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(data, &d); err != nil {
			t.Fatalf("decode a definition: %v", err)
		}
		out = append(out, &d)
	}
	return out
}

// The API server refuses a definition whose rules do not compile, may cost too much, or point at a field that is not
// there; this is its own check.
func TestTheAPIServerAcceptsEveryDefinition(t *testing.T) {
	for _, d := range definitions(t) {
		apiextensionsv1.SetDefaults_CustomResourceDefinition(d)
		apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&d.Spec)
		var internal apiextensions.CustomResourceDefinition
		if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(d, &internal, nil); err != nil {
			t.Fatalf("convert %s: %v", d.Name, err)
		}
		internal.Status.StoredVersions = []string{d.Spec.Versions[0].Name}
		for _, err := range validation.ValidateCustomResourceDefinition(context.Background(), &internal) {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
}

// A default on a field of the spec would look like something the person wrote, and show as a difference in GitOps tools.
func TestNoFieldHasADefault(t *testing.T) {
	for _, d := range definitions(t) {
		for _, v := range d.Spec.Versions {
			noDefault(t, d.Name, v.Schema.OpenAPIV3Schema)
		}
	}
}

func noDefault(t *testing.T, path string, s *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	if s == nil {
		return
	}
	if s.Default != nil {
		t.Errorf("%s has a default", path)
	}
	for name := range s.Properties {
		child := s.Properties[name]
		noDefault(t, path+"."+name, &child)
	}
	if s.Items != nil {
		noDefault(t, path+"[]", s.Items.Schema)
	}
}

func TestEveryFieldIsDescribed(t *testing.T) {
	for _, d := range definitions(t) {
		for _, v := range d.Spec.Versions {
			spec := v.Schema.OpenAPIV3Schema.Properties["spec"]
			described(t, d.Name+".spec", &spec)
		}
	}
}

func described(t *testing.T, path string, s *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	if s.Description == "" {
		t.Errorf("%s has no description", path)
	}
	for name := range s.Properties {
		child := s.Properties[name]
		described(t, path+"."+name, &child)
	}
}

func TestPeopleFindAGitLabCoreByItsShortNames(t *testing.T) {
	for _, d := range definitions(t) {
		if d.Spec.Names.Kind != "GitLabCore" {
			continue
		}
		if len(d.Spec.Names.ShortNames) != 1 || d.Spec.Names.ShortNames[0] != "glc" || d.Spec.Names.Categories[0] != "gitlab" {
			t.Errorf("names are %+v", d.Spec.Names)
		}
		var columns []string
		for _, c := range d.Spec.Versions[0].AdditionalPrinterColumns {
			columns = append(columns, c.Name)
		}
		if len(columns) != 3 || columns[0] != "STATUS" || columns[1] != "VERSION" || columns[2] != "GITLAB" {
			t.Errorf("columns are %v", columns)
		}
		return
	}
	t.Error("there is no definition of GitLabCore")
}
