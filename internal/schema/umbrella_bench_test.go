package schema

import (
	"testing"

	"github.com/portcullis-operator/portcullis/internal/values"
)

// BenchmarkUmbrella measures a warm Check and a warm Unknown of the test chart with all its subcharts: the values that
// the fields of a small GitLabCore lead to, and a few a person adds.
func BenchmarkUmbrella(b *testing.B) {
	quiet(b)
	c, k := fixture(b, "10.4.1"), NewChecker()
	e := values.Merge(
		structured("spec.x", decode(b, `
hosts: {domain: example.com, https: true, gitlab: {name: gitlab.example.com}}
ingress: {enabled: false}
gatewayApi: {enabled: true, class: {name: gitlab}}
psql: {host: pg.example.com, port: 5432, password: {secret: pg, key: password}}
redis: {host: redis.example.com, auth: {enabled: true, secret: redis, key: password}}
appConfig: {object_store: {enabled: true, connection: {secret: os, key: connection}}}
`), "global"),
		freeForm(b, `{prometheus: {install: false}, gitlab: {webservice: {minReplicas: 3}}}`),
	)
	if faults := check(b, k, c, e); len(faults) > 0 {
		b.Fatalf("the values are meant to pass: %v", lines(faults))
	}
	b.Run("Check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = k.Check(c, e)
		}
	})
	b.Run("Unknown", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = k.Unknown(c, e)
		}
	})
}

func freeForm(tb testing.TB, text string) values.Layer {
	tb.Helper()
	return values.Tree(values.FreeForm, "spec.chart.values", decode(tb, text))
}
