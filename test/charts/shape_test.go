package charts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHooksOfSharedSecrets(t *testing.T) {
	hooks := func(values string) map[string]string {
		out := map[string]string{}
		for _, o := range mustHelm(t, "10.4.1", values, options{}).objects {
			if strings.HasSuffix(o.name(), "-shared-secrets") && o.isHook() {
				out[o["kind"].(string)] = o.annotation("helm.sh/hook-weight") + " " + o.annotation("helm.sh/hook-delete-policy")
			}
		}
		return out
	}
	want := map[string]string{
		"ConfigMap": "-3 before-hook-creation", "Job": "0 hook-succeeded,before-hook-creation", "RoleBinding": "-4 ",
		"Role": "-5 hook-failed, hook-succeeded,before-hook-creation", "ServiceAccount": "-5 before-hook-creation",
	}
	own := strings.NewReplacer("rbac: {create: false}", "rbac: {create: true}", "{create: false, name: gitlab-manager}", "{create: true}")
	if diff := cmp.Diff(want, hooks(own.Replace(minimal))); diff != "" {
		t.Errorf("all hooks (-want +got):\n%s", diff)
	}
	delete(want, "Role")
	delete(want, "RoleBinding")
	delete(want, "ServiceAccount")
	if diff := cmp.Diff(want, hooks(minimal)); diff != "" {
		t.Errorf("without RBAC and ServiceAccount (-want +got):\n%s", diff)
	}
}

func TestTheProviderOfSecretsCountsSince105(t *testing.T) {
	controller := strings.Replace(minimal, "shared-secrets:\n", "shared-secrets:\n  provider: controller\n", 1)
	cases := map[string]struct {
		version, values string
		job, declared   bool
	}{
		"the Job by default":                    {"10.5.0", minimal, true, false},
		"the controller where it is asked for":  {"10.5.0", controller, false, true},
		"the Job before, whoever is asked for":  {"10.4.1", controller, true, false},
		"the controller in the next major, too": {"11.0.0", controller, false, true},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			m := mustHelm(t, c.version, c.values, options{})
			if got := m.has("GitLabSecrets"); got != c.declared {
				t.Errorf("GitLabSecrets: %v, want %v", got, c.declared)
			}
			byJob := slices.ContainsFunc(m.objects, func(o object) bool {
				return o["kind"] == "Job" && o.isHook() && strings.HasSuffix(o.name(), "-shared-secrets")
			})
			if byJob != c.job {
				t.Errorf("a Job makes them: %v, want %v", byJob, c.job)
			}
		})
	}
}

func TestTheRoutingKindsFollowTheirSwitches(t *testing.T) {
	gateway := strings.Replace(full, "gatewayApi: {", "gatewayApi: {gatewayRef: {name: shared, namespace: infra}, ", 1)
	existing := strings.Replace(full, "class: {name: team.gl", "class: {enabled: false, name: team.gl", 1)
	tests := map[string]struct {
		version, values string
		want            map[string]bool
	}{
		"a class of its own": {
			"10.4.1", full,
			map[string]bool{"GatewayClass": true, "EnvoyProxy": true, "Gateway": true, "HTTPRoute": true, "ClientTrafficPolicy": true, "Ingress": false},
		},
		"a class that exists": {
			"10.4.1", existing,
			map[string]bool{"GatewayClass": false, "EnvoyProxy": false, "Gateway": true, "HTTPRoute": true, "ClientTrafficPolicy": true, "Ingress": false},
		},
		"a Gateway of another namespace": {
			"10.4.1", gateway,
			map[string]bool{"Gateway": false, "HTTPRoute": true, "ClientTrafficPolicy": false, "Ingress": false},
		},
		"no Gateway API": {
			"10.4.1", minimal,
			map[string]bool{"GatewayClass": false, "EnvoyProxy": false, "Gateway": false, "HTTPRoute": false, "TCPRoute": false, "Ingress": true},
		},
		"a chart too old for a class": {
			"10.3.0", strings.TrimSuffix(full, ownClass),
			map[string]bool{"GatewayClass": false, "EnvoyProxy": false, "Gateway": true, "HTTPRoute": true, "ClientTrafficPolicy": false},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			out, got := mustHelm(t, tc.version, tc.values, options{}), map[string]bool{}
			for kind := range tc.want {
				got[kind] = out.has(kind)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("rendered kinds (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOddShapesAreStillThere(t *testing.T) {
	out := mustHelm(t, "10.4.1", full, options{})
	if class := out.find(t, "GatewayClass", "team.gl"); class.metadata()["namespace"] != "team" {
		t.Error("the GatewayClass names no namespace")
	}
	if info := out.find(t, "ConfigMap", "gl-chart-info"); info.metadata()["namespace"] != nil {
		t.Error("every object names its namespace")
	} else if got := info["data"].(map[string]any)["maxRequestsPerDay"]; got != "1e+06" {
		t.Errorf("a bare float64 prints as %v", got)
	}
	service := out.find(t, "Service", "gl-gitaly")
	if value, there := service.metadata()["annotations"]; !there || value != nil {
		t.Error("no annotations are null")
	}
	if motd := out.find(t, "ConfigMap", "gl-gitlab-shell-motd"); motd.annotation("helm.sh/resource-policy") != "keep" {
		t.Error("nothing is kept")
	}
	listeners := out.values["gatewayApiResources"].(map[string]any)["gateway"].(map[string]any)["listeners"].(map[string]any)
	if listeners["https"].(map[string]any)["name"] != "https" {
		t.Error("no template writes into the values")
	}
	if _, there := out.values["gatewayApiResources"].(map[string]any)["envoy"].(map[string]any)["proxy"].(map[string]any)["comment"]; there {
		t.Error("no template takes a key out of the values")
	}
	if out.has("ServiceMonitor") {
		t.Error("a ServiceMonitor is rendered for a cluster without its kind")
	}
	if !mustHelm(t, "10.4.1", full, options{apiVersions: []string{"monitoring.coreos.com/v1"}}).has("ServiceMonitor") {
		t.Error("no ServiceMonitor is rendered for a cluster with its kind")
	}
}

func TestOctalModesDecodeAsOctal(t *testing.T) {
	deployment := mustHelm(t, "10.4.1", minimal, options{}).find(t, "Deployment", "gl-gitlab-shell")
	spec := deployment["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	volume := spec["volumes"].([]any)[0].(map[string]any)["secret"].(map[string]any)
	if volume["defaultMode"] != float64(0o400) {
		t.Errorf("0400 was read as %v", volume["defaultMode"])
	}
}

func TestRandomPartsDifferBetweenRenders(t *testing.T) {
	values := strings.Replace(full, "global:", "global:\n  openbao: {enabled: true, psql: {host: a, password: {secret: b, key: c}}}", 1)
	values += "openbao: {install: true, serviceAccount: {create: false, name: bao}, role: {create: false}}\n"
	parts := func() map[string]string {
		out := map[string]string{}
		for _, o := range mustHelm(t, "10.4.1", values, options{skipSchema: true}).objects {
			data, _ := o["data"].(map[string]any)
			switch {
			case o["kind"] == "Pod":
				out["test pod"] = o.name()
			case o.name() == "gl-toolbox-token":
				out["token"], _ = data["token"].(string)
			case o.name() == "gl-openbao-unseal":
				out["unseal key"], _ = data["key"].(string)
			}
		}
		return out
	}
	first, second := parts(), parts()
	for _, name := range []string{"test pod", "token", "unseal key"} {
		if first[name] == "" || first[name] == second[name] {
			t.Errorf("the %s is not made anew with every render", name)
		}
	}
}

func TestExtraParts(t *testing.T) {
	values := strings.Replace(minimal, "global:", `global:
  extraEnvTpl: "- {name: RELEASE, value: '{{ .Release.Name }}'}"`, 1) + `
extraResources:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: extra}, data: {a: "{{ untouched }}"}}
prometheus: {kubeSystemService: {enabled: true}}
`
	out := mustHelm(t, "10.4.1", values, options{})
	if got := out.find(t, "ConfigMap", "extra")["data"].(map[string]any)["a"]; got != "{{ untouched }}" {
		t.Errorf("an extra resource was changed: %v", got)
	}
	if got := out.find(t, "Service", "gl-prometheus-kube-proxy").metadata()["namespace"]; got != "kube-system" {
		t.Errorf("the Service beside the control plane is in %v", got)
	}
	spec := out.find(t, "Deployment", "gl-webservice-default")["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	env := spec["containers"].([]any)[0].(map[string]any)["env"].([]any)
	if diff := cmp.Diff(map[string]any{"name": "RELEASE", "value": "gl"}, env[2]); diff != "" {
		t.Errorf("the templated entry (-want +got):\n%s", diff)
	}
}
