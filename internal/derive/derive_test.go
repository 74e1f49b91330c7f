package derive_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/values"
)

func TestDomain(t *testing.T) {
	for name, tc := range map[string]struct{ hostname, want string }{
		"a host in a domain":                          {"gitlab.example.com", "example.com"},
		"a host deeper down":                          {"gitlab.eu.example.com", "eu.example.com"},
		"an apex under a single label":                {"example.com", "example.com"},
		"an apex under a public suffix of two labels": {"example.co.uk", "example.co.uk"},
		"a host under such an apex":                   {"gitlab.example.co.uk", "example.co.uk"},
		"an apex under a wildcard suffix":             {"example.whatever.ck", "example.whatever.ck"},
		"an exception of a wildcard suffix":           {"gitlab.www.ck", "www.ck"},
		"a private suffix is a domain like others":    {"gitlab.github.io", "github.io"},
		"an inner domain nobody registered":           {"gitlab.corp.internal", "corp.internal"},
		"an apex of an inner domain":                  {"corp.internal", "corp.internal"},
		"a single label":                              {"localhost", "localhost"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := derive.Domain(tc.hostname); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestGatewayClassName(t *testing.T) {
	if got := derive.GatewayClassName("gitlab", "prod"); got != "gitlab.prod" {
		t.Errorf("got %s", got)
	}
	if derive.GatewayClassName("a-b", "c") == derive.GatewayClassName("a", "b-c") {
		t.Error("two instances share a name")
	}
	fits := derive.GatewayClassName(strings.Repeat("n", 9), strings.Repeat("m", 53))
	if want := strings.Repeat("n", 9) + "." + strings.Repeat("m", 53); fits != want {
		t.Errorf("63 characters fit and must not be cut, got %s", fits)
	}
	one := derive.GatewayClassName(strings.Repeat("n", 63), strings.Repeat("m", 52)+"a")
	other := derive.GatewayClassName(strings.Repeat("n", 63), strings.Repeat("m", 52)+"b")
	if len(one) != 63 || one == other {
		t.Errorf("got %s (%d characters) and %s, want two names of 63", one, len(one), other)
	}
	cut := derive.GatewayClassName(strings.Repeat("n", 53), "mmmmmmmmmm")
	if strings.Contains(cut, ".-") || len(cut) > 63 {
		t.Errorf("%s is no name of a Kubernetes object", cut)
	}
}

func TestFreeFormValuesThatAreNoMap(t *testing.T) {
	for name, tc := range map[string]struct {
		raw  string
		want any
	}{
		"a list": {`[1]`, new(*values.NotMapError)},
		"broken": {`{`, new(*values.SyntaxError)},
		"nested": {strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101), new(*values.NestingError)},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &v2alpha1.GitLabCore{}
			obj.Spec.Chart = &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(tc.raw)}}
			_, err := derive.GitLabCore(obj, derive.GitLabCoreFacts{})
			field, ok := errors.AsType[*derive.FieldError](err)
			if !ok || field.Field != "spec.chart.values" || !errors.As(err, tc.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDerivingLeavesTheResourceAlone(t *testing.T) {
	obj, facts := readCase(t, "testdata/every-field/in.yaml")
	before := obj.DeepCopy()
	if _, err := derive.GitLabCore(obj, facts); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, obj); diff != "" {
		t.Errorf("the resource changed:\n%s", diff)
	}
}

func TestClickHouseCountsAsConfigured(t *testing.T) {
	present := &v2alpha1.ClickHouse{URL: "http://clickhouse:8123"}
	for name, tc := range map[string]struct {
		field *v2alpha1.ClickHouse
		free  string
		want  bool
	}{
		"neither":                             {nil, `{}`, false},
		"the field alone":                     {present, `{}`, true},
		"the values alone":                    {nil, `{"global":{"clickhouse":{"enabled":true}}}`, true},
		"values that switch it off":           {present, `{"global":{"clickhouse":{"enabled":false}}}`, false},
		"values that speak of something else": {present, `{"global":{"clickhouse":{"main":{"database":"x"}}}}`, true},
		"a text is no switch":                 {nil, `{"global":{"clickhouse":{"enabled":"true"}}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &v2alpha1.GitLabCore{}
			obj.Spec.ClickHouse = tc.field
			obj.Spec.Chart = &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(tc.free)}}
			layers, err := derive.GitLabCore(obj, derive.GitLabCoreFacts{})
			if err != nil {
				t.Fatal(err)
			}
			if got := derive.ClickHouseConfigured(values.Merge(layers...)); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
