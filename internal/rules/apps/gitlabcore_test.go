package apps_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/rules/apps"
	"github.com/portcullis-operator/portcullis/test/invalid"
)

func typed(t *testing.T, u *unstructured.Unstructured) *v2alpha1.GitLabCore {
	t.Helper()
	if u == nil {
		return nil
	}
	var out v2alpha1.GitLabCore
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &out); err != nil {
		t.Fatalf("decode: %v", err)
	}
	return &out
}

func TestEveryBrokenFileOfTheRulesYieldsExactlyItsFaults(t *testing.T) {
	examples, err := invalid.Examples("gitlabcore")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range examples {
		if e.Want.By != invalid.Rules {
			continue
		}
		seen++
		t.Run(e.Name, func(t *testing.T) {
			var got []invalid.Fault
			for _, f := range apps.CheckGitLabCore(typed(t, e.Object), typed(t, e.Old), "") {
				got = append(got, invalid.Fault{Severity: f.Severity.String(), Code: string(f.Code), Field: f.Field, Message: f.Message})
			}
			if diff := cmp.Diff(e.Want.Faults, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
	if seen < 8 {
		t.Errorf("only %d examples are refused by the rules", seen)
	}
}

func static(version string) v2alpha1.VersionSpec {
	return v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: version}
}

func fromConfigMap() v2alpha1.VersionSpec {
	return v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, VersionRef: &v2alpha1.VersionReference{
		Kind: v2alpha1.VersionReferenceConfigMap, Name: "platform-versions", Key: "chartVersion",
	}}
}

func instance(version v2alpha1.VersionSpec, ran string) *v2alpha1.GitLabCore {
	return &v2alpha1.GitLabCore{
		Spec:   v2alpha1.GitLabCoreSpec{Version: version},
		Status: v2alpha1.GitLabCoreStatus{ReleaseStatus: v2alpha1.ReleaseStatus{Version: ran}},
	}
}

// short is the part of a fault the cases below are about.
type short struct {
	Severity   rules.Severity
	Code       rules.Code
	Field      string
	Transition bool
}

func TestCheckGitLabCore(t *testing.T) {
	hostnameChanges := func(c *v2alpha1.GitLabCore) *v2alpha1.GitLabCore {
		c.Spec.Hostname = "gitlab.example.com"
		return c
	}
	downgrade := short{rules.Error, rules.VersionDowngrade, "spec.version.version", true}
	cases := map[string]struct {
		fresh, old *v2alpha1.GitLabCore
		target     string
		want       []short
	}{
		"a new instance may have any version":           {fresh: instance(static("10.3.0"), "")},
		"a pre-release is a version":                    {fresh: instance(static("10.4.0-rc.1"), "")},
		"a build number is no change":                   {fresh: instance(static("10.4.1+build.2"), ""), old: instance(static("10.4.1"), "10.4.1")},
		"a later patch is allowed":                      {fresh: instance(static("10.4.2"), ""), old: instance(static("10.4.1"), "10.4.1")},
		"a release after its pre-release is allowed":    {fresh: instance(static("10.4.1"), ""), old: instance(static("10.4.1-rc.1"), "10.4.1-rc.1")},
		"back from a version that never ran is allowed": {fresh: instance(static("10.4.1"), ""), old: instance(static("10.4.9"), "10.4.1")},
		"a forged status of the new object is not read": {fresh: instance(static("10.4.0"), "10.1.0"), old: instance(static("10.4.1"), "10.4.1"), want: []short{downgrade}},
		"an earlier patch is refused":                   {fresh: instance(static("10.4.0"), ""), old: instance(static("10.4.1"), "10.4.1"), want: []short{downgrade}},
		"an earlier major is a downgrade, not another minor": {
			fresh: instance(static("9.11.4"), ""), old: instance(static("10.0.0"), "10.0.0"), want: []short{downgrade}},
		"a later minor is refused with a code of its own": {
			fresh: instance(static("10.5.0"), ""), old: instance(static("10.4.1"), "10.4.1"),
			want: []short{{rules.Error, rules.MinorChangeUnsupported, "spec.version.version", true}}},
		"a later major is refused with the same code": {
			fresh: instance(static("11.4.1"), ""), old: instance(static("10.4.1"), "10.4.1"),
			want: []short{{rules.Error, rules.MinorChangeUnsupported, "spec.version.version", true}}},
		"an instance that never ran may change its minor": {fresh: instance(static("10.5.0"), ""), old: instance(static("10.4.1"), "")},
		"the reconciler refuses a downgrade that was let in": {
			fresh: instance(static("10.4.0"), "10.4.1"), old: instance(static("10.4.0"), "10.4.1"), want: []short{downgrade}},
		"a ConfigMap that asks for less is refused at the reference": {
			fresh: instance(fromConfigMap(), ""), old: instance(fromConfigMap(), "10.4.1"), target: "10.4.0",
			want: []short{{rules.Error, rules.VersionDowngrade, "spec.version.versionRef", true}}},
		"a ConfigMap that asks for less only warns while another field is mended": {
			fresh: hostnameChanges(instance(fromConfigMap(), "")), old: instance(fromConfigMap(), "10.4.1"), target: "10.4.0",
			want: []short{{rules.Warning, rules.VersionDowngrade, "spec.version.versionRef", true}}},
		"a ConfigMap that holds no version is refused at the reference": {
			fresh: instance(fromConfigMap(), ""), target: "newest",
			want: []short{{rules.Error, rules.VersionInvalid, "spec.version.versionRef", false}}},
		"a reference that is not resolved yet is no fault of the rules": {fresh: instance(fromConfigMap(), ""), old: instance(fromConfigMap(), "10.4.1")},
		"an unreadable applied version blocks a change of the version": {
			fresh: instance(static("10.4.1"), ""), old: instance(static("10.4.0"), "unknown"),
			want: []short{{rules.Error, rules.VersionInvalid, "spec.version.version", true}}},
		"an unreadable applied version blocks nothing else": {
			fresh: hostnameChanges(instance(static("10.4.0"), "")), old: instance(static("10.4.0"), "unknown")},
		"two numbers are no version": {fresh: instance(static("10.4"), ""),
			want: []short{{rules.Error, rules.VersionInvalid, "spec.version.version", false}}},
		"a type that follows the repository is refused at the type": {
			fresh: instance(v2alpha1.VersionSpec{Type: v2alpha1.VersionPatch, Minor: "10.4"}, ""),
			want:  []short{{rules.Error, rules.VersionTypeUnsupported, "spec.version.type", false}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []short
			for _, f := range apps.CheckGitLabCore(c.fresh, c.old, c.target) {
				got = append(got, short{f.Severity, f.Code, f.Field, f.Transition})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFeaturesThatNeedANewerChart(t *testing.T) {
	both := &v2alpha1.Networking{EnvoyGatewayController: &v2alpha1.EnvoyGatewayController{}, GatewayClass: &v2alpha1.GatewayClass{}}
	cases := map[string]struct {
		spec v2alpha1.GitLabCoreSpec
		want []short
	}{
		"both provisioning modes are refused by name below chart 10.4": {
			spec: v2alpha1.GitLabCoreSpec{Version: static("10.3.9"), Networking: both},
			want: []short{
				{rules.Error, rules.FeatureNeedsVersion, "spec.networking.envoyGatewayController", false},
				{rules.Error, rules.FeatureNeedsVersion, "spec.networking.gatewayClass", false},
			}},
		"a pre-release of 10.4 has them":       {spec: v2alpha1.GitLabCoreSpec{Version: static("10.4.0-rc.1"), Networking: both}},
		"a later major has them":               {spec: v2alpha1.GitLabCoreSpec{Version: static("11.0.0"), Networking: both}},
		"a Gateway that exists needs no chart": {spec: v2alpha1.GitLabCoreSpec{Version: static("10.2.0"), Networking: &v2alpha1.Networking{Gateway: &v2alpha1.Gateway{}}}},
		"an Orbit below chart 10.4 warns": {
			spec: v2alpha1.GitLabCoreSpec{Version: static("10.3.9"), OrbitRef: &v2alpha1.OrbitReference{Name: "orbit"}},
			want: []short{{rules.Warning, rules.FeatureNeedsVersion, "spec.orbitRef", false}}},
		"an Orbit on chart 10.4 is fine":      {spec: v2alpha1.GitLabCoreSpec{Version: static("10.4.0"), OrbitRef: &v2alpha1.OrbitReference{Name: "orbit"}}},
		"without a version nothing is judged": {spec: v2alpha1.GitLabCoreSpec{Version: fromConfigMap(), Networking: both}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []short
			for _, f := range apps.CheckGitLabCore(&v2alpha1.GitLabCore{Spec: c.spec}, nil, "") {
				got = append(got, short{f.Severity, f.Code, f.Field, f.Transition})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// Who may write the resource need not be allowed to read the ConfigMap it names.
func TestTheContentOfAConfigMapIsNotQuoted(t *testing.T) {
	for _, f := range apps.CheckGitLabCore(instance(fromConfigMap(), ""), nil, "s3cret-content") {
		if f.Code != rules.VersionInvalid || f.Message != "the key chartVersion of ConfigMap platform-versions must hold a semantic version such as 10.4.1, and does not" {
			t.Errorf("unexpected fault %+v", f)
		}
	}
}
