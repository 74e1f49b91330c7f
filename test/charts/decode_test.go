package charts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/portcullis-operator/portcullis/test/charts"
)

// An API server refuses or drops what its types do not have, so every object of a built-in kind must decode strictly.
func TestEveryBuiltInObjectDecodesStrictly(t *testing.T) {
	for _, version := range charts.Versions() {
		t.Run(version, func(t *testing.T) {
			everyObjectDecodes(t, mustHelm(t, version, everything, options{skipSchema: true, release: strings.Repeat("a", 53)}), 50)
		})
	}
	for _, version := range charts.Siphon().Versions() {
		t.Run("siphon "+version, func(t *testing.T) {
			everyObjectDecodes(t, mustHelm(t, version, split, siphon(options{release: strings.Repeat("a", 31)})), 8)
		})
	}
	const all = "healthCheck: {enabled: true}\ndashboards: {enabled: true}\nclickhouseSetup: {enabled: true, adminSecret: {secretName: admin}}\n" +
		"metrics: {prometheus: {enabled: true}}\nindexer: {nodeSelector: {disk: fast}, tolerations: [{operator: Exists}]}\n" +
		"tls: {enabled: true, existingSecret: cert}\nbilling: {enabled: true, collector_url: a, quota: {enabled: false}}"
	for _, version := range charts.Orbit().Versions() {
		t.Run("orbit "+version, func(t *testing.T) {
			everyObjectDecodes(t, mustHelm(t, version, graph+all, orbit(options{release: strings.Repeat("a", 44)})), 23)
		})
	}
}

func everyObjectDecodes(t *testing.T, out render, least int) {
	t.Helper()
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	decoded := 0
	for _, o := range out.objects {
		kind := schema.FromAPIVersionAndKind(o["apiVersion"].(string), o["kind"].(string))
		if !scheme.Scheme.Recognizes(kind) {
			continue
		}
		if err := decodes(decoder, o); err != nil {
			t.Errorf("%s %s: %v", o["kind"], o.name(), err)
		}
		if o["kind"] == "Service" && len(o.name()) > 63 {
			t.Errorf("the name of Service %s is too long", o.name())
		}
		decoded++
	}
	if decoded < least {
		t.Errorf("only %d objects were looked at", decoded)
	}
}

// everything switches on all that the chart can render at once.
const everything = `
global:
  openbao: {enabled: true, psql: {host: a, password: {secret: b, key: c}}}
  appConfig: {object_store: {enabled: true, connection: {secret: storage, key: connection}}}
  gitlab: {license: {secret: license}}
  certificates: {customCAs: [{secret: ca}]}
certmanager-issuer: {email: admin@example.com}
openbao: {install: true}
nginx-ingress: {enabled: true}
nginx-ingress-geo: {enabled: true}
haproxy: {install: true}
traefik: {install: true}
prometheus: {kubeSystemService: {enabled: true}}
gitlab: {webservice: {networkPolicy: {enabled: true}}}
`

func decodes(decoder runtime.Decoder, o object) error {
	content, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, _, err = decoder.Decode(content, nil, nil)
	return err
}
