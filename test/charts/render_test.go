package charts_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/test/charts"
)

// overrides are what an operator forces whatever else is set; common is what it derives for every instance beside them.
const (
	overrides = `
installCertmanager: false
gitlab-runner: {install: false}
nginx-ingress: {enabled: false}
nginx-ingress-geo: {enabled: false}
haproxy: {install: false}
traefik: {install: false}
registry: {enabled: false}
shared-secrets:
  rbac: {create: false}
  serviceAccount: {create: false, name: gitlab-manager}
  securityContext: {runAsUser: "", fsGroup: ""}
`
	services = `
  hosts: {domain: example.com, gitlab: {name: gitlab.example.com}}
  edition: ee
  psql: {host: pg.example.com, password: {secret: pg, key: password}}
  redis: {host: redis.example.com, auth: {secret: redis, key: password}}
`
	connection = `
  appConfig: {object_store: {enabled: true, connection: {secret: storage, key: connection}}}
`
	unrouted = "  gatewayApi: {enabled: false, installEnvoy: false}\n"
	routed   = "  gatewayApi: {enabled: true, installEnvoy: false, configureEnvoy: true, configureCertmanager: false}\n"
	ownClass = `
gatewayApiResources:
  class: {name: team.gl, controllerName: example.com/controller}
  gateway: {annotations: {cert-manager.io/issuer: letsencrypt}}
`
)

// minimal is the least a release needs, without routes; full has a GatewayClass, Gateway and routes of its own.
const (
	minimal = overrides + "global:" + services + connection + unrouted
	full    = overrides + "global:" + services + connection + routed + ownClass
)

func TestEveryVersionRenders(t *testing.T) {
	for _, version := range charts.Versions() {
		t.Run(version, func(t *testing.T) {
			out := mustHelm(t, version, minimal, options{})
			app, err := charts.AppVersion(version)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.notes, "GitLab "+app+" will answer at https://gitlab.example.com") {
				t.Errorf("the notes do not name version and host: %q", out.notes)
			}
			seen := map[string]bool{}
			for _, o := range out.objects {
				id := fmt.Sprintf("%s %s %s", o.kind(), o.metadata()["namespace"], o.name())
				if o["apiVersion"] == nil || o["kind"] == nil || o.metadata()["name"] == nil || seen[id] {
					t.Errorf("an object without kind or name, or twice: %s", id)
				}
				seen[id] = true
			}
		})
	}
}

func TestAFullReleaseRecordsSeventeenKinds(t *testing.T) {
	want := []string{
		"apps/v1/Deployment", "apps/v1/StatefulSet", "autoscaling/v2/HorizontalPodAutoscaler", "batch/v1/CronJob", "batch/v1/Job",
		"gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy", "gateway.envoyproxy.io/v1alpha1/EnvoyProxy",
		"gateway.networking.k8s.io/v1/Gateway", "gateway.networking.k8s.io/v1/GatewayClass", "gateway.networking.k8s.io/v1/HTTPRoute",
		"gateway.networking.k8s.io/v1/TCPRoute", "policy/v1/PodDisruptionBudget",
		"v1/ConfigMap", "v1/PersistentVolumeClaim", "v1/Secret", "v1/Service", "v1/ServiceAccount",
	}
	if len(want) != 17 {
		t.Fatalf("this test lists %d kinds", len(want))
	}
	for _, version := range []string{"10.4.0", "10.4.1", "10.5.0", "11.0.0"} {
		t.Run(version, func(t *testing.T) {
			if diff := cmp.Diff(want, mustHelm(t, version, full, options{}).kinds()); diff != "" {
				t.Errorf("kinds of a full release (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAReleaseWithoutRoutesRecordsTwelveKinds(t *testing.T) {
	for _, version := range charts.Versions() {
		if got := mustHelm(t, version, minimal, options{}).kinds(); len(got) != 12 || !slices.Contains(got, "networking.k8s.io/v1/Ingress") {
			t.Errorf("chart %s renders %d kinds without the Gateway API: %v", version, len(got), got)
		}
	}
}

func TestWhatTheChartItselfRefuses(t *testing.T) {
	tests := map[string]struct {
		values string
		o      options
		want   string
	}{
		"no object storage connection, with the defaults": {
			values: "{}",
			want:   "for artifacts, lfs, uploads, packages the connection property can not be empty",
		},
		"consolidated object storage without its connection": {
			values: "global: {appConfig: {object_store: {enabled: true}}}",
			want:   "global.appConfig.object_store is enabled, so the connection property can not be empty",
		},
		"a provider of secrets that nobody knows": {
			values: strings.Replace(minimal, "shared-secrets:\n", "shared-secrets:\n  provider: vault\n", 1),
			want:   `shared-secrets.provider must be "job" or "controller", found "vault"`,
		},
		"certificates for the Gateway without an address": {
			values: "global: {appConfig: {object_store: {enabled: true, connection: {secret: a}}}}",
			want:   "certmanager-issuer.email",
		},
		"a key of the Gateway that has moved": {
			values: strings.Replace(full, "gatewayApi: {", "gatewayApi: {class: mine, ", 1),
			want:   "global.gatewayApi.class has moved to gatewayApiResources.class.name",
		},
		"orbit beside what it replaced": {
			values: "global: {appConfig: {orbit: {enabled: true}, knowledgeGraph: {enabled: true}, object_store: {enabled: true, connection: {secret: a}}}}",
			want:   "cannot be enabled beside it",
		},
		"the Kubernetes version of Helm as a library": {
			values: minimal, o: options{kubeVersion: "v1.20.0"}, want: "wants Kubernetes >=1.25.0-0",
		},
		"OpenBao without a database host": {
			values: full + "openbao: {install: true}\n", o: options{skipSchema: true}, want: "global.openbao.psql.host is needed",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := helm(t, "10.4.1", tc.values, tc.o)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("want a failure that says %q, got %v", tc.want, err)
			}
		})
	}
}

func TestTheJobIsNamedByItsValues(t *testing.T) {
	job := func(version, values string) object {
		out := mustHelm(t, version, values, options{})
		at := slices.IndexFunc(out.objects, func(o object) bool {
			return o["kind"] == "Job" && o.label("app") == "migrations"
		})
		if at < 0 {
			t.Fatalf("chart %s renders no migrations Job", version)
		}
		return out.objects[at]
	}
	plain := job("10.4.1", minimal)
	if !regexp.MustCompile(`^gl-migrations-[0-9a-f]{7}$`).MatchString(plain.name()) {
		t.Errorf("the migrations Job is called %s", plain.name())
	}
	if got := plain.label("gitlab.com/target-version"); got != "19.4.1" {
		t.Errorf("target version %q, want 19.4.1", got)
	}
	if got := job("10.2.1", minimal).label("gitlab.com/target-version"); got != "" {
		t.Errorf("chart 10.2 labels the Job already: %q", got)
	}
	labelled := job("10.4.1", strings.Replace(minimal, "global:", "global:\n  common: {labels: {team: core}}", 1))
	if labelled.name() == plain.name() {
		t.Error("a global label does not rename the Job")
	}
	if again := job("10.4.1", minimal+"prometheus: {install: false}\n"); again.name() != plain.name() {
		t.Error("a value of another component renames the Job")
	}
	other := job("10.4.1", strings.Replace(minimal, "global:", "global:\n  gitlabVersion: 19.4.7", 1))
	if got := other.label("gitlab.com/target-version"); got != "19.4.7" {
		t.Errorf("global.gitlabVersion gives target version %q, want 19.4.7", got)
	}
}

func TestTheJobThatWaitsForBatchedMigrationsIsOptional(t *testing.T) {
	values := minimal + "gitlab: {migrations: {batchedBackgroundMigrationsCheck: {enabled: true}}}\n"
	count := func(values string) (jobs, checks int) {
		for _, o := range mustHelm(t, "10.4.1", values, options{}).objects {
			if o["kind"] == "Job" && o.label("app") == "migrations" {
				jobs++
				if o.label("gitlab.com/batched-background-migrations-check") == "true" {
					checks++
				}
			}
		}
		return jobs, checks
	}
	if jobs, checks := count(minimal); jobs != 1 || checks != 0 {
		t.Errorf("the defaults render %d migrations Jobs, %d of them the check", jobs, checks)
	}
	if jobs, checks := count(values); jobs != 2 || checks != 1 {
		t.Errorf("switched on there are %d migrations Jobs, %d of them the check", jobs, checks)
	}
}

func TestASwitchedOffComponentRendersNothing(t *testing.T) {
	for _, component := range []string{"gitlab-shell", "toolbox", "webservice", "sidekiq", "gitaly", "migrations"} {
		t.Run(component, func(t *testing.T) {
			of := func(r render) (n int) {
				for _, o := range r.objects {
					if o.label("app") == component {
						n++
					}
				}
				return n
			}
			if of(mustHelm(t, "10.4.1", minimal, options{})) == 0 {
				t.Error("switched on it renders nothing")
			}
			off := minimal + fmt.Sprintf("gitlab: {%s: {enabled: false}}\n", component)
			if n := of(mustHelm(t, "10.4.1", off, options{})); n != 0 {
				t.Errorf("switched off it renders %d objects", n)
			}
		})
	}
}
