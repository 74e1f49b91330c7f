package derive_test

import (
	"errors"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/values"
)

func TestTheURLOfAnInstanceIsWhatItsChartCallsIt(t *testing.T) {
	for name, tc := range map[string]struct{ hostname, freeForm, want string }{
		"a hostname":                           {"gitlab.example.org", `{}`, "https://gitlab.example.org"},
		"nothing said":                         {"", `{}`, "https://gitlab.example.com"},
		"a domain alone":                       {"", `{"global":{"hosts":{"domain":"corp.internal"}}}`, "https://gitlab.corp.internal"},
		"a suffix":                             {"", `{"global":{"hosts":{"domain":"corp.internal","hostSuffix":"beta"}}}`, "https://gitlab-beta.corp.internal"},
		"a name of the values wins":            {"gitlab.example.org", `{"global":{"hosts":{"gitlab":{"name":"git.example.org"}}}}`, "https://git.example.org"},
		"https switched off":                   {"gitlab.example.org", `{"global":{"hosts":{"https":false}}}`, "http://gitlab.example.org"},
		"https removed":                        {"gitlab.example.org", `{"global":{"hosts":{"https":null}}}`, "http://gitlab.example.org"},
		"https for GitLab alone":               {"gitlab.example.org", `{"global":{"hosts":{"https":false,"gitlab":{"https":true}}}}`, "https://gitlab.example.org"},
		"off for GitLab alone changes nothing": {"gitlab.example.org", `{"global":{"hosts":{"gitlab":{"https":false}}}}`, "https://gitlab.example.org"},
		"a relative root":                      {"example.org", `{"global":{"appConfig":{"relativeUrlRoot":"/gitlab"}}}`, "https://example.org/gitlab"},
	} {
		t.Run(name, func(t *testing.T) {
			core := &v2alpha1.GitLabCore{}
			core.Spec.Hostname = tc.hostname
			core.Spec.Chart = &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(tc.freeForm)}}
			e, err := derive.InstanceValues(core)
			if err != nil {
				t.Fatal(err)
			}
			if got := derive.GitLabURL(e); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestAnAddOnKnowsOfItsInstanceWhatTheSpecSays(t *testing.T) {
	core := &v2alpha1.GitLabCore{}
	core.Spec.ClickHouse = &v2alpha1.ClickHouse{URL: "http://clickhouse:8123"}
	core.Spec.Chart = &v2alpha1.Chart{
		Values:     &apiextensionsv1.JSON{Raw: []byte(`{"global":{"edition":"ce"}}`)},
		ValuesFrom: []v2alpha1.ValuesReference{{Kind: "Secret", Name: "gitlab-values"}},
	}
	e, err := derive.InstanceValues(core)
	if err != nil {
		t.Fatal(err)
	}
	if !derive.ClickHouseConfigured(e) {
		t.Error("the structured fields are missing")
	}
	if edition, _ := e.Lookup(values.Path{"global", "edition"}); edition != "ce" {
		t.Error("the free-form values are missing")
	}
}

func TestValuesOfAnInstanceThatAreNoMap(t *testing.T) {
	core := &v2alpha1.GitLabCore{}
	core.Spec.Chart = &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(`[1]`)}}
	_, err := derive.InstanceValues(core)
	if field, ok := errors.AsType[*derive.FieldError](err); !ok || field.Field != "spec.chart.values" {
		t.Errorf("got %v", err)
	}
}
